"""Scores with an L0 penalty: BIC, and equal variances."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toposwap as ts
from toposwap import metrics, simulate
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.penalties import BIC, EBIC, L1
from toposwap.scores import EqualVariance, Penalized
from toposwap.search import AutoSearch


def likelihood(penalty="bic", max_parents=None):
    return Penalized("gaussian", penalty, max_parents)


BOTH = pytest.mark.parametrize("score", [likelihood(), EqualVariance()], ids=["bic", "pooled"])


def criterion(X, W, factor=2.0):
    """n sum_j log ||x_j - X w_j||^2 + factor log n * edges, written out."""
    X = X - X.mean(axis=0)
    n = len(X)
    left = X - X @ W
    return n * np.log((left**2).sum(axis=0)).sum() + factor * np.log(n) * np.count_nonzero(W)


def fitted(score, seed, d=8, n=200):
    rng = np.random.default_rng(seed)
    X = simulate.linear_dataset(d, n, "ER", 1.5, noise="gauss-NV", random_state=rng).X
    return score.bind(Dataset.from_table(X)).fit(Order(rng.permutation(d))), rng


@given(st.integers(0, 1000))
def test_bic_is_the_criterion(seed):
    fit, _ = fitted(likelihood(), seed)
    W = fit.parameters()
    n = fit.bound.data.n
    assert 2 * n * fit.value == pytest.approx(criterion(fit.bound.data.rows, W), rel=1e-9)
    assert fit.bound.evaluate(W).value == pytest.approx(fit.value, rel=1e-9)
    edges = fit.bound.weight * np.count_nonzero(W)
    assert fit.bound.evaluate(W).penalty == pytest.approx(edges)


def test_extended_bic_charges_for_the_number_of_columns():
    fit, _ = fitted(likelihood(EBIC(gamma=0.5)), 0)
    d, n = 8, 200
    assert fit.bound.weight == pytest.approx((2 * np.log(n) + 2 * np.log(d)) / (2 * n))


@given(st.integers(0, 1000))
def test_deltas_are_kept_by_the_moves(seed):
    """Solutions depend on where they came from, so a move must refit exactly as its delta did."""
    fit, rng = fitted(likelihood(), seed)
    for _ in range(4):
        v, k = (int(x) for x in rng.integers(8, size=2))
        profile = fit.insertion_profile(v)
        before = fit.value
        order = fit.order
        assert fit.order == order
        fit.insert(v, k)
        assert fit.order == order.insert(v, k)
        assert fit.value - before == pytest.approx(profile[k], abs=1e-10)
        W = fit.parameters()
        assert not W[fit.order.positions[:, None] >= fit.order.positions].any()


@BOTH
@given(seed=st.integers(0, 1000))
def test_a_snapshot_brings_everything_back(score, seed):
    fit, rng = fitted(score, seed)
    here, value, W = fit.snapshot(), fit.value, fit.parameters()
    for _ in range(3):
        fit.insert(*(int(x) for x in rng.integers(8, size=2)))
    fit.restore(here)
    assert fit.value == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(fit.parameters(), W, atol=1e-9)
    pairs = fit.swap_candidates()
    changes = fit.swap_changes(pairs)
    assert fit.value == pytest.approx(value, rel=1e-10)
    for (i, j), change in list(zip(pairs.tolist(), changes, strict=True))[:3]:
        fit.swap(i, j)
        assert fit.value - value == pytest.approx(change, abs=1e-9)
        fit.restore(here)


@BOTH
@given(seed=st.integers(0, 1000))
def test_no_single_edge_improves_a_fit(score, seed):
    fit, _ = fitted(score, seed, d=6)
    W = fit.parameters()
    positions = fit.order.positions
    # The pooled score is bounded by its tangent, which one edge leaves by at most so much.
    slack = 1e-9 if score.separable else fit.bound.weight**2 / 6
    for z in range(6):
        for u in np.flatnonzero(positions < positions[z]):
            support = W[:, z] != 0.0
            support[u] = not support[u]
            changed = W.copy()
            changed[:, z] = 0.0
            X = fit.bound.data.rows - fit.bound.data.rows.mean(axis=0)
            if support.any():
                changed[support, z] = np.linalg.lstsq(X[:, support], X[:, z], rcond=None)[0]
            assert fit.bound.evaluate(changed).value >= fit.value - slack


def test_search_finds_the_best_of_all_small_graphs():
    """Every DAG on four nodes, by order and subset; the search with restarts reaches the best."""
    for seed in range(6):
        X = simulate.linear_dataset(4, 60, "ER1", noise="gauss-NV", random_state=seed).X
        X = X - X.mean(axis=0)
        n = len(X)

        def local(z, parents, X=X, n=n):
            left = X[:, z]
            if parents:
                P = X[:, parents]
                left = left - P @ np.linalg.lstsq(P, left, rcond=None)[0]
            return n * np.log(left @ left) + 2 * np.log(n) * len(parents)

        best = np.inf
        for order in permutations(range(4)):
            total = 0.0
            for k, z in enumerate(order):
                subsets = [list(s) for m in range(k + 1) for s in combinations(order[:k], m)]
                total += min(local(z, s) for s in subsets)
            best = min(best, total)
        for search in ("auto", "exact"):
            model = ts.Topo(score="bic", search=search, random_state=0).fit(X)
            assert 2 * n * model.score_ == pytest.approx(best, rel=1e-10)


def test_restarts_reach_the_proven_minimum():
    for seed in range(4):
        sample = simulate.linear_dataset(10, 200, "ER2", noise="gauss-NV", random_state=seed)
        exact = ts.Topo(score="bic", search="exact").fit(sample.X)
        local = ts.Topo(score="bic", random_state=0).fit(sample.X)
        assert exact.status_ == "global minimum"
        assert exact.certificate_.satisfied
        assert local.score_ == pytest.approx(exact.score_, rel=1e-10)


def test_bic_does_not_depend_on_units_and_reports_the_class():
    sample = simulate.linear_dataset(12, 500, "ER1", noise="gauss-NV", random_state=1)
    units = 10.0 ** np.random.default_rng(0).integers(-6, 7, 12)
    model = ts.Topo(score="bic", init="random", random_state=0).fit(sample.X)
    rescaled = ts.Topo(score="bic", init="random", random_state=0).fit(sample.X * units)
    np.testing.assert_array_equal(model.cpdag_, rescaled.cpdag_)
    np.testing.assert_allclose(
        rescaled.weights_, model.weights_ / units[:, None] * units, rtol=1e-6, atol=1e-12
    )
    np.testing.assert_array_equal(model.cpdag_, metrics.cpdag(model.weights_))
    assert model.threshold_ is None
    assert model.certificate_.satisfied
    assert model.certificate_.kind == "KKT point"
    assert model.loss_ < model.score_


@pytest.mark.parametrize(
    ("name", "noise"), [("bic", "gauss-NV"), ("equal-variance-l0", "gauss-EV")]
)
def test_graphs_are_recovered(name, noise):
    distances = []
    for seed in range(5):
        sample = simulate.linear_dataset(20, 1000, "ER2", noise=noise, random_state=seed)
        model = ts.Topo(score=name, init="random", random_state=seed).fit(sample.X)
        found = model.cpdag_ if name == "bic" else model.adjacency_matrix_
        distances.append(metrics.shd(sample.weights, found))
        scores = [step.score for step in model.history_]
        assert scores == sorted(scores, reverse=True)
        assert model.certificate_.satisfied
    assert np.mean(distances) <= 2.0


def test_restarts_lower_the_score_and_stop_in_time():
    X = simulate.linear_dataset(40, 300, "ER4", noise="gauss-NV", random_state=0).X
    start = Order(np.random.default_rng(5).permutation(40))
    values = [
        ts.Topo(score="bic", init=start, n_restarts=n, random_state=0).fit(X).score_
        for n in (0, 30)
    ]
    assert values[1] < values[0]
    stopped = ts.Topo(score="bic", init=start, n_restarts=10**9, time_budget=0.3, random_state=0)
    stopped.fit(X)
    assert stopped.status_ == "time limit"


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (AutoSearch(n_restarts=-1), "n_restarts: must be a whole number >= 0"),
        (AutoSearch(time_budget=-1.0), "time_budget: must be a number of seconds"),
    ],
)
def test_bad_restarts_are_refused(search, message):
    X = np.random.default_rng(0).standard_normal((20, 3))
    with pytest.raises(InputError, match=message):
        ts.Topo("least-squares", search=search).fit(X)


@BOTH
@pytest.mark.filterwarnings("ignore::toposwap.core.errors.ToposwapWarning")
def test_hard_tables(score):
    """Fewer rows than columns, equal columns, few parents allowed."""
    rng = np.random.default_rng(0)
    wide = ts.Topo(score=score, random_state=0).fit(rng.standard_normal((15, 30)))
    assert np.isfinite(wide.weights_).all()
    X = rng.standard_normal((100, 4))
    twins = np.column_stack([X, X[:, 0]])
    if score.separable:
        with pytest.raises(InputError, match="columns 'x0', 'x4' depend linearly"):
            ts.Topo(score=score).fit(twins)
    else:
        assert np.isfinite(ts.Topo(score=score, random_state=0).fit(twins).weights_).all()
    limited = likelihood(max_parents=1) if score.separable else EqualVariance(max_parents=1)
    sample = simulate.linear_dataset(10, 300, "ER2", random_state=0)
    model = ts.Topo(score=limited, random_state=0).fit(sample.X)
    assert (model.weights_ != 0.0).sum(axis=0).max() == 1


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (likelihood(max_parents=0), "max_parents: must be a whole number >= 1"),
        (EqualVariance(max_parents=1.5), "max_parents: must be a whole number >= 1"),
        (Penalized("gaussian", L1(0.1), 3), "max_parents: only a Gaussian loss"),
        (EqualVariance(L1(0.1), 3), "max_parents: only a Gaussian loss"),
    ],
)
def test_bad_settings_are_refused(score, message):
    data = Dataset.from_table(np.random.default_rng(0).standard_normal((20, 3)))
    with pytest.raises(InputError, match=message):
        score.bind(data)


def test_the_factor_is_adjustable():
    fit, _ = fitted(likelihood(BIC(factor=1.0)), 0)
    assert fit.bound.weight == pytest.approx(np.log(200) / 400)


@pytest.mark.filterwarnings("ignore::toposwap.core.errors.UnitsWarning")
def test_squares_in_large_units_of_columns_that_are_copies():
    """No edge pays or does not by rounding error, which would be taken and dropped for ever."""
    rng = np.random.default_rng(1)
    X = 1e60 * rng.normal(size=(100, 4)).cumsum(axis=1)
    X = np.column_stack([X, X[:, 1]])
    model = ts.Topo("least-squares-l0", n_restarts=50, init=rng.permutation(5)).fit(X)
    assert model.status_ == "global minimum"
    assert model.weights_[1, 4] or model.weights_[4, 1]


def test_squares_gain_nothing_from_rounding_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4)).cumsum(axis=1) * [1e60, 1e60, 1.0, 1.0]
    fit = Penalized("least-squares", "l0").bind(Dataset.from_table(X)).fit(Order([0, 1, 2, 3]))
    # The last two columns have nothing to gain beside the first, whose digits end far above them.
    changes = np.concatenate([fit.insertion_profile(v) for v in range(4)])
    assert not ((changes < 0.0) & (changes > -1e100)).any()
