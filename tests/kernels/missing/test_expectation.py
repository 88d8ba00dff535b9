"""The E-step against the textbook formula, row by row."""

import numpy as np
import pytest

from toposwap.kernels.missing.expectation import expectation
from toposwap.kernels.missing.regressions import regressions


def by_hand(rows, gaps, weights, precision):
    """Conditional means and covariances from the covariance itself, and sum w log |K_AA|."""
    covariance = np.linalg.inv(precision)
    filled, spread, total = rows.copy(), np.zeros_like(precision), 0.0
    for r, gap in enumerate(gaps):
        a, o = np.flatnonzero(gap), np.flatnonzero(~gap)
        if not a.size:
            continue
        across = covariance[np.ix_(a, o)] @ np.linalg.inv(covariance[np.ix_(o, o)])
        filled[r, a] = across @ rows[r, o]
        left = covariance[np.ix_(a, a)] - across @ covariance[np.ix_(o, a)]
        spread[np.ix_(a, a)] += weights[r] * left
        total += weights[r] * np.linalg.slogdet(precision[np.ix_(a, a)])[1]
    return filled, spread, total


@pytest.mark.parametrize("seed", range(4))
def test_expectations_are_those_of_the_textbook(seed):
    rng = np.random.default_rng(seed)
    n, d = 40, 5
    gaps = rng.random((n, d)) < 0.4
    gaps[gaps.all(axis=1), 0] = False
    patterns, of_row = np.unique(gaps, axis=0, return_inverse=True)
    gaps = gaps[np.argsort(of_row.ravel(), kind="stable")]
    rows, weights = rng.standard_normal((n, d)), rng.uniform(0.5, 2.0, n)
    A = rng.standard_normal((d, d))
    precision = A @ A.T + np.eye(d)
    starts = np.concatenate(([0], np.cumsum(np.bincount(of_row.ravel())))).astype(np.int64)
    columns = np.argsort(~patterns, axis=1, kind="stable").astype(np.int64)
    expected = by_hand(rows, gaps, weights, precision)
    spread, filled = np.zeros((d, d)), rows.copy()
    total = expectation(
        filled, starts, columns, patterns.sum(axis=1).astype(np.int64), weights, precision, spread
    )
    np.testing.assert_allclose(filled, expected[0], atol=1e-12)
    np.testing.assert_allclose(spread, expected[1], atol=1e-12)
    assert total == pytest.approx(expected[2], abs=1e-10)


def test_an_indefinite_precision_is_told():
    rows, spread = np.zeros((1, 2)), np.zeros((2, 2))
    ones = np.ones(1)
    precision = np.array([[1.0, 0.0], [0.0, -1.0]])
    starts, columns = np.array([0, 1]), np.array([[1, 0]])
    assert np.isnan(expectation(rows, starts, columns, np.array([1]), ones, precision, spread))


def test_regressions_are_least_squares():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 4)) @ rng.standard_normal((4, 4))
    covariance = X.T @ X / 50
    graph = np.triu(np.ones((4, 4), dtype=bool), 1)
    graph[0, 3] = False
    weights = np.zeros((4, 4))
    assert regressions(covariance, graph, weights)
    for j in range(4):
        parents = np.flatnonzero(graph[:, j])
        beta = np.linalg.lstsq(X[:, parents], X[:, j], rcond=None)[0]
        np.testing.assert_allclose(weights[parents, j], beta, atol=1e-10)
    assert (weights[~graph] == 0.0).all()
    graph = np.array([[False, True], [False, False]])
    assert not regressions(np.zeros((2, 2)), graph, np.zeros((2, 2)))
