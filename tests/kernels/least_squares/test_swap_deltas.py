"""Swap deltas against refitting, from easy to nearly singular data."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.scores import LeastSquares


def exact_value(X, order):
    """1/(2n) sum of squared residuals, in extended precision by Gram-Schmidt done twice."""
    Q = np.array(X - X.mean(axis=0), dtype=np.longdouble)[:, list(order)]
    total = np.longdouble(0.0)
    for k in range(Q.shape[1]):
        for _ in range(2):
            for t in range(k):
                Q[:, k] -= (Q[:, t] @ Q[:, k]) / (Q[:, t] @ Q[:, t]) * Q[:, t]
        total += Q[:, k] @ Q[:, k]
    return float(total) / (2 * len(X))


def ill_conditioned(rng, n, d, condition):
    """Columns of comparable size with singular values spread over ``condition``."""
    U = np.linalg.qr(rng.standard_normal((n, d)))[0]
    V = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return (U - U.mean(axis=0)) * np.geomspace(1.0, 1.0 / condition, d) @ V.T * np.sqrt(n)


@given(st.integers(2, 8), st.integers(0, 2**32))
def test_every_swap_equals_refitting(d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3 * d, d)) @ rng.standard_normal((d, d))
    order = Order(rng.permutation(d))
    fit = LeastSquares().bind(Dataset.from_table(X)).fit(order)
    pairs = fit.all_pairs()
    now = exact_value(X, order)
    for (i, j), change in zip(pairs, fit.swap_changes(pairs), strict=True):
        then = exact_value(X, order.swap(i, j))
        assert change == pytest.approx(then - now, rel=1e-7, abs=1e-9 * now)


def test_only_what_is_asked_for_is_priced_and_in_any_direction():
    X = np.random.default_rng(0).standard_normal((50, 7))
    fit = LeastSquares().bind(Dataset.from_table(X)).fit(Order([3, 1, 4, 0, 5, 2, 6]))
    everything = {
        frozenset(p): c
        for p, c in zip(fit.all_pairs().tolist(), fit.swap_changes(fit.all_pairs()), strict=True)
    }
    asked = np.array([[2, 3], [1, 0], [6, 4]])
    np.testing.assert_allclose(
        fit.swap_changes(asked), [everything[frozenset(p)] for p in asked.tolist()], rtol=1e-12
    )
    assert fit.swap_changes(np.empty((0, 2), dtype=np.int64)).shape == (0,)


@pytest.mark.parametrize("condition", [1e3, 1e6, 1e9, 1e12])
def test_prices_on_ill_conditioned_data(condition):
    """Errors stay at the rounding error of the data: eps * condition of the smallest residuals."""
    rng = np.random.default_rng(0)
    d = 8
    X = ill_conditioned(rng, 200, d, condition)
    order = Order(rng.permutation(d))
    fit = LeastSquares().bind(Dataset.from_table(X)).fit(order)
    now = exact_value(X, order)
    pairs = fit.all_pairs()
    for (i, j), change in zip(pairs, fit.swap_changes(pairs), strict=True):
        then = exact_value(X, order.swap(i, j))
        assert change == pytest.approx(then - now, rel=1e-9, abs=1e-12 * (now + then))
    for v in range(d):
        for k, change in enumerate(fit.insertion_profile(v)):
            then = exact_value(X, order.insert(v, k))
            assert change == pytest.approx(then - now, rel=1e-9, abs=1e-12 * (now + then))


def test_small_residuals_of_ill_conditioned_data_keep_their_digits():
    """At condition 1e8 the last variable of an order has a residual of 1e-8: its price is right."""
    rng = np.random.default_rng(1)
    n, d = 300, 6
    X = rng.standard_normal((n, d))
    X[:, 5] = X[:, :5].sum(axis=1) + 1e-8 * rng.standard_normal(n)
    bound = LeastSquares().bind(Dataset.from_table(X))
    for last in range(d):
        order = Order([*(v for v in range(d) if v != last), last])
        fit = bound.fit(order)
        residual = 2.0 * (fit.value - exact_value(X, list(order)[:-1]))
        assert residual == pytest.approx(0.0, abs=1e-12)
        for i, j in combinations(range(d), 2):
            change = fit.swap_changes(np.array([[i, j]]))[0]
            truth = exact_value(X, order.swap(i, j)) - exact_value(X, order)
            assert change == pytest.approx(truth, rel=1e-7, abs=1e-13)
