"""The compiled solvers of penalised nodes against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import binary_table, weights

from toposwap.kernels.penalized.coordinate_descent import (
    cholesky_solve,
    coordinate_minimum,
    penalty_value,
    solve_quadratic,
    stationarity,
)
from toposwap.kernels.penalized.glm_node import LOGISTIC, POISSON, solve_glm
from toposwap.kernels.penalized.patterns import pattern_sums, spread_residuals
from toposwap.scores.penalized.binary_patterns import PatternSolver

SHAPES = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.3, 0.4, 0.0), (0.0, 0.0, 0.5), (0.2, 0.1, 0.3)]
seeds = st.integers(0, 1000)


@given(seed=seeds, m=st.integers(1, 8))
def test_cholesky_solve(seed, m):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((m, m + 2))
    A, b = root @ root.T, rng.standard_normal(m)
    x = b.copy()
    assert 0.0 < cholesky_solve(A.copy(), x, m) <= 1.0
    np.testing.assert_allclose(A @ x, b, atol=1e-8)
    A[0, 0] = -1.0
    x = b.copy()
    assert cholesky_solve(A, x, m) == 0.0
    np.testing.assert_array_equal(x, b)


@pytest.mark.parametrize("shape", SHAPES)
@given(z=st.floats(-2.0, 2.0), curvature=st.floats(0.05, 3.0))
def test_one_coordinate_against_a_grid(shape, z, curvature):
    kink, concavity, ridge = shape
    grid = np.linspace(-50.0, 50.0, 20_001)

    def objective(w):
        size = np.minimum(np.abs(w), kink / concavity if concavity else np.inf)
        penalty = kink * size - 0.5 * concavity * size**2 + 0.5 * ridge * w**2
        return 0.5 * curvature * w**2 - z * w + penalty

    w = coordinate_minimum(z, curvature + ridge, kink, concavity)
    assert objective(w) <= objective(grid).min() + 1e-9


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=seeds)
def test_quadratics_end_stationary_and_lower(shape, seed):
    rng = np.random.default_rng(seed)
    m = 6
    root = rng.standard_normal((m, 9))
    H, q = root @ root.T / 9, rng.standard_normal(m)
    start = rng.standard_normal(m)
    each = [np.full(m, number) for number in shape]

    def objective(w):
        penalty = sum(penalty_value(x, *shape) for x in w)
        return 0.5 * w @ H @ w - q @ w + penalty

    w = start.copy()
    assert solve_quadratic(H, q, w, *each, np.full(m, 1e-10))
    assert objective(w) <= objective(start) + 1e-12
    gradient = H @ w - q
    assert max(stationarity(w[u], gradient[u], *shape) for u in range(m)) <= 1e-9
    if shape[0] == 0.0:
        np.testing.assert_allclose(w, np.linalg.solve(H + shape[2] * np.eye(m), q), atol=1e-7)


@given(seed=seeds)
def test_patterns_are_counted(seed):
    rng = np.random.default_rng(seed)
    bits = rng.integers(2, size=(4, 50)).astype(np.uint8)
    omega, y = rng.random((2, 50))
    codes = np.empty(50, dtype=np.int64)
    some = np.array([2, 0])
    mass, total = pattern_sums(bits, omega, y, some, codes)
    expected = bits[2] + 2 * bits[0]
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_allclose(mass, np.bincount(expected, omega, 4))
    np.testing.assert_allclose(total, np.bincount(expected, omega * y, 4))
    residual, mu = np.empty(50), rng.random(4)
    spread_residuals(omega, y, codes, mu, residual)
    np.testing.assert_allclose(residual, omega * (mu[expected] - y))


@pytest.mark.parametrize("kind", [LOGISTIC, POISSON])
@pytest.mark.parametrize("shape", [(0.02, 0.0, 0.0), (0.02, 0.01, 0.0), (0.02, 0.0, 0.1)])
def test_patterns_solve_what_rows_solve(kind, shape):
    X = binary_table(3, 6)
    targets = np.ascontiguousarray(X.T)
    if kind == POISSON:
        rng = np.random.default_rng(0)
        targets[0] = rng.poisson(np.exp(0.3 * X @ weights(rng, 6)[:, -1]))
    n = len(X)
    omega = np.full(n, 1.0 / n)
    mean, scale = targets.mean(axis=1), np.ones(6)
    Z = targets - mean[:, None]
    deviations = Z.std(axis=1)
    each = [np.full(6, number) for number in shape]
    allowed = np.arange(6) != 0
    ends = []
    for solve in ("patterns", "rows"):
        w, gradient, size = np.zeros(6), np.empty(6), np.empty(6)
        if solve == "patterns":
            solver = PatternSolver(Z, omega, targets, targets, mean, scale, deviations)
            b, loss, done = solver.solve(0, kind, allowed, w, 0.0, *each, 1e-11, gradient, size)
        else:
            b, loss, done = solve_glm(
                Z,
                omega,
                targets[0],
                kind,
                deviations,
                allowed,
                w,
                0.0,
                *each,
                1e-11,
                gradient,
                size,
            )
        assert done
        ends.append(np.concatenate([w, [b, loss], gradient, size]))
    np.testing.assert_allclose(*ends, atol=1e-8)
