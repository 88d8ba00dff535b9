"""``toposwap reproduce``."""

from toposwap.cli.commands.reproduce import note_of
from toposwap.experiments import experiment_names
from toposwap.experiments.execution.run import Progress

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


def test_a_file_of_ones_own(call, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    options = ("reproduce", "tiny.toml", "-o", "runs")
    quick = call(*options, "--quick", "--methods", "random-topo")
    assert quick.code == 0
    assert "1 of 1 cells are finished" in quick.out
    whole = call(*options)
    assert "8 of 8 cells are finished" in whole.out
    # Nothing is left to do, so no worker is started.
    assert "4 of 4 cells are finished" in call(*options, "--seeds", "1").out


def test_bad_input_is_one_line(refused):
    assert "--list" in refused("reproduce")
    assert "linear-ev" in refused("reproduce", "nothing")
    assert "--methods" in refused("reproduce", "linear-ev", "--methods", "x")
    assert "no finished cells" in refused("reproduce", "--results", "r.md", "-o", "none")


def test_the_note_beside_the_bar():
    assert note_of(Progress(10)) == ""
    assert note_of(Progress(10, 5, 1, 30.0)) == "about 30 s left, 1 failed"
    assert note_of(Progress(10, 5, 0, 1800.0)) == "about 30 min left"
    assert note_of(Progress(10, 5, 0, 7200.0)) == "about 2.0 h left"
