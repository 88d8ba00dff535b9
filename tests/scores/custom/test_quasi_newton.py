"""The batched solver against references that know the answer."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der
from sklearn.linear_model import Lasso

from toposwap.scores.custom.quasi_newton import minimise


def regressions(rng, problems=3, n=40, p=6):
    """Least squares problems of unequal columns, and their f in a batch."""
    X = rng.standard_normal((problems, n, p)) * 10.0 ** rng.uniform(-1, 1, p)
    y = np.einsum("bnp,bp->bn", X, rng.standard_normal((problems, p))) + rng.standard_normal(
        (problems, n)
    )

    def smooth(x, which):
        r = np.einsum("bnp,bp->bn", X[which], x) - y[which]
        return 0.5 * np.mean(r * r, axis=1), np.einsum("bnp,bn->bp", X[which], r) / n

    return X, y, smooth


@examples(30)
@given(st.integers(0, 10_000))
def test_least_squares_on_the_free_variables(seed):
    rng = np.random.default_rng(seed)
    X, y, smooth = regressions(rng)
    free = rng.random((3, 6)) < 0.7
    begin = np.where(free, rng.standard_normal((3, 6)), 0.0)
    found = minimise(smooth, begin, free=free, unit=1.0 / X.std(axis=1), tolerance=1e-9)
    assert (found.residual <= 1e-9).all()
    for b in range(3):
        expected = np.zeros(6)
        expected[free[b]] = np.linalg.lstsq(X[b][:, free[b]], y[b])[0]
        np.testing.assert_allclose(found.x[b], expected, atol=1e-5, rtol=1e-6)


@examples(30)
@given(st.integers(0, 10_000), st.floats(0.01, 2.0))
def test_kinks_give_exact_zeros(seed, kink):
    rng = np.random.default_rng(seed)
    X, y, smooth = regressions(rng)
    begin = rng.standard_normal((3, 6))
    found = minimise(smooth, begin, kink=kink, unit=1.0 / X.std(axis=1), tolerance=1e-9)
    assert (found.residual <= 1e-9).all()
    for b in range(3):
        lasso = Lasso(alpha=kink, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X[b], y[b])
        np.testing.assert_allclose(found.x[b], lasso.coef_, atol=1e-5, rtol=1e-5)
        clear = np.abs(lasso.coef_) > 1e-4
        assert ((found.x[b] != 0.0) >= clear).all()
        value = 0.5 * np.mean((y[b] - X[b] @ found.x[b]) ** 2) + kink * np.abs(found.x[b]).sum()
        assert found.value[b] == pytest.approx(value, rel=1e-12)


def test_a_curved_valley():
    def smooth(x, which):
        return np.array([rosen(row) for row in x]), np.array([rosen_der(row) for row in x])

    begin = np.random.default_rng(0).standard_normal((4, 8))
    found = minimise(smooth, begin, tolerance=1e-10)
    assert (found.residual <= 1e-10).all()
    for b in range(4):
        reference = minimize(rosen, begin[b], jac=rosen_der, method="L-BFGS-B")
        assert found.value[b] <= reference.fun + 1e-8


def test_a_problem_does_not_notice_its_neighbours():
    rng = np.random.default_rng(1)
    X, _, smooth = regressions(rng, problems=4)
    begin, unit = rng.standard_normal((4, 6)), 1.0 / X.std(axis=1)
    together = minimise(smooth, begin, kink=0.1, unit=unit)
    for b in range(4):
        alone = minimise(
            lambda x, which, b=b: smooth(x, np.full(len(which), b)),
            begin[b : b + 1],
            kink=0.1,
            unit=unit[b : b + 1],
        )
        np.testing.assert_allclose(alone.x[0], together.x[b], rtol=1e-12)


def test_where_f_has_no_value_the_step_is_shortened():
    """f(x) = x - log x, which is not defined for x <= 0."""

    def smooth(x, which):
        with np.errstate(all="ignore"):
            return np.sum(x - np.log(x), axis=1), 1.0 - 1.0 / x

    found = minimise(smooth, np.array([[50.0, 0.01]]), tolerance=1e-10)
    np.testing.assert_allclose(found.x, 1.0, rtol=1e-8)


def test_it_stops_when_told_to_and_reports_what_it_reached():
    _, _, smooth = regressions(np.random.default_rng(2))
    begin = np.ones((3, 6))
    found = minimise(smooth, begin, tolerance=1e-12, max_iter=2)
    assert (found.residual > 1e-12).all()
    assert (found.value < smooth(begin, np.arange(3))[0]).all()
