"""The solutions of nodes against independent solvers: scipy, scikit-learn, statsmodels."""

import numpy as np
import pytest
from pairs import PAIRS, has_a_slope, name_of, problem
from scipy.optimize import minimize

from toposwap.dataset import Dataset
from toposwap.order import Order
from toposwap.penalties import L1, Ridge
from toposwap.scores import EqualVariance, Penalized

SHAPED = [score for score in PAIRS if has_a_slope(score)]
SOLVED = pytest.mark.parametrize("score", SHAPED, ids=name_of)


def independent(score, X, node, allowed, start):
    """One node by scipy's L-BFGS-B on the rows, coefficients split into their two signs."""
    loss = score.loss.columns(Dataset.from_table(X))[node]
    Z, x = X[:, allowed], X[:, node]
    k = Z.shape[1]

    def objective(parameters):
        plus, minus, b = parameters[:k], parameters[k : 2 * k], parameters[-1]
        f = b + Z @ (plus - minus)
        tiny = np.full(k, 1e-300)
        slope = Z.T @ loss.slope(x, f)
        value = loss.value(x, f) + score.penalty.value(plus) + score.penalty.value(minus)
        gradient = [
            slope + score.penalty.slope(np.maximum(plus, tiny)),
            -slope + score.penalty.slope(np.maximum(minus, tiny)),
            [loss.slope(x, f).sum()],
        ]
        return value, np.concatenate(gradient)

    w, b = start
    first = np.concatenate([np.maximum(w, 0.0), np.maximum(-w, 0.0), [b]])
    bounds = [(0.0, None)] * (2 * k) + [(None, None)]
    options = {"ftol": 0.0, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 40_000, "maxcor": 30}
    # Its line search sometimes gives up early; from where it stopped it goes on.
    for _ in range(3):
        end = minimize(
            objective, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
        first = end.x
    return end.x[:k] - end.x[k : 2 * k], end.x[-1], end.fun


@SOLVED
@pytest.mark.parametrize("seed", range(4))
def test_node_solutions_are_scipys(score, seed):
    """From zero where there is one solution, from nearby where there may be several."""
    bound, rng = problem(score, seed)
    X, d = bound.data.rows, bound.data.d
    for node in range(d):
        allowed = (rng.random(d) < 0.8) & (np.arange(d) != node)
        fit = bound.fit_node(node, allowed, None)
        w, b = fit.parameters
        assert not w[~allowed].any()
        if score.convex:
            start = (np.zeros(np.count_nonzero(allowed)), 0.1)
        else:
            start = (w[allowed] + 1e-3 * rng.standard_normal(np.count_nonzero(allowed)), b)
        other, intercept, value = independent(score, X, node, allowed, start)
        size = X.std(axis=0)[allowed] / max(X[:, node].std(), 0.1)
        assert np.abs((other - w[allowed]) * size).max(initial=0.0) < 1e-6
        assert abs(intercept - b) < 1e-6 * (1.0 + np.abs(X[:, allowed]).mean(axis=0).sum())
        assert fit.value == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_lasso_is_scikit_learns():
    from sklearn.linear_model import Lasso

    bound, _ = problem(Penalized("least-squares", L1(0.1)), 0, d=8)
    X = bound.data.rows
    for node in range(8):
        allowed = np.arange(8) != node
        w, b = bound.fit_node(node, allowed, None).parameters
        other = Lasso(alpha=0.1, tol=1e-14, max_iter=100_000).fit(X[:, allowed], X[:, node])
        np.testing.assert_allclose(w[allowed], other.coef_, atol=1e-7)
        assert b == pytest.approx(other.intercept_, abs=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "poisson"])
def test_ridge_is_scikit_learns(loss):
    from sklearn.linear_model import LogisticRegression, PoissonRegressor

    weight = 0.02
    bound, _ = problem(Penalized(loss, Ridge(weight)), 0, d=6)
    X = bound.data.rows
    if loss == "logistic":
        other = LogisticRegression(C=1 / (len(X) * weight), tol=1e-12, max_iter=10_000)
    else:
        other = PoissonRegressor(alpha=weight, solver="newton-cholesky", tol=1e-12)
    for node in range(6):
        allowed = np.arange(6) != node
        w, b = bound.fit_node(node, allowed, None).parameters
        other.fit(X[:, allowed], X[:, node])
        np.testing.assert_allclose(w[allowed], np.ravel(other.coef_), atol=1e-6)
        assert b == pytest.approx(np.ravel(other.intercept_)[0], abs=1e-6)
