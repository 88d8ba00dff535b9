"""The compiled solvers of penalised nodes against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import DIFFERENT
from tables import binary_table, weights

from toposwap.kernels.penalized.coordinate_descent import ROUNDS, cholesky_solve, solve_quadratic
from toposwap.kernels.penalized.glm_node import MOST_STEPS, curvature_matrix, solve_glm
from toposwap.kernels.penalized.patterns import pattern_sums, spread_residuals
from toposwap.kernels.penalized.rho import stationarity
from toposwap.kernels.penalized.sweeps import sweep_with
from toposwap.losses import LOSSES, RowLoss
from toposwap.penalties import ProximalPenalty
from toposwap.scores.penalized.binary_patterns import PatternSolver

PROXIMAL = pytest.mark.parametrize(
    "penalty", [p for p in DIFFERENT if isinstance(p, ProximalPenalty)], ids=repr
)
OF_ROWS = [loss for loss in (make() for make in LOSSES.values()) if isinstance(loss, RowLoss)]
scales = st.sampled_from([0.25, 1.0, 3.0])
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


@PROXIMAL
@given(z=st.floats(-2.0, 2.0), curvature=st.floats(0.05, 3.0), s=scales, v=scales)
def test_one_coordinate_in_any_unit(penalty, z, curvature, s, v):
    """argmin of curvature/2 w^2 - z w + v rho(s w): no other point is lower."""

    def objective(w):
        return 0.5 * curvature * w**2 - z * w + v * penalty.value(np.array([s * w]))

    def swept(unit):
        rho, w = penalty.rho(), np.zeros(1)
        numbers = (rho.a, rho.b, rho.c)
        sweep = sweep_with(penalty.step)
        sweep(
            np.array([[curvature]]), w, np.array([z]), *numbers, np.array([unit]), np.array([v]), 1
        )
        return w[0]

    w = swept(s)
    others = np.linspace(-1.1, 1.1, 201) * abs(z) / curvature
    assert objective(w) <= min(map(objective, others)) + 1e-12
    assert swept(0.0) == z / curvature


@PROXIMAL
@given(seed=seeds)
def test_quadratics_end_stationary_and_lower(penalty, seed):
    rng = np.random.default_rng(seed)
    m = 6
    root = rng.standard_normal((m, 9))
    H, q = root @ root.T / 9, rng.standard_normal(m)
    start = rng.standard_normal(m)
    s, v = 2.0 ** rng.integers(-2, 3, m), rng.choice([0.25, 0.5], m)
    s[-1] = 0.0  # an intercept, which bears no penalty

    def objective(w):
        return 0.5 * w @ H @ w - q @ w + sum(v[u] * penalty.value(s[u] * w[u]) for u in range(m))

    w = start.copy()
    rho = penalty.rho()
    assert solve_quadratic(H, q, w, rho, s, v, np.full(m, 1e-10), ROUNDS)
    assert objective(w) <= objective(start) + 1e-12
    gradient = H @ w - q
    assert max(stationarity(w[u], gradient[u], rho, s[u], v[u]) for u in range(m)) <= 1e-9
    if not penalty.by_size:
        np.testing.assert_allclose(w, np.linalg.solve(H, q), atol=1e-7)


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


@pytest.mark.parametrize("loss", [loss for loss in OF_ROWS if loss.canonical], ids=repr)
@pytest.mark.parametrize("penalty", [p for p in DIFFERENT if 0.0 < p.threshold < np.inf], ids=repr)
@pytest.mark.parametrize("intercept", [True, False])
def test_patterns_solve_what_rows_solve(loss, penalty, intercept):
    X = binary_table(3, 6)
    targets = np.ascontiguousarray(X.T)
    if loss.name == "poisson":
        rng = np.random.default_rng(0)
        targets[0] = rng.poisson(np.exp(0.3 * X @ weights(rng, 6)[:, -1]))
    n = len(X)
    omega = np.full(n, 1.0 / n)
    mean, scale = targets.mean(axis=1) * intercept, np.ones(6)
    Z = targets - mean[:, None]
    deviations = np.sqrt(np.square(Z).mean(axis=1))
    terms, parameters = loss.terms.address, np.array(loss.parameters)
    rho, units = penalty.rho(), np.ones(6)
    allowed = np.arange(6) != 0
    ends = []
    for solve in ("patterns", "rows"):
        w, gradient, size = np.zeros(6), np.empty(6), np.empty(6)
        if solve == "patterns":
            solver = PatternSolver(
                Z, omega, targets, targets, mean, scale, deviations, intercept=intercept
            )
            b, value, done = solver.solve(
                0, terms, parameters, allowed, w, 0.0, rho, units, units, 1e-11, gradient, size
            )
        else:
            b, value, done, _ = solve_glm(
                Z,
                omega,
                targets[0],
                terms,
                parameters,
                deviations,
                allowed,
                w,
                0.0,
                rho,
                units,
                units,
                1e-11,
                gradient,
                size,
                intercept,
                0,
                MOST_STEPS,
                np.array([np.inf, np.inf, 0.0]),
            )
        assert done
        assert intercept or b == 0.0
        ends.append(np.concatenate([w, [b, value], gradient, size]))
    np.testing.assert_allclose(*ends, atol=1e-8)


def test_curvature_is_the_same_wherever_its_arrays_lie():
    """Compiled loops may take another way where two arrays are next to each other in memory."""
    rng = np.random.default_rng(0)
    Z, curvature = rng.normal(size=(8, 17)), rng.random(17)
    found, kept = set(), []
    for k in range(400):
        kept.append(np.empty(int(rng.integers(1, 600))))
        if k % 5 == 0:
            kept = kept[1::2]
        rows = Z.copy()
        found.add(curvature_matrix(rows, curvature.copy(), np.arange(8), 8).tobytes())
        if k % 3:
            kept.append(rows)
    assert len(found) == 1
