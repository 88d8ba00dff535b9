"""The kernels against their formulas in double precision."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from toposwap.kernels.mlp import network, orthant
from toposwap.losses import LOSSES as REGISTERED
from toposwap.losses import ColumnLoss, LeastSquaresLoss
from toposwap.scores.mlp.loss import NodeLoss
from toposwap.scores.mlp.problem import Problem

LOSSES = [loss for loss in (make() for make in REGISTERED.values()) if isinstance(loss, ColumnLoss)]
OF_MOMENTS = [loss for loss in LOSSES if loss.from_moments]
SQUARES = LeastSquaresLoss()


def problem(seed, loss=SQUARES, activation=network.SIGMOID, *, bias=True, h=5, k=4, n=150):
    """A node with a few inputs and something to learn."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((k, n)) * rng.uniform(0.5, 3.0, (k, 1))
    y = 2.0 * np.tanh(X[0] + 0.5 * X[1]) + rng.standard_normal(n)
    if loss.discrete:
        y = (y > 0.3).astype(float)
    if bias:
        X = np.vstack([X, np.ones((1, n))])
    l1, decay, ridge = np.full(len(X), 0.01), np.full(len(X), 0.002), np.full(h + bias, 0.003)
    if bias:
        l1[-1] = decay[-1] = ridge[-1] = 0.0
    A = rng.standard_normal((h, len(X)))
    return Problem(X, y, l1, decay, ridge, h, NodeLoss(loss), activation), A


def single(p, A, v, *, careful=False, dtype=np.float32):
    """What the kernel says at A, with v as the point of departure for a loss of rows."""
    joint = p.loss.by_rows
    u = np.append(A.ravel(), v if joint else [])
    rows, n = p.ridge.size, p.y.size
    out_v, gradient = np.zeros(rows), np.zeros(u.size)
    value = network.evaluate(
        u,
        p.X.astype(dtype),
        p.y.astype(dtype),
        p.decay,
        p.ridge,
        p.loss.formula,
        p.activation,
        careful,
        np.empty((rows, n), dtype=dtype),
        np.empty(A.shape, dtype=dtype),
        np.empty(n, dtype=dtype),
        out_v,
        gradient,
    )
    return value, out_v, gradient


def fitted(p, A, v=None, max_iter=3000, tolerance=1e-6):
    joint = p.loss.by_rows
    v = np.zeros(p.ridge.size) if v is None else v.copy()
    u = np.append(A.ravel(), v if joint else [])
    l1 = np.append(np.tile(p.l1, p.hidden), np.zeros(v.size if joint else 0))
    value, _, _ = orthant.minimise(
        u,
        p.X.astype(np.float32),
        p.y.astype(np.float32),
        l1,
        p.decay,
        p.ridge,
        p.loss.formula,
        p.activation,
        False,
        p.hidden,
        v,
        True,
        max_iter,
        tolerance,
    )
    return value, u[: A.size].reshape(A.shape), v


@pytest.mark.parametrize(
    ("activation", "function"),
    [
        (network.SIGMOID, expit),
        (network.TANH, np.tanh),
        (network.RELU, lambda z: np.maximum(z, 0.0)),
    ],
)
def test_activations_are_accurate_everywhere(activation, function):
    z = np.concatenate([np.linspace(-200, 200, 40001), np.linspace(-1, 1, 999)])
    fast = z.astype(np.float32)[None]
    exact = function(fast.astype(float))
    network.activate(fast, activation)
    np.testing.assert_allclose(fast, exact, rtol=2e-6, atol=2e-6)
    assert np.isfinite(fast).all()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", [network.SIGMOID, network.TANH, network.RELU])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_single_precision_agrees_with_double(loss, activation, bias):
    p, A = problem(1, loss, activation, bias=bias)
    rng = np.random.default_rng(0)
    value, v, gradient = single(p, A, rng.standard_normal(p.ridge.size))
    by_a, by_v = p.smooth_gradient(A, v)
    assert value == pytest.approx(p.value(A, v) - np.abs(A).sum(axis=0) @ p.l1, rel=1e-5)
    np.testing.assert_allclose(gradient[: A.size].reshape(A.shape), by_a, atol=2e-4)
    if not loss.from_moments:
        np.testing.assert_allclose(gradient[A.size :], by_v, atol=2e-5)
    else:
        # The output weights are the best ones: variable projection.
        assert np.abs(by_v).max() < 1e-4


@pytest.mark.parametrize("loss", OF_MOMENTS, ids=repr)
def test_projected_output_weights_against_joint_optimisation(loss):
    p, A = problem(2, loss)
    v = single(p, A, None)[1]
    best = minimize(
        lambda w: p.value(A, w), np.zeros(v.size), jac=lambda w: p.smooth_gradient(A, w)[1]
    )
    np.testing.assert_allclose(v, best.x, atol=2e-3)
    assert p.value(A, v) <= best.fun * (1 + 1e-6)


@pytest.mark.parametrize("activation", [network.SIGMOID, network.TANH])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_derivatives_are_slopes(loss, activation):
    """Gradient and Hessian of the double-precision problem against differences."""
    p, A = problem(3, loss, activation)
    rng = np.random.default_rng(1)
    v = rng.standard_normal(p.ridge.size)
    size = A.size

    def gradient(u):
        return np.concatenate(
            [g.ravel() for g in p.smooth_gradient(u[:size].reshape(A.shape), u[size:])]
        )

    def smooth(u):
        B = u[:size].reshape(A.shape)
        return p.value(B, u[size:]) - np.abs(B).sum(axis=0) @ p.l1

    u = np.append(A.ravel(), v)
    g, H = gradient(u), p.hessian(A, v, np.ones(A.shape, dtype=bool))
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    for i in range(u.size):
        e = np.zeros(u.size)
        e[i] = 1e-5
        assert g[i] == pytest.approx((smooth(u + e) - smooth(u - e)) / 2e-5, abs=1e-8)
        np.testing.assert_allclose(H[i], (gradient(u + e) - gradient(u - e)) / 2e-5, atol=1e-7)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.thorough
def test_a_solution_is_no_worse_than_that_of_scipy(seed, loss):
    """The same start, the same objective with |A| as the sum of two positive parts."""
    p, A = problem(seed, loss)
    v = np.zeros(p.ridge.size)
    size = A.size

    def split(w):
        B = (w[:size] - w[size : 2 * size]).reshape(A.shape)
        by_a, by_v = p.smooth_gradient(B, w[2 * size :])
        l1 = np.tile(p.l1, p.hidden)
        both = np.abs(B).sum(axis=0) @ p.l1
        value = p.value(B, w[2 * size :]) - both + l1 @ (w[:size] + w[size : 2 * size])
        return value, np.concatenate([by_a.ravel() + l1, l1 - by_a.ravel(), by_v])

    start = np.concatenate([np.maximum(A.ravel(), 0), np.maximum(-A.ravel(), 0), v])
    bounds = [(0, None)] * (2 * size) + [(None, None)] * v.size
    other = minimize(split, start, jac=True, method="L-BFGS-B", bounds=bounds)
    value, first, output = fitted(p, A, v)
    assert value == pytest.approx(p.value(first, output), rel=1e-5)
    # Two local minima need not be the same one.
    assert value <= other.fun * 1.03


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_polishing_goes_down_to_a_stationary_point(loss):
    p, A = problem(4, loss)
    value, first, output = fitted(p, A)
    polished_first, polished_output, lowest = p.polish(first, output, 1e-10)
    assert lowest <= p.value(first, output)
    assert lowest == pytest.approx(value, rel=1e-3)
    assert max(np.abs(g).max() for g in p.pseudo_gradient(polished_first, polished_output)) <= 1e-10
    rng = np.random.default_rng(0)
    for size in (1e-6, 1e-4):
        step = rng.standard_normal(first.shape) * size
        near = p.value(
            polished_first + step, polished_output + size * rng.standard_normal(output.size)
        )
        assert near >= lowest


def test_units_that_are_nearly_alike_get_the_output_weights_of_double_precision():
    """Their difference is what counts, and sums in single precision would not see it."""
    p, A = problem(3, h=4, n=1000)
    A[1:] = A[0] + 1e-2 * A[1:]
    p = replace(p, ridge=np.append(np.full(4, 1e-7), 0.0))
    _, v, gradient = single(p, A, None, careful=True)
    units, _ = p.forward(A, np.zeros(5))
    S = np.vstack([units.value, np.ones(p.y.size)])
    exact = np.linalg.solve(S @ S.T / p.y.size + np.diag(p.ridge), S @ p.y / p.y.size)
    assert np.abs(exact).max() > 10.0
    np.testing.assert_allclose(v, exact, rtol=0.0, atol=1e-2 * np.abs(exact).max())
    by_a, _ = p.smooth_gradient(A, exact)
    np.testing.assert_allclose(gradient, by_a.ravel(), atol=2e-2 * np.abs(by_a).max())


@pytest.mark.parametrize("activation", [network.SIGMOID, network.TANH, network.RELU])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_in_double_precision_nothing_is_lost(loss, activation):
    p, A = problem(4, loss, activation)
    v = np.random.default_rng(4).standard_normal(p.ridge.size)
    A[0, 0] = 1000.0
    value, v, gradient = single(p, A, v, dtype=np.float64)
    l1 = float(np.abs(A).sum(axis=0) @ p.l1)
    assert value == pytest.approx(p.value(A, v) - l1, rel=1e-12)
    by_a, by_v = p.smooth_gradient(A, v)
    np.testing.assert_allclose(gradient[: A.size], by_a.ravel(), rtol=1e-6, atol=1e-9)
    if loss.name != "gaussian":
        np.testing.assert_allclose(
            by_v, gradient[A.size :] if gradient.size > A.size else 0.0, atol=1e-9
        )


def descended(p, A, *, stays_constant, max_iter=3000):
    first, output = A.copy(), np.zeros(p.ridge.size)
    value, _ = orthant.descend(
        first,
        output,
        p.X,
        p.y,
        p.l1,
        p.decay,
        p.ridge[0],
        p.intercept,
        stays_constant,
        p.loss.formula,
        p.activation,
        True,
        max_iter,
        1e-10,
    )
    return value, first, output


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_descent_ends_where_it_says(loss, bias):
    p, A = problem(0, loss, network.TANH, bias=bias)
    kinds = np.append(np.ones(len(p.X) - bias), np.zeros(int(bias)))
    outputs = np.append(np.ones(p.hidden), np.zeros(int(bias)))
    p = replace(p, l1=0.02 * kinds, decay=0.01 * kinds, ridge=0.01 * outputs)
    value, first, output = descended(p, A, stays_constant=loss.from_moments)
    assert value == pytest.approx(p.value(first, output), rel=1e-9)
    assert p.steepest(first, output) < 1e-3


def test_units_that_die_are_left_out_without_harm():
    p, A = problem(1, h=12)
    kinds, outputs = np.append(np.ones(4), 0.0), np.append(np.ones(12), 0.0)
    p = replace(p, l1=0.02 * kinds, decay=0.01 * kinds, ridge=0.01 * outputs)
    A[3:5, :4] = 0.0  # dead from the start
    value, first, output = descended(p, A, stays_constant=True)
    dead = ~first[:, :4].any(axis=1)
    assert 2 < dead.sum() < 12
    assert not output[:-1][dead].any()
    np.testing.assert_array_equal(first[3:5], A[3:5])
    whole, *_ = descended(p, A, stays_constant=False)
    assert value == pytest.approx(whole, rel=1e-3)


def test_a_network_without_inputs_keeps_a_unit():
    first = np.zeros((4, 3))
    assert orthant.living_units(first, 2, True).tolist() == [0]
    assert orthant.living_units(first, 2, False).tolist() == [0, 1, 2, 3]
    first[2, 1] = 1.0
    first[3, 2] = 1.0  # a bias
    assert orthant.living_units(first, 2, True).tolist() == [2]
