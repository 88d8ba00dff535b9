"""Every loss with every penalty: derivatives, node solutions, prices, searches, certificates."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tables import suited_to

from toposwap.certificate import certify
from toposwap.dataset import Dataset
from toposwap.losses import LOSSES
from toposwap.order import Order
from toposwap.penalties import BIC, L1, MCP, NoPenalty, Ridge
from toposwap.scores import Penalized
from toposwap.search import SEARCHES, run

PENALTIES = (NoPenalty(), L1(0.03), MCP(0.05, 8.0), Ridge(0.05), BIC())
PAIRS = [Penalized(loss, penalty) for loss, penalty in product(LOSSES, PENALTIES)]
SHAPED = [score for score in PAIRS if not isinstance(score.penalty, BIC)]
EVERY = pytest.mark.parametrize("score", PAIRS, ids=lambda score: score.name)
SOLVED = pytest.mark.parametrize("score", SHAPED, ids=lambda score: score.name)
SOME = settings(max_examples=15)
seeds = st.integers(0, 1000)


def problem(score, seed, d=5):
    data = Dataset.from_table(suited_to(score, seed, d))
    return score.bind(data), np.random.default_rng(seed + 1)


def written_out(score, X, W, b):
    """Q from the rows and the formulas of the two parts."""
    data = Dataset.from_table(X)
    losses = score.loss.columns(data)
    loss = sum(losses[j].value(X[:, j], b[j] + X @ W[:, j]) for j in range(X.shape[1]))
    return loss + score.penalty.bind(*X.shape).value(W)


@SOLVED
@SOME
@given(seed=seeds)
def test_value_and_gradient(score, seed):
    """Against the rows, and against differences of the value."""
    bound, rng = problem(score, seed)
    d = bound.data.d
    W = rng.uniform(0.1, 0.4, (d, d)) * rng.choice([-1, 1], (d, d))
    np.fill_diagonal(W, 0.0)
    point = bound.evaluate(W)
    expected = written_out(score, bound.data.rows, W, bound.intercepts(W))
    assert point.value == pytest.approx(expected, rel=1e-10)
    assert point.penalty == pytest.approx(score.penalty.value(W))
    for i, j in rng.integers(d, size=(6, 2)):
        if i == j:
            continue
        step = np.zeros((d, d))
        step[i, j] = 1e-5
        slope = (bound.evaluate(W + step).value - bound.evaluate(W - step).value) / 2e-5
        size = point.row_scale[i] * point.column_scale[j]
        assert point.gradient[i, j] == pytest.approx(abs(slope), rel=1e-5, abs=1e-7 * size)


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


@SOLVED
@SOME
@given(seed=seeds)
def test_what_a_node_uses_and_wants(score, seed):
    """Other changes leave the solution as it is, exactly."""
    bound, rng = problem(score, seed)
    d = bound.data.d
    node = int(rng.integers(d))
    allowed = (rng.random(d) < 0.5) & (np.arange(d) != node)
    fit = bound.fit_node(node, allowed, None)
    for u in set(range(d)) - {node}:
        other = allowed.copy()
        other[u] = not allowed[u]
        matters = fit.uses[u] if allowed[u] else fit.wants[u]
        again = bound.fit_node(node, other, fit)
        if matters:
            assert (again.parameters[0] != fit.parameters[0]).any()
        else:
            assert again.value == pytest.approx(fit.value, rel=1e-12, abs=1e-14)
            np.testing.assert_allclose(again.parameters[0], fit.parameters[0], atol=1e-9)


@EVERY
@pytest.mark.parametrize("search", ["auto", "paper", "insertion"])
def test_searches_go_down_to_a_certified_point(score, search):
    for seed in range(2):
        bound, rng = problem(score, seed, d=6)
        fit = bound.fit(Order(rng.permutation(6)))
        history, status = run(SEARCHES[search](), fit, bound.data.names, rng=rng)
        values = [step.score for step in history]
        assert status == "converged"
        assert all(later < earlier for earlier, later in pairwise(values))
        point = bound.evaluate(fit.parameters())
        assert point.value == pytest.approx(fit.value, rel=1e-9)
        certificate = certify(point, convex=score.convex, tolerance=bound.tolerance)
        assert certificate.satisfied or search == "insertion", certificate
        assert certificate.kind == ("local minimum" if score.convex else "KKT point")


@EVERY
@SOME
@given(seed=seeds)
def test_the_certificate_notices_perturbations(score, seed):
    bound, rng = problem(score, seed)
    fit = bound.fit(Order(rng.permutation(5)))
    run(SEARCHES["auto"](), fit, bound.data.names, rng=rng)
    W = bound.evaluate(fit.parameters()).weights
    edges = np.argwhere(W)
    if len(edges):
        i, j = edges[rng.integers(len(edges))]
        moved = W.copy()
        moved[i, j] *= 1.001
        assert not certify(bound.evaluate(moved), convex=score.convex, tolerance=bound.tolerance)
        # Without the edge, a penalty that is not convex may have another stationary point.
        if score.penalty.convex:
            gone = W.copy()
            gone[i, j] = 0.0
            assert not certify(bound.evaluate(gone), convex=score.convex, tolerance=1e-8)
    # An absent edge that the order allows, a little present.
    free = np.argwhere((fit.order.positions[:, None] < fit.order.positions) & (W == 0.0))
    if len(free):
        i, j = free[rng.integers(len(free))]
        added = W.copy()
        added[i, j] = 1e-3
        assert not certify(bound.evaluate(added), convex=score.convex, tolerance=bound.tolerance)


@pytest.mark.parametrize("score", [s for s in PAIRS if s.convex], ids=lambda score: score.name)
def test_brute_force_over_orders(score):
    for seed in range(3):
        bound, rng = problem(score, seed, d=4)
        best = min(bound.fit(Order(order)).value for order in permutations(range(4)))
        fit = bound.fit(Order(rng.permutation(4)))
        run(SEARCHES["exact"](), fit, bound.data.names, rng=rng)
        assert fit.value == pytest.approx(best, rel=1e-9)


@EVERY
@SOME
@given(seed=seeds)
def test_moves_cost_what_they_were_priced_at(score, seed):
    bound, rng = problem(score, seed, d=6)
    fit = bound.fit(Order(rng.permutation(6)))
    for _ in range(5):
        before = fit.value
        v = int(rng.integers(6))
        profile = fit.insertion_profile(v)
        k = int(profile.argmin())
        if profile[k] < 0.0:
            fit.insert(v, k)
            assert fit.value == pytest.approx(before + profile[k], rel=1e-10)
            continue
        pairs = fit.all_pairs()
        changes = fit.swap_changes(pairs)
        best = int(changes.argmin())
        if changes[best] < 0.0:
            fit.swap(*pairs[best].tolist())
            assert fit.value == pytest.approx(before + changes[best], rel=1e-10)


@EVERY
def test_snapshots_bring_everything_back(score):
    bound, rng = problem(score, 0, d=6)
    fit = bound.fit(Order(rng.permutation(6)))
    order, value, W = fit.order, fit.value, fit.point().weights.copy()
    snapshot = fit.snapshot()
    for _ in range(4):
        fit.insert(int(rng.integers(6)), int(rng.integers(6)))
    fit.restore(snapshot)
    assert fit.order == order
    assert fit.value == value
    np.testing.assert_array_equal(fit.point().weights, W)
