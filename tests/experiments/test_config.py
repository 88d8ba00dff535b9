"""Configs: every experiment of the paper is there, and what a file says is what is run."""

from dataclasses import replace

import pytest

from toposwap.baselines import BASELINES
from toposwap.core.errors import InputError
from toposwap.experiments import config as configs
from toposwap.experiments import datasets, experiment_names, load_experiment, methods
from toposwap.experiments.cell import Cell
from toposwap.experiments.output import figure
from toposwap.experiments.output.frame import FIGURES, field_names
from toposwap.experiments.output.styles import styles_of

NAMES = experiment_names()


def test_every_config_is_listed_once():
    files = {path.stem for path in configs.CONFIGS.glob("*.toml")}
    assert sorted(NAMES) == sorted(files)
    papers = {path.name.removesuffix(".paper.csv") for path in configs.CONFIGS.glob("*.csv")}
    assert papers <= files


@pytest.mark.parametrize("name", NAMES)
def test_configs_mean_something(name):
    experiment = load_experiment(name)
    for one in (experiment, experiment.quick()):
        assert one.methods
        assert one.data
        for data in one.data:
            assert data["kind"] in datasets.KINDS
        for method in one.methods:
            chain = method.settings
            while chain is not None:
                assert chain["kind"] in methods.KINDS
                assert "name" not in chain or chain["name"] in BASELINES
                chain = chain.get("start")
    known = {"method", "metric", *field_names(experiment)}
    for table in experiment.tables:
        assert {*table["rows"], *table["columns"]} <= known
        assert set(table["metrics"]) <= set(FIGURES)
    for picture in experiment.figures:
        assert picture["kind"] in figure.KINDS
        assert {picture.get(key, "method") for key in ("x", "group", "rows", "columns")} <= known
    assert len({cell.key for _, cell in experiment.cells()}) == sum(1 for _ in experiment.cells())


@pytest.mark.parametrize("name", NAMES)
def test_no_two_methods_look_alike(name):
    labels = {method.label for method in load_experiment(name).methods}
    styles = styles_of(sorted(labels))
    assert set(styles) == labels
    assert len(set(styles.values())) == len(labels)
    # A colour by itself tells our rows apart, as bars have nothing else.
    ours = [styles[label].colour for label in labels if "topo" in label]
    assert len(set(ours)) == len(ours)


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_figures_belong_to_cells(name):
    """Each row of the paper's figures speaks of a data set and a method of the config."""
    experiment = load_experiment(name)
    for row in experiment.paper:
        float(row["mean"])
        float(row["error"] or 0)
        assert row["metric"] in FIGURES
        fields = {k: v for k, v in row.items() if k not in ("metric", "mean", "error") and v}
        assert any(
            all(
                str({**cell.data, **cell.method, "method": m.label}.get(k)) == fields[k]
                for k in fields
            )
            for m, cell in replace(experiment, seeds=1).cells()
        ), row


def test_the_papers_tables_are_complete():
    count = {name: len(load_experiment(name).paper) for name in NAMES}
    assert count["linear-ev"] == 5 * 3 * 3
    assert count["linear-nv"] == count["fully-connected"] == 4 * 3 * 3
    assert count["neural-network"] == 3 * 3 * 3
    # Blank where the algorithm had stopped.
    assert count["sensitivity-er1"] == 2 * (36 - 6)
    assert count["sensitivity-sf4"] == 2 * 36
    assert count["random-candidates"] == 12


def test_a_list_is_each_of_its_values(tiny):
    assert [data["d"] for data in tiny.data] == [5, 8]
    sensitivity = load_experiment("sensitivity-er1")
    assert len(sensitivity.methods) == 36
    assert {method.label for method in sensitivity.methods} == {"topo"}


def test_a_start_is_written_out(tiny):
    again = tiny.methods[1].settings
    assert again["start"] == tiny.methods[0].settings
    cell = Cell(tiny.data[0], again, "least-squares", 0.3, 0)
    assert cell.start.method == tiny.methods[0].settings
    assert cell.start.start is None


def test_quick_keeps_what_it_says(tiny):
    quick = tiny.quick()
    assert quick.seeds == 1
    assert [data["d"] for data in quick.data] == [5]
    assert [method.label for method in quick.methods] == ["again"]
    # Also in what a method starts from, where the change belongs to.
    assert quick.methods[0].settings["start"]["search"] == "insertion"
    assert quick.methods[0].settings["search"] == "paper"


CELL = Cell({"kind": "linear", "d": 5}, {"kind": "topo"}, "least-squares", 0.3, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"data": {"kind": "linear", "d": 6}},
        {"method": {"kind": "topo", "search": "paper"}},
        {"method": {"kind": "topo", "start": {"kind": "topo"}}},
        {"score": "bic"},
        {"threshold": 0.2},
        {"seed": 1},
    ],
)
def test_content_changes_the_key(change):
    assert replace(CELL, **change).key != CELL.key


def test_the_key_is_that_of_the_content_alone():
    same = Cell({"d": 5, "kind": "linear"}, {"kind": "topo"}, "least-squares", 0.3, 0)
    assert same.key == CELL.key


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("caption = ", "is no experiment"),
        ("caption = 'x'", "'data' is missing"),
    ],
)
def test_a_broken_file_is_one_line(tmp_path, text, says):
    path = tmp_path / "broken.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        load_experiment(str(path))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(InputError, match="linear-ev"):
        load_experiment("linear")


def test_a_start_that_is_no_method(tiny_path):
    text = tiny_path.read_text(encoding="utf-8").replace('start = "random-topo"', 'start = "x"')
    tiny_path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="none of its methods"):
        load_experiment(str(tiny_path))
