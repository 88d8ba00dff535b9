"""What a column score_tests a node, against regressions one by one."""

import numpy as np
import pytest

from toposwap.scores.mlp.score_tests import ScoreTests


def columns(d=5, n=700, seed=0):
    return np.random.default_rng(seed).standard_normal((d, n))


def polynomials(x):
    """Of degrees 1 to 3, by Gram and Schmidt."""
    basis = [np.ones_like(x)]
    for degree in range(1, 4):
        p = x**degree
        for b in basis:
            p = p - (p @ b) / (b @ b) * b
        basis.append(p)
    return [p / np.sqrt(np.mean(p**2)) for p in basis[1:]]


def by_correlations(X, r, inputs, c):
    functions = polynomials(X[c])
    p, q, _ = functions
    for i in inputs:
        a, b, _ = polynomials(X[i])
        functions = [*functions, p * a, p * b, q * a]
    squares = [np.corrcoef(r, g)[0, 1] ** 2 for g in functions]
    return (r.size * sum(squares) - len(squares)) / np.sqrt(2.0 * len(squares))


@pytest.mark.parametrize("inputs", [[], [0], [1, 3]])
def test_the_sum_of_squared_correlations(inputs):
    X = 3.0 + 2.0 * columns()
    X[4] += X[1] * X[0]
    r = np.random.default_rng(1).standard_normal(700) + 0.3 * X[4]
    score_tests = ScoreTests(X)(r, np.array(inputs, dtype=int))
    wanted = [by_correlations(X, r, inputs, c) for c in range(5)]
    np.testing.assert_allclose(score_tests, wanted, rtol=1e-3, atol=1e-3)


def test_mean_and_variance_without_any_influence():
    rng = np.random.default_rng(2)
    X = columns(d=40, n=500)
    X[1] = np.exp(0.5 * X[1])  # skewed, and its products are not of unit variance
    asked = ScoreTests(X)
    drawn = np.array([asked(rng.standard_normal(500), np.array([0, 1])) for _ in range(100)])
    assert abs(drawn[:, 2:].mean()) < 0.1
    assert drawn[:, 2:].var() == pytest.approx(1.0, abs=0.2)


def test_influence_that_only_shows_together_with_an_input():
    X = columns()
    r = X[0] * (X[2] ** 2 - 1.0) + np.random.default_rng(3).standard_normal(700)
    alone, together = (ScoreTests(X)(r, np.array(s, dtype=int)) for s in ([], [0]))
    assert together[2] > 10.0 > alone[2]
    assert np.argmax(np.delete(together, 0)) == 1


def test_columns_of_few_values_promise_what_they_can():
    X = columns()
    X[1] = X[1] > 0.0
    X[2] = 7.0
    r = X[1] + 0.1 * X[3]
    score_tests = ScoreTests(X)(r, np.array([3]))
    assert np.isfinite(score_tests).all()
    assert np.argmax(score_tests) == 1
    assert score_tests[2] < 0.0


@pytest.mark.parametrize("n", [2, 3])
def test_fewer_rows_than_polynomials(n):
    score_tests = ScoreTests(columns(n=n))(np.arange(n, dtype=float), np.array([0]))
    assert np.isfinite(score_tests).all()
