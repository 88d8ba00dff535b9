"""What is open and what is strong: the same in tables, files and pictures."""

from __future__ import annotations

import csv
import io
import json
from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import toposwap as ts
from toposwap.baselines import Notears
from toposwap.report import as_text, edge_table, record_of, report, write_result
from toposwap.report.graph import open_directions, reported_graph, standardised_weights

NAMES = ["a", "b", "c", "d", "e", 'f "g"']


@pytest.fixture(scope="module")
def table():
    """a -> c <- b, c -> d, e -> f: all but the last follow from the v-structure at c."""
    X = np.random.default_rng(0).normal(size=(1000, 6))
    X[:, 2] += 0.5 * X[:, 0] + X[:, 1]
    X[:, 3] += 2.0 * X[:, 2]
    X[:, 5] -= X[:, 4]
    return pd.DataFrame(X * [1, 1, 1, 1e-3, 1e3, 1], columns=NAMES)


@pytest.fixture(scope="module")
def model(table):
    return ts.Topo("bic", random_state=0).fit(table)


@pytest.fixture
def written(model, tmp_path):
    """The text of a file with the model's graph, by its ending."""

    def write(suffix):
        write_result(tmp_path / f"g{suffix}", model, 1000)
        return (tmp_path / f"g{suffix}").read_text(encoding="utf-8")

    return write


def pair_of(edges):
    return {frozenset((edge.source, edge.target)) for edge in edges if edge.open}


def test_only_the_lone_edge_is_open(model):
    edges = reported_graph(model).edges()
    assert len(edges) == 4
    assert pair_of(edges) == {frozenset(("e", 'f "g"'))}


MIXED = ts.scores.Penalized(["gaussian", "logistic", "gaussian", "gaussian", "gaussian"], "bic")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("score", ["bic", MIXED], ids=["gaussian", "mixed"])
def test_an_open_edge_is_one_that_an_equally_likely_graph_has_the_other_way(score, seed):
    """Among all graphs of the Markov equivalence class, whose numbers of edges agree."""
    X = ts.simulate.linear_dataset(5, 200, "ER1", random_state=seed).X
    two_values = 1 if score is MIXED else None
    if two_values is not None:
        X[:, 1] = X[:, 1] > np.random.default_rng(seed).normal(size=200)
    model = ts.Topo(score, random_state=0).fit(X)
    graph = model.adjacency_matrix_ != 0
    best = loss_of(graph, X, two_values)
    either_way = graph.copy()
    for member in members(model.cpdag_):
        if abs(loss_of(member, X, two_values) - best) < 1e-8:
            either_way |= member
    np.testing.assert_array_equal(open_directions(model), graph & either_way.T)


def members(completed):
    """Every DAG of a class, by trying all directions of its undirected edges."""
    undirected = [(i, j) for i, j in np.argwhere(completed & completed.T) if i < j]
    for turned in product((False, True), repeat=len(undirected)):
        member = completed.copy()
        for (i, j), turn in zip(undirected, turned, strict=True):
            member[(i, j) if turn else (j, i)] = False
        acyclic = nx.is_directed_acyclic_graph(nx.DiGraph(member))
        if acyclic and (ts.metrics.cpdag(member) == completed).all():
            yield member


def loss_of(graph, X, two_values):
    """-1/n log-likelihood of a DAG, but for constants, by regression of columns on parents."""
    total = 0.0
    for j, y in enumerate(X.T):
        A = np.column_stack([np.ones(len(X)), X[:, graph[:, j]]])
        if j != two_values:
            rest = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
            total += 0.5 * np.log(rest @ rest)
            continue
        b = np.zeros(A.shape[1])
        for _ in range(30):
            p = 1 / (1 + np.exp(-A @ b))
            b += np.linalg.solve((A.T * (p * (1 - p))) @ A, A.T @ (y - p))
        total += np.mean(np.logaddexp(0.0, A @ b) - y * (A @ b))
    return total


def test_scores_that_tell_directions_apart_leave_none_open(table):
    assert not open_directions(ts.Topo("equal-variance-l0").fit(table)).any()
    assert not open_directions(ts.Topo("least-squares").fit(table)).any()
    assert not open_directions(ts.Topo("basis-bic").fit(table)).any()
    # What pruned leaves them open, whatever the certified score does.
    pruned = ts.Topo("gaussian-l1", prune="bic", random_state=0).fit(table)
    assert pair_of(reported_graph(pruned).edges()) == {frozenset(("e", 'f "g"'))}


# --- standardised weights ------------------------------------------------------------------------


def test_lines_are_regressions_of_standardised_columns(model, table):
    Z = (table - table.mean()) / table.std(ddof=0)
    weights = standardised_weights(model)
    for j in range(6):
        parents = np.flatnonzero(model.adjacency_matrix_[:, j])
        if parents.size:
            fitted = LinearRegression().fit(Z.iloc[:, parents], Z.iloc[:, j])
            np.testing.assert_allclose(weights[parents, j], fitted.coef_, rtol=1e-8)
    assert ((weights != 0) == (model.adjacency_matrix_ != 0)).all()


@pytest.mark.parametrize("score", ["bic", "basis-bic", "basis", "auto"])
def test_they_do_not_depend_on_units(score):
    """Least squares on curves gets the same order, which other units would change."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    X[:, 1] += np.sin(2.0 * X[:, 0])
    X[:, 2] += X[:, 1] + np.square(X[:, 0])
    parameters = {"score": score, "random_state": 0, "prune": None}
    units = np.array([1e-3, 1.0, 1e4])
    if score == "basis":
        parameters |= {"search": "none", "init": [0, 1, 2]}
    first = ts.Topo(**parameters).fit(X)
    second = ts.Topo(**parameters).fit(X * units)
    np.testing.assert_allclose(
        standardised_weights(first), standardised_weights(second), rtol=1e-4, atol=1e-6
    )


def test_curves_are_as_large_as_they_vary(table):
    """sd(f_ij(x_i)) over the rows, from predictions that differ in one parent only."""
    X = np.random.default_rng(4).normal(size=(400, 3))
    X[:, 2] += np.square(X[:, 0]) - X[:, 1]
    for score in ("basis-bic", "basis", "basis-mcp"):
        model = ts.Topo(score, search="none", init=[0, 1, 2]).fit(X)
        weights = standardised_weights(model)
        for i in (0, 1):
            rows = np.tile(X.mean(axis=0), (400, 1))
            rows[:, i] = X[:, i]
            curve = model.predict(rows)[:, 2]
            assert weights[i, 2] == pytest.approx(curve.std() / X[:, 2].std(), rel=1e-6)


def test_log_odds_and_log_means_are_per_deviation_of_the_cause():
    rng = np.random.default_rng(5)
    x = rng.normal(size=800) * 100.0
    odds = (rng.random(800) < 1 / (1 + np.exp(-x / 50.0))).astype(float)
    counts = rng.poisson(np.exp(x / 150.0)).astype(float)
    X = np.column_stack([x, odds, counts])
    score = ts.scores.Penalized(["gaussian", "logistic", "poisson"], "bic")
    model = ts.Topo(score, search="none", init=[0, 1, 2]).fit(X)
    weights = standardised_weights(model)
    np.testing.assert_allclose(weights[0, 1:], model.weights_[0, 1:] * x.std(), rtol=1e-12)
    assert (weights[0, 1:] != 0).all()


def test_networks_are_per_deviation_of_the_cause():
    X = np.random.default_rng(6).normal(size=(200, 2)) * [7.0, 1.0]
    X[:, 1] += np.square(X[:, 0] / 7.0)
    model = ts.Topo("mlp", prune=None, search="none", init=[0, 1], random_state=0).fit(X)
    expected = model.weights_[0, 1] * X[:, 0].std()
    assert standardised_weights(model)[0, 1] == pytest.approx(expected, rel=1e-9)


def test_a_baseline_has_them_too(table):
    X = table.to_numpy() / [1, 1, 1, 1e-3, 1e3, 1]
    fitted = Notears().fit(X)
    deviations = X.std(axis=0)
    expected = fitted.adjacency_matrix_ * deviations[:, None] / deviations
    np.testing.assert_allclose(standardised_weights(fitted), expected, rtol=1e-8)


def test_a_score_of_one_s_own_does_not_tell(tmp_path):
    X = ts.simulate.linear_dataset(3, 100, "ER1", random_state=1).X
    model = own_score_model(X)
    assert np.count_nonzero(model.adjacency_matrix_) > 0
    edges = reported_graph(model).edges()
    assert {edge.standardised for edge in edges} == {None}
    assert "standardised" not in as_text(edge_table(model))
    write_result(tmp_path / "g.csv", model)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "g.csv").read_text())))
    assert {row["standardised"] for row in rows} == {""}
    write_result(tmp_path / "g.gml", model)
    assert all("standardised" not in d for *_, d in nx.read_gml(tmp_path / "g.gml").edges.data())
    write_result(tmp_path / "g.dot", model)
    assert "standardised" not in (tmp_path / "g.dot").read_text()


def own_score_model(X):
    def q(W, X):
        residual = X - X @ W
        return 0.5 * np.square(residual).sum() / len(X), -X.T @ residual / len(X)

    score = ts.scores.Differentiable(q, np.zeros((3, 3)), backend="numpy")
    return ts.Topo(score, random_state=0).fit(X)


def test_the_order_is_that_of_the_standardised_weights_where_units_mean_nothing(model, table):
    sizes = [abs(edge.standardised) for edge in reported_graph(model).edges()]
    assert sizes == sorted(sizes, reverse=True)
    weights = [abs(edge.weight) for edge in reported_graph(model).edges()]
    assert weights != sorted(weights, reverse=True)
    squares = reported_graph(ts.Topo("least-squares").fit(table)).edges()
    weights = [abs(edge.weight) for edge in squares]
    assert weights == sorted(weights, reverse=True)


# --- the same in every format --------------------------------------------------------------------


def test_the_table(model):
    lines = as_text(edge_table(model)).splitlines()
    assert lines[0].split() == ["cause", "effect", "weight", "standardised", "direction"]
    marked = [line for line in lines[2:] if line.endswith(" open")]
    assert len(marked) == 1
    assert "e " in marked[0]
    assert 'f "g"' in marked[0]


def test_the_comma_separated_file(model, written):
    rows = list(csv.DictReader(io.StringIO(written(".csv"))))
    assert list(rows[0]) == ["source", "target", "weight", "standardised", "open"]
    for row, edge in zip(rows, reported_graph(model).edges(), strict=True):
        assert (row["source"], row["target"]) == (edge.source, edge.target)
        assert float(row["weight"]) == edge.weight
        assert float(row["standardised"]) == edge.standardised
        assert row["open"] == ("true" if edge.open else "false")
    assert pd.read_csv(io.StringIO(written(".csv")))["open"].dtype == bool


def test_json(model, written):
    read = json.loads(written(".json"))
    assert read["edges"] == [edge._asdict() for edge in reported_graph(model).edges()]
    assert read["edges"] == record_of(model)["edges"]
    assert len(read["open_directions"]) == 1
    assert set(read["open_directions"][0]) == {"e", 'f "g"'}
    assert read["penalty"] == {"name": "bic", "factor": 2.0}


def test_gml(model, written, tmp_path):
    text = written(".gml")
    assert text.count("open 1") == 1
    graph = nx.read_gml(tmp_path / "g.gml")
    assert set(graph) == set(NAMES)
    for edge in reported_graph(model).edges():
        attributes = graph.edges[edge.source, edge.target]
        assert attributes["weight"] == edge.weight
        assert attributes["standardised"] == edge.standardised
        assert bool(attributes["open"]) == edge.open


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dot(model, written):
    pydot = pytest.importorskip("pydot")
    (graph,) = pydot.graph_from_dot_data(written(".dot"))
    assert len(graph.get_nodes()) == len(NAMES)
    found = {}
    for edge in graph.get_edges():
        ends = (edge.get_source(), edge.get_destination())
        found[tuple(end[1:-1].replace('\\"', '"') for end in ends)] = edge.get_attributes()
    for edge in reported_graph(model).edges():
        attributes = found.pop((edge.source, edge.target))
        assert float(attributes["coefficient"].strip('"')) == edge.weight
        assert float(attributes["standardised"].strip('"')) == edge.standardised
        assert attributes.get("dir") == ("none" if edge.open else None)
    assert not found


def test_a_graph_without_edges_has_the_same_columns(tmp_path):
    X = np.random.default_rng(8).normal(size=(200, 2))
    model = ts.Topo("bic").fit(X)
    write_result(tmp_path / "g.csv", model)
    assert (tmp_path / "g.csv").read_text() == "source,target,weight,standardised,open\n"
    assert "directions" not in as_text(report(model))


# --- what the report claims ----------------------------------------------------------------------


def test_directions_are_claimed_under_the_model_s_assumptions_only(model):
    text = " ".join(as_text(report(model)).split())
    claim = "3 of 4 follow from the data if the model holds (linear effects, Gaussian noise, no "
    assert f"{claim}unmeasured common causes)" in text
    assert "fixed" not in text


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("bic", "bic, factor 2: twice Schwarz's penalty per edge, as in FLOP and Tetrad"),
        ("auto", "bic, factor 2: twice Schwarz's penalty per edge, as in FLOP and Tetrad"),
        (ts.scores.Auto(factor=1.0), "bic, factor 1: Schwarz's penalty per edge"),
        (
            ts.scores.Penalized("gaussian", ts.penalties.BIC(factor=1.0)),
            "bic, factor 1: Schwarz's penalty per edge",
        ),
        ("ebic", "ebic, factor 2, gamma 0.5: twice Schwarz's penalty per edge"),
        ("basis-bic", "bic, factor 1: Schwarz's penalty per coefficient of a curve"),
        ("gaussian-l1", "l1, weight 0.1"),
        ("least-squares", None),
        ("gaussian-none", None),
    ],
)
def test_what_an_edge_costs_is_said(table, score, words):
    X = table.to_numpy()[:, :2]
    text = as_text(report(ts.Topo(score, random_state=0).fit(X)), width=200)
    lines = [line for line in text.splitlines() if line.startswith("penalty")]
    if words is None:
        assert not lines
        return
    assert words in lines[0]
    assert ("--penalty 1" in lines[0]) == ("factor 2" in lines[0])
