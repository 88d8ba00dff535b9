r"""Penalised quadratics: the small problem inside every node of a sparse score.

.. math:: \min_{w \in \mathbb R^m} \tfrac12 w^\top H w - q^\top w + \sum_u \rho_u(w_u), \qquad
          \rho_u'(w) = \operatorname{sign}(w) \max(\mathrm{kink}_u - \mathrm{concavity}_u |w|, 0)
          + \mathrm{ridge}_u w .

Sweeps over the coordinates find the signs, Newton steps on the non-zero coordinates then reach the
last digits, which sweeps alone need thousands of rounds for when columns are correlated. Neither
ever raises the objective. A concave penalty may have several stationary points; the one reached
depends on the start.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SWEEPS = 4
_NEWTON_STEPS = 6
_ROUNDS = 500


@kernel
def penalty_value(w: float, kink: float, concavity: float, ridge: float) -> float:
    """rho(w)."""
    size = abs(w)
    value = 0.5 * ridge * w * w
    if concavity > 0.0:
        size = min(size, kink / concavity)
    return value + kink * size - 0.5 * concavity * size * size


@kernel
def stationarity(w: float, gradient: float, kink: float, concavity: float, ridge: float) -> float:
    """Distance of zero from the subdifferential, given the gradient of the smooth part."""
    if w == 0.0:
        return max(abs(gradient) - kink, 0.0)
    slope = max(kink - concavity * abs(w), 0.0)
    return abs(gradient + math.copysign(slope, w) + ridge * w)


@kernel
def coordinate_minimum(z: float, curvature: float, kink: float, concavity: float) -> float:
    """argmin_w curvature/2 w^2 - z w + rho(w), the ridge being part of the curvature."""
    if curvature <= 0.0:
        return 0.0
    size = abs(z)
    if kink == 0.0:
        return z / curvature
    if concavity == 0.0:
        return math.copysign(max(size - kink, 0.0) / curvature, z)
    if curvature <= concavity:
        # Concave between zero and the end of the slope: one of the two sides wins.
        if z * z * concavity > kink * kink * curvature:
            return z / curvature
        return 0.0
    if size <= kink:
        return 0.0
    inner = (size - kink) / (curvature - concavity)
    if inner <= kink / concavity:
        return math.copysign(inner, z)
    return z / curvature


@kernel
def cholesky_solve(A: NDArray[np.float64], b: NDArray[np.float64], m: int) -> float:
    """Solve A x = b in place for the leading m rows; the least pivot over its diagonal entry.

    Where that is not positive A is not positive definite and ``b`` is left unsolved.
    """
    least = 1.0
    for i in range(m):
        diagonal = A[i, i]
        if not diagonal > 0.0:
            return 0.0
        for j in range(i + 1):
            total = A[i, j]
            for t in range(j):
                total -= A[i, t] * A[j, t]
            if j < i:
                A[i, j] = total / A[j, j]
            else:
                least = min(least, total / diagonal)
                if not total > 1e-14 * diagonal:
                    return 0.0
                A[i, i] = math.sqrt(total)
    for i in range(m):
        for t in range(i):
            b[i] -= A[i, t] * b[t]
        b[i] /= A[i, i]
    for i in range(m - 1, -1, -1):
        for t in range(i + 1, m):
            b[i] -= A[t, i] * b[t]
        b[i] /= A[i, i]
    return least


@kernel
def _objective(
    q: NDArray[np.float64],
    r: NDArray[np.float64],
    w: NDArray[np.float64],
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> float:
    """The objective where r = q - H w."""
    total = 0.0
    for u in range(w.size):
        total -= 0.5 * w[u] * (q[u] + r[u])
        total += penalty_value(w[u], kink[u], concavity[u], ridge[u])
    return total


@kernel
def _newton_step(
    H: NDArray[np.float64],
    q: NDArray[np.float64],
    w: NDArray[np.float64],
    r: NDArray[np.float64],
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> bool:
    """One step on the coordinates that are not held at zero, no sign changed; whether it helped."""
    m = w.size
    active = np.empty(m, dtype=np.int64)
    count = 0
    for u in range(m):
        if w[u] != 0.0 or kink[u] == 0.0:
            active[count] = u
            count += 1
    if count == 0:
        return False
    A = np.empty((count, count))
    step = np.empty(count)
    for a in range(count):
        u = active[a]
        for b in range(a + 1):
            A[a, b] = H[u, active[b]]
        A[a, a] += ridge[u]
        slope = kink[u] - concavity[u] * abs(w[u])
        step[a] = ridge[u] * w[u] - r[u]
        if slope > 0.0:
            A[a, a] -= concavity[u]
            step[a] += math.copysign(slope, w[u])
    if not cholesky_solve(A, step, count) > 0.0:
        return False
    length, first = 1.0, -1
    for a in range(count):
        u = active[a]
        if kink[u] > 0.0 and w[u] * (w[u] - length * step[a]) < 0.0:
            length = w[u] / step[a]
            first = u
    moved, left = w.copy(), r.copy()
    for a in range(count):
        u = active[a]
        moved[u] = 0.0 if u == first else w[u] - length * step[a]
        change = moved[u] - w[u]
        for t in range(m):
            left[t] -= change * H[u, t]
    before = _objective(q, r, w, kink, concavity, ridge)
    after = _objective(q, left, moved, kink, concavity, ridge)
    if not after <= before + 1e-14 * abs(before):
        return False
    w[:] = moved
    r[:] = left
    return True


@kernel
def solve_quadratic(
    H: NDArray[np.float64],
    q: NDArray[np.float64],
    w: NDArray[np.float64],
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
    tolerance: NDArray[np.float64],
) -> bool:
    """Minimise in place from ``w`` (m,) until each coordinate is stationary to ``tolerance`` (m,).

    ``H`` is (m, m), symmetric, positive semidefinite. Whether the tolerance was reached.
    """
    m = w.size
    r = q - H @ w
    for _ in range(_ROUNDS):
        for _ in range(_NEWTON_STEPS):
            if not _newton_step(H, q, w, r, kink, concavity, ridge):
                break
            if _stationary(w, r, kink, concavity, ridge, tolerance):
                break
        # Corrections accumulate rounding error: what decides is computed afresh.
        r[:] = q - H @ w
        if _stationary(w, r, kink, concavity, ridge, tolerance):
            return True
        moving = False
        for _ in range(_SWEEPS):
            for u in range(m):
                z = r[u] + H[u, u] * w[u]
                best = coordinate_minimum(z, H[u, u] + ridge[u], kink[u], concavity[u])
                change = best - w[u]
                if change != 0.0:
                    moving = moving or abs(change) > 1e-15 * abs(best)
                    w[u] = best
                    for t in range(m):
                        r[t] -= change * H[u, t]
        if not moving:
            return False
    return False


@kernel
def _stationary(
    w: NDArray[np.float64],
    r: NDArray[np.float64],
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
    tolerance: NDArray[np.float64],
) -> bool:
    for u in range(w.size):
        if stationarity(w[u], -r[u], kink[u], concavity[u], ridge[u]) > tolerance[u]:
            return False
    return True
