"""Weights in standard deviations, for every kind of model."""

from __future__ import annotations

import csv
import io

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import toposwap as ts
from toposwap.baselines import Notears
from toposwap.report import as_text, edge_table, write_result
from toposwap.report.graph import reported_graph, standardised_weights


@pytest.fixture(scope="module")
def table():
    """x0 -> x2 <- x1, x2 -> x3, in unrelated units."""
    X = np.random.default_rng(0).normal(size=(1000, 4))
    X[:, 2] += 0.5 * X[:, 0] + X[:, 1]
    X[:, 3] += 2.0 * X[:, 2]
    return pd.DataFrame(X * [1, 1, 1e3, 1e-3])


def test_lines_are_regressions_of_standardised_columns(table):
    model = ts.Topo("bic", random_state=0).fit(table)
    Z = (table - table.mean()) / table.std(ddof=0)
    weights = standardised_weights(model)
    for j in range(4):
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
    X = table.to_numpy() / [1, 1, 1e3, 1e-3]
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
