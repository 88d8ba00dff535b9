"""The solutions of nodes against independent solvers: scipy, scikit-learn, statsmodels."""

import numpy as np
import pytest
from pairs import PAIRS, has_a_slope, name_of, problem
from scipy.optimize import minimize

from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.losses import HuberLoss
from toposwap.penalties import L1, MCP, NoPenalty, Ridge
from toposwap.scores import EqualVariance, LeastSquares, Penalized

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
        w, b = bound.coefficients(node, fit)
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
        w, b = bound.coefficients(node, bound.fit_node(node, allowed, None))
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
        w, b = bound.coefficients(node, bound.fit_node(node, allowed, None))
        other.fit(X[:, allowed], X[:, node])
        np.testing.assert_allclose(w[allowed], np.ravel(other.coef_), atol=1e-6)
        assert b == pytest.approx(np.ravel(other.intercept_)[0], abs=1e-6)


def l1_logistic(solver, weight, n, **options):
    """scikit-learn's, whose C multiplies the sum of the losses."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(
        l1_ratio=1.0, solver=solver, C=1 / (n * weight), tol=1e-12, max_iter=100_000, **options
    )


def test_l1_logistic_is_scikit_learns():
    bound, _ = problem(Penalized("logistic", L1(0.01)), 0, d=6)
    X = bound.data.rows
    for node in range(6):
        allowed = np.arange(6) != node
        w, b = bound.coefficients(node, bound.fit_node(node, allowed, None))
        other = l1_logistic("saga", 0.01, len(X), random_state=0).fit(X[:, allowed], X[:, node])
        np.testing.assert_allclose(w[allowed], other.coef_[0], atol=1e-6)
        assert b == pytest.approx(other.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("weight", [0.003, 0.03, 0.1])
def test_l1_logistic_is_liblinears(weight):
    """It penalises intercepts, so here the best one is zero: with (x, y) there is (-x, 1 - y)."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((300, 6)) @ rng.standard_normal((6, 6))
    y = (rng.random(300) < 1 / (1 + np.exp(-0.7 * Z[:, 0] + 0.4 * Z[:, 1]))).astype(float)
    X = np.column_stack([np.vstack([Z, -Z]), np.concatenate([y, 1 - y])])
    score = Penalized(["least-squares"] * 6 + ["logistic"], L1(weight))
    bound = score.bind(Dataset.from_table(X))
    fit = bound.fit_node(6, np.arange(7) < 6, None)
    w, b = bound.coefficients(6, fit)
    other = l1_logistic("liblinear", weight, len(X), fit_intercept=False, random_state=0)
    other.fit(X[:, :6], X[:, 6])
    np.testing.assert_allclose(w[:6], other.coef_[0], atol=1e-6)
    assert abs(b) < 1e-6
    assert fit.support[:6].tolist() == (other.coef_[0] != 0.0).tolist()


@pytest.mark.parametrize(
    ("loss", "family"),
    [("logistic", "Binomial"), ("poisson", "Poisson"), ("gaussian", "Gaussian")],
)
def test_without_a_penalty_it_is_statsmodels(loss, family):
    sm = pytest.importorskip("statsmodels.api")
    bound, _ = problem(Penalized(loss, "none"), 0, d=6)
    X = bound.data.rows
    for node in range(6):
        allowed = np.arange(6) != node
        w, b = bound.coefficients(node, bound.fit_node(node, allowed, None))
        model = sm.GLM(X[:, node], sm.add_constant(X[:, allowed]), getattr(sm.families, family)())
        found = model.fit(tol=1e-14, maxiter=200).params
        np.testing.assert_allclose(w[allowed], found[1:], atol=1e-6)
        assert b == pytest.approx(found[0], abs=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "poisson"])
def test_l1_is_statsmodels(loss):
    """Sequential quadratic programming on the coefficients and their absolute values."""
    sm = pytest.importorskip("statsmodels.api")
    weight = 0.02
    bound, _ = problem(Penalized(loss, L1(weight)), 1, d=5)
    X = bound.data.rows
    alpha = len(X) * np.array([0.0] + [weight] * 4)
    for node in range(5):
        allowed = np.arange(5) != node
        w, b = bound.coefficients(node, bound.fit_node(node, allowed, None))
        model = (sm.Logit if loss == "logistic" else sm.Poisson)(
            X[:, node], sm.add_constant(X[:, allowed])
        )
        found = model.fit_regularized(
            alpha=alpha, acc=1e-14, maxiter=2000, disp=0, trim_mode="off", qc_verbose=0
        ).params
        np.testing.assert_allclose(w[allowed], found[1:], atol=1e-6)
        assert b == pytest.approx(found[0], abs=1e-6)


@pytest.mark.parametrize("penalty", [L1(0.1), MCP(0.1, 4.0), Ridge(0.2), NoPenalty()], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_equal_variances_are_scipys(penalty, seed):
    """All nodes of an order at once, on the rows; from nearby, as Q is not convex."""
    score = EqualVariance(penalty)
    bound, rng = problem(score, seed)
    order = Order(rng.permutation(5))
    fit = bound.fit(order)
    W = fit.parameters()
    allowed = order.positions[:, None] < order.positions
    X = bound.data.rows - bound.data.rows.mean(axis=0)

    def objective(split):
        plus, minus = np.zeros((2, 5, 5))
        plus[allowed], minus[allowed] = np.split(split, 2)
        F = X @ (plus - minus)
        slope = (X.T @ score.loss.slope(X, F))[allowed]
        tiny = 1e-300
        value = score.loss.value(X, F) + penalty.value(plus) + penalty.value(minus)
        up = slope + penalty.slope(np.maximum(plus[allowed], tiny))
        down = -slope + penalty.slope(np.maximum(minus[allowed], tiny))
        return value, np.concatenate([up, down])

    start = W[allowed] + 1e-3 * rng.standard_normal(10)
    first = np.concatenate([np.maximum(start, 0.0), np.maximum(-start, 0.0)])
    options = {"ftol": 0.0, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 40_000, "maxcor": 30}
    for _ in range(3):
        end = minimize(
            objective,
            first,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * 20,
            options=options,
        )
        first = end.x
    plus, minus = np.split(end.x, 2)
    np.testing.assert_allclose(W[allowed], plus - minus, atol=1e-6)
    assert fit.value == pytest.approx(end.fun, rel=1e-10)


def test_without_a_penalty_equal_variances_order_as_least_squares_does():
    bound, rng = problem(EqualVariance("none"), 3, d=6)
    squares = LeastSquares().bind(bound.data)
    n, d = bound.data.n, 6
    for _ in range(10):
        order = Order(rng.permutation(d))
        fit, other = bound.fit(order), squares.fit(order)
        assert fit.value == pytest.approx(d / 2 * np.log(2 * n * other.value), rel=1e-12)
        np.testing.assert_allclose(fit.parameters(), other.parameters(), atol=1e-10)


@pytest.mark.parametrize("seed", [3, 8])
def test_the_intercept_is_the_best_also_where_a_node_is_given_up(seed):
    """Huber's loss of tiny residuals is nearly without curvature, and columns nearly agree."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(2, size=(167, 5)).cumsum(axis=1)
    X[:, 4] = X[:, 2] + X[:, 3] + 1e-4 * rng.normal(size=167)
    bound = Penalized(HuberLoss(0.001), MCP(1e-8, 10.0)).bind(Dataset.from_table(X))
    fit = bound.fit(Order(rng.permutation(5)))
    parameters = fit.parameters()
    assert fit.value == pytest.approx(bound.evaluate(parameters.weights).value, rel=1e-9)
