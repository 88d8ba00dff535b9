"""The key of a cell: what is computed, and nothing else."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.experiments import experiment_names, load_experiment
from toposwap.experiments.cell import Cell
from toposwap.experiments.output.results import write_results
from toposwap.experiments.store import Store

STORED = Path(__file__).parents[2] / "experiments"
CELL = Cell({"kind": "linear", "d": 5}, {"kind": "topo"}, "least-squares", 0.3, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"data": {"kind": "linear", "d": 6}},
        {"method": {"kind": "topo", "search": "paper"}},
        {"method": {"kind": "topo", "start": {"kind": "topo"}}},
        {"score": "bic"},
        {"score": {"name": "least-squares", "ridge": 0.1}},
        {"threshold": 0.2},
        {"seed": 1},
    ],
)
def test_content_changes_the_key(change):
    assert replace(CELL, **change).key != CELL.key


def test_the_key_is_that_of_the_content_alone():
    same = Cell({"d": 5, "kind": "linear"}, {"kind": "topo"}, "least-squares", 0.3, 0)
    assert same.key == replace(CELL, folder="elsewhere").key == CELL.key


VALUES = st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.text())
SETTINGS = st.dictionaries(st.text(min_size=1), VALUES, min_size=1)


@given(SETTINGS, st.data())
def test_every_setting_counts_and_their_order_does_not(settings, data):
    own = st.permutations(sorted(settings))
    first, second = (
        replace(CELL, method={"kind": "topo"} | {key: settings[key] for key in data.draw(own)})
        for _ in range(2)
    )
    assert first.key == second.key
    left_out = data.draw(st.sampled_from(sorted(settings)))
    fewer = {key: value for key, value in first.method.items() if key != left_out}
    assert replace(CELL, method=fewer).key != first.key


def test_the_place_of_a_file_is_no_part_of_the_key(tmp_path):
    """The same table elsewhere, under another name, is the same computation; another table not."""

    def key(folder, name):
        data = {"kind": "csv", "path": name, "truth": "truth.csv"}
        return Cell(data, {"kind": "topo"}, "bic", 0.3, 0, str(folder)).key

    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "truth.csv").write_text("source,target\na,b\n", encoding="utf-8")
    (tmp_path / "here" / "one.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    shutil.copy(tmp_path / "here" / "one.csv", tmp_path / "there" / "two.csv")
    first = key(tmp_path / "here", "one.csv")
    assert key(tmp_path / "there", "two.csv") == first
    (tmp_path / "there" / "two.csv").write_text("a,b\n1,3\n", encoding="utf-8")
    assert key(tmp_path / "there", "two.csv") != first
    (tmp_path / "here" / "truth.csv").write_text("source,target\nb,a\n", encoding="utf-8")
    assert key(tmp_path / "here", "one.csv") != first


def test_other_source_of_ones_own_is_another_cell(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "key_of_mine.py"
    module.write_text("def draw(seed): ...\n", encoding="utf-8")
    cell = replace(CELL, data={"kind": "key_of_mine:draw"}, folder=str(tmp_path))
    first = cell.key
    assert replace(cell).key == first
    module.write_text("def draw(seed): return None\n", encoding="utf-8")
    assert replace(cell).key != first
    as_start = {"kind": "topo", "start": {"kind": "key_of_mine:draw"}}
    assert replace(CELL, method=as_start).own_names() == ["key_of_mine:draw"]


# --- the results that are kept -------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored():
    if not STORED.exists():
        pytest.skip("the stored results are not part of an installed package")
    lines = (STORED / "cells.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_stored_results_have_the_keys_of_what_they_say(stored):
    assert len(stored) > 600
    for record in stored:
        assert Cell(**record["cell"]).key == record["key"]


@pytest.mark.parametrize(("name", "count"), [("neural-network", 166), ("neural-figures", 369)])
@pytest.mark.usefixtures("stored")
def test_stored_results_are_those_that_the_configs_ask_for(name, count):
    """Whatever version made them."""
    store = Store(STORED).read()
    cells = [cell for _, cell in load_experiment(name).cells()]
    assert sum(store.get(cell, None) is not None for cell in cells) >= count


@pytest.mark.usefixtures("stored")
def test_the_page_of_results_is_made_from_them(tmp_path):
    page = tmp_path / "RESULTS.md"
    shutil.copy(STORED / "RESULTS.md", page)
    assert write_results(page, STORED) == 2
    assert page.read_bytes() == (STORED / "RESULTS.md").read_bytes()
    assert all(f"## {name}: " in page.read_text(encoding="utf-8") for name in experiment_names())
