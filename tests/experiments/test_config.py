"""Configs: every experiment of the paper is there, and what a file says is what is run."""

from dataclasses import replace

import pytest

from toposwap.baselines import BASELINES
from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import parameters_of
from toposwap.estimators import Topo
from toposwap.experiments import config as configs
from toposwap.experiments import datasets, experiment_names, load_experiment, methods
from toposwap.experiments.cell import Cell
from toposwap.experiments.check import check_experiment
from toposwap.experiments.output.layouts import METRICS
from toposwap.experiments.output.styles import styles_of

NAMES = experiment_names()


def test_every_config_is_listed_once():
    files = sorted(path.stem for path in configs.CONFIGS.rglob("*.toml"))
    assert sorted(NAMES) == files
    papers = list(configs.CONFIGS.rglob("*.csv"))
    for path in papers:
        assert (path.parents[1] / f"{path.stem}.toml").exists()
    assert sum(bool(load_experiment(name).paper) for name in NAMES) == len(papers)


@pytest.mark.parametrize("name", NAMES)
def test_configs_mean_something(name):
    experiment = load_experiment(name)
    check_experiment(experiment)
    for one in (experiment, experiment.quick()):
        assert one.methods
        assert one.data
    assert len({cell.key for _, cell in experiment.cells()}) == sum(1 for _ in experiment.cells())


@pytest.mark.parametrize("name", NAMES)
def test_no_two_methods_look_alike(name):
    labels = {method.label for method in load_experiment(name).methods}
    styles = styles_of(sorted(labels))
    assert set(styles) == labels
    assert len(set(styles.values())) == len(labels)
    # A colour by itself tells our rows apart, as bars have nothing else.
    ours = [styles[label].colour for label in labels if "topo" in label or "auto" in label]
    assert len(set(ours)) == len(ours)


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_figures_belong_to_cells(name):
    """Each row of the paper's figures speaks of a data set and a method of the config."""
    experiment = load_experiment(name)
    for row in experiment.paper:
        float(row["mean"])
        float(row["error"] or 0)
        assert row["metric"] in METRICS
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


# --- words that mean nothing ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("seeds = 3", "seeds = 3\nseedz = 4", r"top level: no setting is called 'seedz' .*'seeds'"),
        ("seeds = 3", "seeds = 3\nscore = {name = 'bic', factr = 1}", "'bic': .*'factor'"),
        ("seeds = 3", "seeds = 3\nscore = 'bci'", "'bci' is not one of"),
        ("n = 100", "n = 100\nweightz = 2", "data, kind = 'linear': .*'weightz' .*'weights'"),
        ('graph = "ER1"', "", "data, kind = 'linear': graph is missing"),
        ('kind = "linear"', 'kind = "linea"', "kind = 'linea' is not one of linear, "),
        ('init = "random"', 'innit = "random"', "methods, 'random-topo', .*'innit' .*'init'"),
        ('init = "random"', "random_state = 1", "no setting is called 'random_state'"),
        ('init = "random"', "score = {name = 'mlp', hiden = 4}", "'mlp': .*'hiden' .*'hidden'"),
        ('search = "paper"', 'searh = "paper"', "methods, 'again', kind = 'topo': .*'search'"),
        ('init = "random"', 'kind2 = "x"', "no setting is called 'kind2'"),
        ('metrics = ["kkt"', 'metrics = ["ktk"', "no metric is called 'ktk' .*'kkt'"),
        ('columns = ["d"]', 'columns = ["e"]', "tables: no field is called 'e'"),
        ('columns = ["d"]', 'column = ["d"]', "tables: no setting is called 'column' "),
        ('kind = "lines"', 'kind = "line"', "kind = 'line' is not one of lines"),
        ('x = "d"', 'x = "dd"', "figures: no field is called 'dd'"),
        ('x = "d"', 'y = "d"', "figures, kind = 'lines': no setting is called 'y'"),
        ("d = [5]", "dd = [5]", "quick: no setting is called 'dd'"),
        ('methods = ["again"]', 'methods = ["agian"]', "no method is called 'agian' .*'again'"),
        ('search = "insertion"', 'serch = "insertion"', "'serch' .*'search'"),
    ],
)
def test_unknown_words_are_refused_with_the_nearest(tiny_path, old, new, says):
    text = tiny_path.read_text(encoding="utf-8")
    assert old in text
    tiny_path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        check_experiment(load_experiment(str(tiny_path)))


def test_settings_are_those_of_what_is_called(tiny):
    """Every parameter of the simulator, the estimator and the baseline is a setting."""

    def takes(part, settings):
        (datasets if part == "data" else methods).KINDS.check(settings, part)

    size = {"kind": "linear", "graph": "ER", "d": 5, "n": 9}
    takes("data", {**size, "k": 2, "hubs": "causes", "weights": [1.0, 2.0]})
    for name, parameter in parameters_of(Topo).items():
        if name not in ("random_state", "progress"):
            takes("methods", {"kind": "topo", name: parameter.default})
    for name, learner in BASELINES.items():
        defaults = {key: p.default for key, p in parameters_of(learner).items()}
        takes("methods", {"kind": "baseline", "name": name, **defaults})
    with pytest.raises(InputError, match="no baseline is called 'x'"):
        takes("methods", {"kind": "baseline", "name": "x"})


def test_a_config_needs_data_and_methods_only(tmp_path):
    path = tmp_path / "short.toml"
    text = "[data]\nkind = 'three-nodes'\na = [1.0, 2.0]\nb = 1.0\n[methods.topo]\nkind = 'topo'\n"
    path.write_text(text, encoding="utf-8")
    experiment = load_experiment(str(path))
    check_experiment(experiment)
    assert experiment.caption == "short"
    assert experiment.tables[0].rows == ["a", "method"]
