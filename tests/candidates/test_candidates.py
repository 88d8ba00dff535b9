"""Y, FindParams and the random set against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_scores import NodewiseLasso

from toposwap import simulate
from toposwap.candidates import KKTCandidates, UniformCandidates, find_params, in_swap_set
from toposwap.candidates.kkt import XI, T
from toposwap.certificate import violations
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.scores import LeastSquares


@given(st.integers(0, 10_000), st.integers(0, 40))
def test_find_params_is_the_argmin_over_the_tables(seed, size):
    rng = np.random.default_rng(seed)
    h = rng.choice([0.0, 1e-9, 3e-7, 2e-5, 1e-3, 0.5], (6, 6))
    q = rng.choice([0.0, 1e-7, 3e-4, 0.1, 1.0, 50.0], (6, 6))
    tau, xi = find_params(h, q, size)
    assert tau in T
    assert xi in XI
    distance = {(t, x): abs(size - np.sum((h <= t) & (q > x))) for t in T for x in XI}
    assert distance[tau, xi] == min(distance.values())
    assert xi == max(x for (t, x), gap in distance.items() if gap == min(distance.values()))
    assert np.count_nonzero(in_swap_set(h, q, tau, xi)) == np.sum((h <= tau) & (q > xi))


def fitted(score, d=12, seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = simulate.linear_dataset(d, n, "ER2", random_state=rng).X
    return score.bind(Dataset.from_table(X)).fit(Order(rng.permutation(d))), rng


@pytest.mark.parametrize("size", [1, 10, 30, 66])
def test_dense_fits_give_the_size_asked_for(size):
    """Those with the lightest walks back, and only from later to earlier variables."""
    fit, rng = fitted(LeastSquares())
    survey = KKTCandidates().survey(fit, rng)
    pairs = survey.pairs(size)
    assert len(pairs) == size
    position = fit.order.positions
    assert (position[pairs[:, 0]] > position[pairs[:, 1]]).all()
    h = KKTCandidates().acyclicity.gradient(fit.point().weights)
    chosen = h[pairs[:, 0], pairs[:, 1]]
    later = position[:, None] > position
    assert chosen.max() <= np.sort(h[later])[size - 1]


def test_the_tables_alone_are_kept_to_on_demand():
    fit, rng = fitted(LeastSquares())
    survey = KKTCandidates(extend=False).survey(fit, rng)
    h = KKTCandidates().acyclicity.gradient(fit.point().weights)
    pairs = survey.pairs(30)
    assert (h[pairs[:, 0], pairs[:, 1]] <= max(T)).all()
    assert len(pairs) < 30


def test_units_do_not_matter():
    fit, rng = fitted(LeastSquares())
    X = fit.bound.data.rows
    scaled = LeastSquares().bind(Dataset.from_table(X * 1e-30)).fit(fit.order)
    for size in (5, 40):
        a, b = (KKTCandidates().survey(f, rng).pairs(size) for f in (fit, scaled))
        np.testing.assert_array_equal(a, b)


def test_violations_are_those_of_the_certificate():
    seen = 0
    for seed in range(10):
        fit, rng = fitted(NodewiseLasso(0.5), seed=seed)
        survey = KKTCandidates().survey(fit, rng)
        expected = violations(fit.point(), fit.bound.tolerance)
        assert {tuple(p) for p in survey.violations.tolist()} == {
            tuple(p) for p in expected.tolist()
        }
        seen += len(expected)
    assert seen > 0


def test_random_pairs_are_distinct_uniform_and_seeded():
    fit, _ = fitted(LeastSquares(), d=6)
    counts = np.zeros((6, 6))
    for seed in range(600):
        pairs = UniformCandidates().survey(fit, np.random.default_rng(seed)).pairs(5)
        assert len({frozenset(p) for p in pairs.tolist()}) == 5
        np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
    position = fit.order.positions
    later = position[:, None] > position
    assert not counts[~later].any()
    # 15 pairs, each in a third of 600 draws: 200 +- 4 standard deviations of 11.5.
    assert (np.abs(counts[later] - 200) < 46).all()
    a, b = (UniformCandidates().survey(fit, np.random.default_rng(1)).pairs(99) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    assert len(a) == 15
