"""What the data say for an edge: against fitting from scratch, statsmodels, and all graphs."""

from itertools import product

import numpy as np
import pytest

import toposwap as ts
from toposwap.certainty.differences import differences
from toposwap.certainty.evidence import bound_of, rises_without, value_of_graph
from toposwap.core.graph import topological_order


def sample(d=4, n=150, seed=2):
    return ts.simulate.linear_dataset(d, n, "ER1", noise="gauss-NV", random_state=seed)


def bic(X, W, factor=2.0):
    """Q of a graph from ordinary regressions alone."""
    n, d = X.shape
    X = X - X.mean(axis=0)
    total = 0.0
    for j in range(d):
        parents = np.flatnonzero(W[:, j])
        left = X[:, j]
        if parents.size:
            left = left - X[:, parents] @ np.linalg.lstsq(X[:, parents], left, rcond=None)[0]
        total += 0.5 * np.log(left @ left) + factor * np.log(n) / (2 * n) * parents.size
    return total


def all_dags(d):
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    for way in product((0, 1, 2), repeat=len(pairs)):
        W = np.zeros((d, d), dtype=bool)
        for (i, j), k in zip(pairs, way, strict=True):
            W[i, j], W[j, i] = k == 1, k == 2
        if topological_order(W) is not None:
            yield W


@pytest.fixture(scope="module")
def fitted():
    X = sample().X
    model = ts.Topo("bic").fit(X)
    return X, model, ts.evidence(model, X)


def test_rises_are_those_of_the_best_of_all_graphs(fitted):
    X, model, frame = fitted
    scores = [(W, bic(X, W)) for W in all_dags(4)]
    best = min(value for _, value in scores)
    assert model.score_ == pytest.approx(best)
    assert len(frame) == np.count_nonzero(model.adjacency_matrix_)
    for row in frame.to_dict("records"):
        i, j = (int(row[end][1:]) for end in ("cause", "effect"))
        without = min(value for W, value in scores if not W[i, j])
        turned = min(value for W, value in scores if W[j, i])
        assert row["without_searched"] == pytest.approx(without - best, abs=1e-9)
        assert row["turned"] == pytest.approx(turned - best, abs=1e-9)
        assert row["without"] >= row["without_searched"] - 1e-9
        place = model.result_.order.positions
        here = min(
            value
            for W, value in scores
            if not W[i, j] and all(place[a] < place[b] for a, b in np.argwhere(W))
        )
        assert row["without"] == pytest.approx(here - best, abs=1e-9)
        # An open direction costs nothing to turn.
        assert (row["turned"] < 1e-9) == row["open"]


def test_standard_errors_are_those_of_ordinary_least_squares(fitted):
    regression = pytest.importorskip("statsmodels.api")
    X, model, frame = fitted
    for row in frame.to_dict("records"):
        i, j = (int(row[end][1:]) for end in ("cause", "effect"))
        parents = np.flatnonzero(model.adjacency_matrix_[:, j])
        done = regression.OLS(X[:, j], regression.add_constant(X[:, parents])).fit()
        place = 1 + int(np.flatnonzero(parents == i)[0])
        assert row["refitted"] == pytest.approx(done.params[place])
        assert row["standard_error"] == pytest.approx(done.bse[place])
        low, high = done.conf_int()[place]
        assert (row["low"], row["high"]) == pytest.approx((low, high))


def test_what_must_be_has_no_alternative():
    X = sample().X
    known = ts.Knowledge(required=["x0 -> x1"], forbidden=["x1 -> x0", "x3 -> x2"])
    model = ts.Topo("bic", knowledge=known).fit(X)
    frame = ts.evidence(model, X).set_index(["cause", "effect"])
    assert np.isnan(frame.loc[("x0", "x1"), "without"])
    assert np.isnan(frame.loc[("x0", "x1"), "turned"])


@pytest.mark.thorough
def test_least_squares_and_curves_have_evidence_too():
    X = sample(n=100).X
    model = ts.Topo("least-squares").fit(X)
    frame = ts.evidence(model, X)
    at_once = rises_without(model, ts.Dataset.from_table(X))
    for row in frame.to_dict("records"):
        i, j = (int(row[end][1:]) for end in ("cause", "effect"))
        assert at_once[i, j] == pytest.approx(row["without"])
    assert (frame["without"] > 0.0).all()
    assert (frame["without_searched"] <= frame["without"] + 1e-9).all()
    curves = ts.evidence(ts.Topo("basis").fit(X), X, search=False)
    assert curves["standard_error"].isna().all()


def test_another_table_is_refused(fitted):
    X, model, _ = fitted
    with pytest.raises(ts.InputError, match="other columns"):
        ts.evidence(model, X[:, :3])
    with pytest.raises(ts.InputError, match="not fitted"):
        ts.evidence(ts.Topo(), X)


def test_differences_cost_what_the_scores_differ_by(fitted):
    X, model, _ = fitted
    bound = bound_of(model, ts.Dataset.from_table(X))
    second = model.adjacency_matrix_ != 0.0
    assert value_of_graph(bound, second) == pytest.approx(bic(X, second))
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        order = rng.permutation(4)
        first = np.zeros((4, 4), dtype=bool)
        first[np.ix_(order, order)] = np.triu(rng.uniform(size=(4, 4)) < 0.5, 1)
        for one in differences(first, second, model.names_, bound):
            i, j = int(one.cause[1:]), int(one.effect[1:])
            other = second.copy()
            other[i, j], other[j, i] = first[i, j], first[j, i]
            seen.add(one.kind)
            if one.cost is None:
                assert topological_order(other) is None
            else:
                assert one.cost == pytest.approx(bic(X, other) - bic(X, second), abs=1e-9)
    assert seen == {"turned", "extra", "missing"}
    assert differences(second, second, model.names_, bound) == []
