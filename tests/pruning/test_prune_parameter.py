"""Which edges `Topo` keeps."""

import numpy as np
import pytest
from fits import table
from toy_scores import NodewiseLasso

import toposwap as ts
import toposwap.report
from toposwap.core.errors import InputError
from toposwap.scores import SCORES


@pytest.mark.parametrize(
    ("prune", "at_least"),
    [(None, None), ("auto", 0.3), (0, 0.0), (0.05, 0.05), (1, 1.0), (np.float32(0.5), 0.5)],
)
def test_pruning_keeps_what_is_large_enough(prune, at_least):
    model = ts.Topo("least-squares", prune=prune).fit(table())
    W = model.weights_
    kept = W if at_least is None else np.where(np.abs(W) >= at_least, W, 0.0)
    np.testing.assert_array_equal(model.adjacency_matrix_, kept)
    assert model.threshold_ == at_least
    np.testing.assert_array_equal(W, ts.Topo("least-squares").fit(table()).weights_)
    if prune == "auto":
        assert 0 < np.count_nonzero(kept) < np.count_nonzero(W)


def test_the_threshold_itself_is_kept():
    W = ts.Topo("least-squares").fit(table()).weights_
    size = np.sort(np.abs(W[W != 0]))[3]
    model = ts.Topo("least-squares", prune=size).fit(table())
    assert np.count_nonzero(model.adjacency_matrix_) == np.count_nonzero(W) - 3


def test_a_score_that_selects_edges_is_not_pruned():
    model = ts.Topo(score=NodewiseLasso(0.1)).fit(table())
    assert model.threshold_ is None
    np.testing.assert_array_equal(model.adjacency_matrix_, model.weights_)
    assert ts.Topo(score=NodewiseLasso(0.1), prune=0.3).fit(table()).threshold_ == 0.3


@pytest.mark.parametrize("prune", ["yes", "0.3", -0.1, np.nan, np.inf, True, [0.3], 1j, {}])
def test_other_values_of_prune_are_refused(prune):
    with pytest.raises(InputError, match="prune: must be 'auto', 'bic', None or a number >= 0"):
        ts.Topo("least-squares", prune=prune).fit(table())


PRICED = [name for name, score in SCORES.items() if score().with_l0() is not None]


@pytest.mark.parametrize("name", PRICED)
def test_bic_goes_on_from_the_certified_order(name):
    X = np.random.default_rng(0).random((400, 6))
    X[:, 3] += X[:, 0] - X[:, 1]
    X[:, 4] += X[:, 3]
    X = {"logistic": X.mean(axis=0) < X, "poisson": np.round(3 * np.abs(X))}.get(
        name.split("-")[0], X
    )
    whole, model = (ts.Topo(name, random_state=0, prune=prune).fit(X) for prune in (None, "bic"))
    np.testing.assert_array_equal(model.weights_, whole.weights_)
    assert model.certificate_.satisfied
    assert model.threshold_ is None
    pruned = model.result_.pruned
    places = pruned.order.positions
    assert all(places[i] < places[j] for i, j in np.argwhere(model.adjacency_matrix_))
    assert model.causal_order_ == list(pruned.order)
    # Not above where it started from, and a place from which no insertion leads down.
    evaluated = SCORES[name]().with_l0()
    here, there = (
        ts.Topo(evaluated, "none", list(o)).fit(X) for o in (whole.result_.order, pruned.order)
    )
    assert there.score_ <= here.score_ + 1e-12
    on = ts.Topo(evaluated, init=list(pruned.order), n_restarts=0).fit(X)
    assert on.score_ == pytest.approx(there.score_, abs=1e-9)
    np.testing.assert_allclose(model.adjacency_matrix_, there.weights_, atol=1e-6)
    assert "BIC's L0 penalty" in ts.report.as_text(ts.report.report(model))


def test_a_price_per_edge_keeps_the_true_edges_whatever_their_size():
    sample = ts.simulate.linear_dataset(15, 2000, "ER2", random_state=3)
    noise = np.random.default_rng(3).standard_normal((2000, 15))
    weak = noise @ np.linalg.inv(np.eye(15) - 0.2 * sample.weights)
    by_size = ts.Topo("least-squares").fit(weak)
    by_price = ts.Topo("least-squares", prune="bic").fit(weak)
    truth = sample.weights != 0
    assert ts.metrics.shd(truth, by_price.adjacency_matrix_) <= 3
    assert ts.metrics.shd(truth, by_size.adjacency_matrix_) > 15


def test_directions_that_a_price_leaves_open_are_told():
    X = table()
    assert not ts.Topo("gaussian-mcp").fit(X).result_.equivalent
    assert ts.Topo("gaussian-mcp", prune="bic").fit(X).result_.equivalent
    assert not ts.Topo("least-squares", prune="bic").fit(X).result_.equivalent


@pytest.mark.parametrize("score", ["basis", ts.scores.MLP(hidden=2)])
def test_a_score_without_a_price_says_what_prunes_it(score):
    with pytest.raises(InputError, match=r"no L0 penalty .* rule of its own: prune='auto'"):
        ts.Topo(score, prune="bic").fit(table())


def test_no_price_for_a_score_of_ones_own():
    with pytest.raises(InputError, match="no L0 penalty goes with the score"):
        ts.Topo(NodewiseLasso(0.1), prune="bic").fit(table())
