"""``refine``, ``check``, ``simulate``, ``compare``, ``demo`` and the group itself."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

import toposwap
from toposwap import acyclicity, baselines, check_kkt, scores, search, simulate
from toposwap.cli.app import app
from toposwap.data import sample_table, sample_truth
from toposwap.io import read_table, read_weights
from toposwap.metrics import cpdag

COMMANDS = (
    "fit",
    "confidence",
    "effect",
    "refine",
    "check",
    "simulate",
    "compare",
    "demo",
    "reproduce",
)


# --- the group -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(call, command):
    long, short = call(command, "--help"), call(command, "-h")
    assert long == short
    assert (long.code, long.err) == (0, "")
    assert long.out.startswith(f"Usage: toposwap {command} ")


def test_the_help_lists_all_commands(call):
    assert set(app.commands) == set(COMMANDS)
    assert call() == call("--help") == call("-h")
    for command in COMMANDS:
        assert f"  {command} " in call().out


@pytest.mark.parametrize(
    ("command", "registry"),
    [
        ("fit", scores.SCORES),
        ("fit", search.SEARCHES),
        ("fit", acyclicity.ACYCLICITIES),
        ("fit", baselines.BASELINES),
        ("simulate", simulate.NOISES),
        ("simulate", simulate.MECHANISMS),
        ("simulate", simulate.GRAPH_KINDS),
    ],
)
def test_the_help_names_every_choice(call, command, registry):
    # A name with hyphens may be broken over two lines.
    words = "".join(call(command, "--help").out.split())
    assert [name for name in registry if name not in words] == []


def test_version(call):
    assert call("--version") == (0, f"toposwap {toposwap.__version__}\n", "")


# --- check ---------------------------------------------------------------------------------------


def test_a_solution_passes_its_check(call, sample):
    call("fit", sample, "-q", "-o", "s.weights.csv")
    outcome = call("check", sample, "s.weights.csv")
    assert (outcome.code, outcome.err) == (0, "")
    assert "satisfied: a KKT point" in outcome.out
    assert "chosen       bic: all 12 columns are continuous" in outcome.out
    assert "18 edges, a DAG" in outcome.out
    assert "worst pairs" not in outcome.out
    answer = json.loads(call("check", sample, "s.weights.csv", "--json").out)
    assert answer["score_name"] == "bic"
    assert answer["choices"][0].startswith("bic: ")
    squares = ("--score", "least-squares")
    call("fit", sample, "-q", "-o", "s.weights.csv", *squares)
    outcome = call("check", sample, "s.weights.csv", *squares)
    assert outcome.code == 0
    assert "satisfied: a local minimum" in outcome.out
    assert "66 edges, a DAG" in outcome.out


def test_what_fails_a_check_is_listed_by_name(call, sample, truth):
    outcome = call("check", sample, truth)
    assert (outcome.code, outcome.err) == (1, "")
    assert "NOT satisfied" in outcome.out
    certificate = check_kkt(read_weights(truth, NAMES), read_table(sample), score="auto")
    i, j = certificate.worst
    first = outcome.out.split("worst pairs")[1].splitlines()[2]
    assert first.startswith(f"{NAMES[i]} -> {NAMES[j]}")
    assert f"{certificate.max_residual:.1e}" in first
    assert call("check", sample, truth, "--tolerance", 0.1).code == 0


NAMES = list(read_table(sample_table()).columns)


def test_check_of_a_cycle_and_as_json(call, sample, tmp_path):
    text = "source,target,weight\nmildew,harvest,5\nharvest,mildew,5\n"
    (tmp_path / "w.csv").write_text(text)
    outcome = call("check", sample, "w.csv")
    assert outcome.code == 1
    assert "NOT a DAG" in outcome.out
    assert "lies on a cycle" in outcome.out
    outcome = call("check", sample, "w.csv", "--json")
    answer = json.loads(outcome.out)
    assert outcome.code == 1
    assert answer["acyclic"] is False
    assert answer["certificate"]["satisfied"] is False
    assert answer["worst"][0]["source"] in NAMES


# --- refine --------------------------------------------------------------------------------------


def test_refine_shows_before_and_after(call, sample, tmp_path):
    # Every arrow of the truth turned round.
    wrong = read_weights(sample_truth(), NAMES).T
    np.save(tmp_path / "w.npy", wrong.to_numpy())
    refine = ("refine", sample, "w.npy", "--restarts", 100)
    outcome = call(*refine, "-o", "better.csv")
    assert outcome.code == 0
    assert "far better transposed" in outcome.err
    last = outcome.out.split("\nscore ")[-1]
    before, after = (float(part.split()[0]) for part in last.split("->")[:2])
    assert after < before
    assert "NOT satisfied" in last
    assert "-> satisfied" in last
    record = json.loads(call(*refine, "--json").out)
    assert record["before"]["score"] == pytest.approx(before, rel=1e-5)
    assert record["before"]["certificate"]["satisfied"] is False
    assert record["certificate"]["satisfied"] is True
    found = read_weights(tmp_path / "better.csv", NAMES).to_numpy()
    # Which way round an edge goes that its class leaves open depends on where the search began.
    assert (cpdag(found) == cpdag(read_weights(sample_truth(), NAMES).to_numpy())).all()
    assert json.loads(call(*refine, "--json").out)["edges"] == record["edges"]


def test_blocks_of_parameters_are_refined_from_the_order_and_not_checked(
    call, refused, sample, tmp_path
):
    rng = np.random.default_rng(0)
    d = len(read_table(sample).columns)
    np.save(tmp_path / "w.npy", np.triu(rng.standard_normal((d, d)), 1))
    outcome = call("refine", sample, "w.npy", "--score", "basis")
    assert outcome.code == 0
    assert "(at their order) -> " in outcome.out
    before = json.loads(call("refine", sample, "w.npy", "--score", "basis", "--json").out)["before"]
    start = toposwap.Topo("basis", "none", init=range(d)).fit(read_table(sample))
    assert before == {"score": pytest.approx(start.score_), "certificate": None}
    line = refused("check", sample, "w.npy", "--score", "basis")
    assert "--score basis: an edge has a block of parameters, which weights do not" in line


def test_what_the_table_chooses_may_have_blocks_too(call, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=90), "colour": rng.choice(list("rgb"), 90)})
    table.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "graph.csv").write_text("source,target,weight\nsize,colour,1\n")
    done = call("check", "table.csv", "graph.csv")
    assert done.code == 2
    assert "--score blocks-bic: an edge has a block of parameters" in done.err


def test_refine_of_cycles(call, sample, tmp_path):
    (tmp_path / "w.csv").write_text("source,target\nmildew,harvest\nharvest,mildew\n")
    outcome = call("refine", sample, "w.csv")
    assert outcome.code == 0
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("toposwap: note: the weight matrix has cycles")
    assert "(with cycles) ->" in outcome.out


def test_refine_refusals(refused, sample, tmp_path):
    (tmp_path / "w.csv").write_text("source,target\nmildew,nope\n")
    assert "'w.csv' does not fit the data: 'nope'" in refused("refine", sample, "w.csv")
    assert "--init" in refused("refine", sample, "w.csv", "--init", "random")
    assert "would be overwritten" in refused("refine", sample, "w.csv", "-o", "w.csv")


# --- simulate and compare ------------------------------------------------------------------------


def test_simulated_files_are_the_library_s(call, tmp_path):
    options = ("--nodes", 6, "--rows", 50, "--graph", "SF1", "--noise", "gumbel", "--seed", 4)
    outcome = call("simulate", *options, "-o", "d.csv", "--truth", "t.csv")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "wrote d.csv: 50 rows x 6 columns"
    expected = simulate.linear_dataset(6, 50, "SF1", noise="gumbel", random_state=4)
    frame = read_table(tmp_path / "d.csv")
    np.testing.assert_array_equal(frame.to_numpy(), expected.X)
    weights = read_weights(tmp_path / "t.csv", list(frame.columns))
    np.testing.assert_array_equal(weights.to_numpy(), expected.weights)
    call("simulate", *options, "-o", "d.parquet")
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "d.parquet"), frame, check_column_type=False
    )


def test_simulated_nonlinear_files_are_the_library_s(call, tmp_path):
    options = ("--nodes", 6, "--rows", 50, "--graph", "ER2", "--mechanism", "gp-add", "--seed", 4)
    assert call("simulate", *options, "-o", "d.csv", "--truth", "t.csv").code == 0
    expected = simulate.nonlinear_dataset(6, 50, "ER2", mechanism="gp-add", random_state=4)
    frame = read_table(tmp_path / "d.csv")
    np.testing.assert_array_equal(frame.to_numpy(), expected.X)
    weights = read_weights(tmp_path / "t.csv", list(frame.columns))
    np.testing.assert_array_equal(weights.to_numpy(), expected.adjacency)


@pytest.mark.parametrize(("law", "weights"), [("logistic", (0.5, 2.0)), ("poisson", (0.1, 0.5))])
def test_simulated_counts_are_the_library_s(call, tmp_path, law, weights):
    options = ("--nodes", 6, "--rows", 50, "--graph", "ER2", "--mechanism", law, "--seed", 4)
    assert call("simulate", *options, "-o", "d.csv", "--truth", "t.csv").code == 0
    expected = simulate.discrete_dataset(6, 50, "ER2", law=law, weights=weights, random_state=4)
    frame = read_table(tmp_path / "d.csv")
    np.testing.assert_array_equal(frame.to_numpy(), expected.X)
    truth = read_weights(tmp_path / "t.csv", list(frame.columns))
    np.testing.assert_array_equal(truth.to_numpy(), expected.weights)


def test_simulate_refusals(refused):
    no_noise = ("--mechanism", "logistic", "--noise", "gumbel")
    assert "--noise: the mechanism 'logistic'" in refused("simulate", "-o", "d.csv", *no_noise)
    assert "--mechanism: 'nope'" in refused("simulate", "-o", "d.csv", "--mechanism", "nope")
    assert "kind is 'nope'" in refused("simulate", "-o", "d.csv", "--graph", "nope")
    assert "noise is 'nope'" in refused("simulate", "-o", "d.csv", "--noise", "nope")
    assert "at most 3" in refused("simulate", "-o", "d.csv", "--nodes", 3, "--graph", "ER4")
    assert "same file" in refused("simulate", "-o", "d.csv", "--truth", "./d.csv")
    assert "d.csv" in refused("simulate", "-o", "nowhere/d.csv")
    assert "--output" in refused("simulate")


@pytest.fixture
def two_graphs(tmp_path):
    """Truth a -> b -> c, d alone; estimate a -> b, c -> b, a -> d and a weak d -> c."""
    (tmp_path / "t.csv").write_text("a,b,c,d\n0,1,0,0\n0,0,1,0\n0,0,0,0\n0,0,0,0\n")
    (tmp_path / "e.csv").write_text("source,target,weight\na,b,1\nc,b,-1\na,d,1\nd,c,0.1\n")
    return tmp_path


def test_all_metrics_of_both_kinds(call, two_graphs):
    outcome = call("compare", "t.csv", "e.csv", "--threshold", 0.3, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    figures = json.loads(outcome.out)
    graph, classes = figures["graph"], figures["equivalence_class"]
    assert (graph["shd"], graph["extra"], graph["missing"], graph["reversed"]) == (2, 1, 0, 1)
    # The chain's class is undirected, that of the collider is not.
    assert (classes["shd"], classes["extra"], classes["reversed"]) == (3, 1, 2)
    assert json.loads(call("compare", "t.csv", "e.csv", "--json").out)["graph"]["extra"] == 2
    text = call("compare", "t.csv", "e.csv", "--threshold", 0.3).out
    assert "SHD: extra + missing + reversed       2                   3" in text
    for figure in graph:
        assert figure in figures["equivalence_class"]
    table, differences = text.split("\n\n", 1)
    assert len(table.splitlines()) == 2 + len(graph)
    assert differences.startswith("difference")


def test_two_lists_of_edges_are_compared_with_a_note(call, two_graphs):
    (two_graphs / "t2.csv").write_text("source,target\na,b\nb,c\n")
    outcome = call("compare", "t2.csv", "e.csv", "--json")
    assert outcome.err.startswith("toposwap: note: both files list edges")
    assert json.loads(outcome.out)["graph"]["shd"] == 3


def test_estimates_and_truths_with_cycles(call, refused, two_graphs):
    (two_graphs / "c.csv").write_text("source,target\na,b\nb,c\nc,a\n")
    outcome = call("compare", "t.csv", "c.csv", "--json")
    assert outcome.code == 0
    assert "has cycles" in outcome.err
    assert list(json.loads(outcome.out)) == ["graph"]
    assert "'c.csv' is no DAG" in refused("compare", "c.csv", "t.csv")


def test_compare_refusals(refused, two_graphs):
    (two_graphs / "z.csv").write_text("source,target\na,z\n")
    assert "'z' is not among" in refused("compare", "t.csv", "z.csv")
    (two_graphs / "m.csv").write_text("0,1\n0,0\n")
    assert "has no names" in refused("compare", "m.csv", "z.csv")
    assert "'none.csv' does not exist" in refused("compare", "none.csv", "t.csv")


# --- demo ----------------------------------------------------------------------------------------


def test_demo(call, tmp_path):
    outcome = call("demo")
    assert (outcome.code, outcome.err) == (0, "")
    folder = tmp_path / "demo-output"
    assert sorted(entry.name for entry in folder.iterdir()) == [
        "edges.csv",
        "graph.png",
        "report.html",
        "result.json",
    ]
    assert "wrote demo-output/graph.png" in outcome.out.replace("\\", "/")
    assert "satisfied: a KKT point" in outcome.out
    assert "bic: all 12 columns are continuous" in outcome.out
    assert "18 of 18 edges found, 0 extra, 0 reversed" in outcome.out


def test_demo_without_matplotlib_and_without_a_place(call, refused, tmp_path, monkeypatch):
    assert "cannot create the directory" in refused("demo", "-o", "a/b/c")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outcome = call("demo", "-o", "here")
    assert outcome.code == 0
    assert 'pip install "toposwap[plot]"' in outcome.err
    assert not (tmp_path / "here" / "graph.png").exists()
    assert (tmp_path / "here" / "edges.csv").exists()


def test_the_sample_is_what_its_description_says():
    frame = pd.read_csv(sample_table())
    assert frame.shape == (500, 12)
    weights = read_weights(sample_truth(), list(frame.columns)).to_numpy()
    noise = (frame - frame.mean()).to_numpy() @ (np.eye(12) - weights)
    np.testing.assert_allclose(noise.std(axis=0), 1.0, atol=0.1)
    # Not in causal order: some arrow points to the left.
    assert np.tril(weights, -1).any()
    np.testing.assert_array_equal(frame, frame.round(4))
