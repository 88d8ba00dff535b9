"""``toposwap reproduce``."""

import re
import sys
from pathlib import Path

import pytest

from toposwap.cli.commands.reproduce import note_of
from toposwap.experiments import experiment_names, load_experiment
from toposwap.experiments.execution.run import Progress
from toposwap.experiments.store import Store

TINY = """
caption = "A tiny experiment"
source = "No table"
seeds = 2
minutes = 0.1

[data]
kind = "linear"
d = [5, 8]
n = 100
graph = "ER1"
noise = "gauss-EV"

[methods.random-topo]
kind = "topo"
init = "random"

[methods.notears]
kind = "baseline"
name = "notears"

[[tables]]
rows = ["method", "metric"]
columns = ["d"]
metrics = ["kkt", "score"]

[quick]
seeds = 1
d = [5]
"""


def test_the_list_names_every_experiment(call):
    outcome = call("reproduce", "--list")
    assert outcome.code == 0
    for name in experiment_names():
        assert f"\n{name} " in outcome.out


def test_three_nodes(call, tmp_path):
    """The paper's example from one end to the other."""
    outcome = call("reproduce", "three-nodes", "-o", "runs")
    assert (outcome.code, outcome.err) == (0, "")
    assert "| order | 3 1 2 | 1.592 (1.5921) | 1 |" in outcome.out
    for order in ("1 2 3", "1 3 2", "2 1 3", "3 1 2", "2 3 1", "3 2 1"):
        assert f"| topo | {order} | 1.5 (1.5) | 1 | 0 (0) |" in outcome.out
    assert "| kkts |  | 1.676 (1.6756) | 1 (1) | 2 (2) |" in outcome.out
    assert "15 of 15 cells are finished" in outcome.out
    for name in ("three-nodes.csv", "three-nodes.md", "three-nodes.score.svg", "cells.jsonl"):
        assert (tmp_path / "runs" / name).stat().st_size > 0
    again = call("reproduce", "--results", "RESULTS.md", "-o", "runs")
    assert again.out == "wrote RESULTS.md: 1 experiments\n"
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "## three-nodes: Three nodes" in page


def test_a_file_of_ones_own(call, tmp_path, monkeypatch):
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    options = ("reproduce", "tiny.toml", "-o", "runs")
    whole = call(*options)
    assert "8 of 8 cells are finished" in whole.out
    # Nothing is left to do in a part of it, so no worker is started.
    monkeypatch.delattr("toposwap.experiments.execution.pool.Pool")
    assert "4 of 4 cells are finished" in call(*options, "--seeds", "1").out
    quick = call(*options, "--quick", "--methods", "random-topo")
    assert quick.code == 0
    assert "1 of 1 cells are finished" in quick.out


PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The files of the example on the page, and its commands."""
    if not PAGE.exists():
        pytest.skip("the pages are not part of an installed package")
    page = PAGE.read_text(encoding="utf-8")
    for name, text in re.findall(r"^```(?:python|toml) (\S+)\n(.*?)^```$", page, re.M | re.S):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (commands,) = re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S)
    # The module is imported here, too, to be asked for the settings of its functions.
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield [line.split()[1:] for line in commands.splitlines()]
    sys.modules.pop("mine", None)


@pytest.mark.thorough
def test_the_example_of_the_page(call, example, tmp_path):
    """Data, a learner and a score of one's own, and a table, from one end to the other."""
    assert {"mine.py", "mine.toml"} <= {path.name for path in tmp_path.iterdir()}
    outcomes = [call(*command) for command in example]
    assert [outcome.code for outcome in outcomes] == [0, 0]
    out = outcomes[-1].out
    assert "18 of 18 cells are finished\n" in out
    assert out.count("| refined |") == 3
    rows = [line.split("|") for line in out.splitlines() if "| refined |" in line]
    # KKT is 1, and SHD 0.
    assert [(row[5].strip(), row[6].strip()) for row in rows] == [("1", "0")] * 3
    # Whatever the table is called, it is the same; another one is another cell.
    (tmp_path / "table.csv").rename(tmp_path / "data.csv")
    config = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(config.replace("table.csv", "data.csv"), encoding="utf-8")
    before = (tmp_path / "reproduce-output" / "cells.jsonl").read_bytes()
    assert "18 of 18 cells are finished" in call(*example[-1]).out
    assert (tmp_path / "reproduce-output" / "cells.jsonl").read_bytes() == before


def test_results_of_other_versions_are_told(call, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    experiment = load_experiment(str(tmp_path / "tiny.toml"))
    with Store(tmp_path / "runs") as store:
        for _, cell in experiment.cells():
            store.append(cell, "0.0+other", {"score": 1.0, "kkt": True, "seconds": 1.0})
    outcome = call("reproduce", "tiny.toml", "-o", "runs", "--any-version")
    assert "8 of 8 cells are finished" in outcome.out
    assert outcome.err == (
        "toposwap: note: 8 of the cells are of other versions (0.0+other); --fresh runs them "
        "again\n"
    )


def test_bad_input_is_one_line(refused, tmp_path):
    assert "--list" in refused("reproduce")
    assert "linear-ev" in refused("reproduce", "nothing")
    assert "--methods" in refused("reproduce", "linear-ev", "--methods", "x")
    assert "no finished cells" in refused("reproduce", "--results", "r.md", "-o", "none")
    (tmp_path / "tiny.toml").write_text(TINY.replace("n = 100", "n = 100\nhubz = 1"))
    assert "(did you mean 'hubs'?)" in refused("reproduce", "tiny.toml")


def test_the_note_beside_the_bar():
    assert note_of(Progress(10)) == ""
    assert note_of(Progress(10, 5, 1, 30.0)) == "about 30 s left, 1 failed"
    assert note_of(Progress(10, 5, 0, 1800.0)) == "about 30 min left"
    assert note_of(Progress(10, 5, 0, 7200.0)) == "about 2.0 h left"
