r"""Penalised quadratics: the small problem inside every node of a sparse score.

.. math:: \min_{w \in \mathbb R^m} \tfrac12 w^\top H w - q^\top w + \sum_u \rho_u(w_u), \qquad
          \rho_u(w) = v_u\, \rho(s_u w)

with the penalty :math:`\rho` of :mod:`toposwap.kernels.penalized.rho`.

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
from toposwap.kernels.penalized.rho import Rho, rho_terms, stationarity
from toposwap.kernels.pointers import call_sweep

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SWEEPS = 40
_NEWTON_STEPS = 3
ROUNDS = 20


@kernel(inner=True)
def cholesky_solve(A: NDArray[np.float64], b: NDArray[np.float64], m: int) -> float:
    """Solve A x = b in place for the leading m rows; the least pivot over its diagonal entry.

    Only the upper triangle of A is read, and overwritten. Where the result is not positive, A is
    not positive definite and ``b`` is left unsolved. Every inner loop runs along a row, so that it
    is vectorised without changing the order of any sum.
    """
    least = 1.0
    diagonal = np.empty(m)
    for i in range(m):
        diagonal[i] = A[i, i]
    for j in range(m):
        pivot = A[j, j]
        least = min(least, pivot / diagonal[j])
        if not (diagonal[j] > 0.0 and pivot > 1e-14 * diagonal[j]):
            return 0.0
        root = 1.0 / math.sqrt(pivot)
        for t in range(j, m):
            A[j, t] *= root
        for i in range(j + 1, m):
            along = A[j, i]
            if along != 0.0:
                for t in range(i, m):
                    A[i, t] -= along * A[j, t]
    for i in range(m):
        b[i] /= A[i, i]
        for t in range(i + 1, m):
            b[t] -= b[i] * A[i, t]
    for i in range(m - 1, -1, -1):
        for t in range(i + 1, m):
            b[i] -= A[i, t] * b[t]
        b[i] /= A[i, i]
    return least


@kernel(inner=True)
def subtract_product(
    H: NDArray[np.float64],
    q: NDArray[np.float64],
    w: NDArray[np.float64],
    r: NDArray[np.float64],
) -> None:
    """Put q - H w into r; ``H`` is (m, m)."""
    np.dot(H, w, r)
    for t in range(w.size):
        r[t] = q[t] - r[t]


@kernel(inner=True, inlined=True)
def _objective(
    q: NDArray[np.float64],
    r: NDArray[np.float64],
    w: NDArray[np.float64],
    rho: Rho,
    s: NDArray[np.float64],
    v: NDArray[np.float64],
) -> float:
    """The objective where r = q - H w."""
    total = 0.0
    for u in range(w.size):
        if w[u] != 0.0:
            total -= 0.5 * w[u] * (q[u] + r[u])
            total += rho_terms(w[u], rho, s[u], v[u])[0]
    return total


@kernel(inner=True)
def _newton_step(
    H: NDArray[np.float64],
    q: NDArray[np.float64],
    w: NDArray[np.float64],
    r: NDArray[np.float64],
    rho: Rho,
    s: NDArray[np.float64],
    v: NDArray[np.float64],
) -> bool:
    """One step on the coordinates that are not held at zero, no sign changed; whether it helped."""
    m = w.size
    active = np.empty(m, dtype=np.int64)
    slope, bend = np.empty(m), np.empty(m)
    count = 0
    before = 0.0
    for u in range(m):
        if w[u] != 0.0 or v[u] * s[u] * rho.kink == 0.0:
            value, slope[count], bend[count] = rho_terms(w[u], rho, s[u], v[u])
            before -= 0.5 * w[u] * (q[u] + r[u])
            before += value
            slope[count] -= r[u]
            active[count] = u
            count += 1
    if count == 0:
        return False
    A = np.empty((count, count))
    step = np.empty(count)
    moved, left = np.empty(m), np.empty(m)
    better, better_left = np.empty(m), np.empty(m)
    # First with the curvature as it is. Where that is not positive definite, with the concave part
    # of the penalty replaced by its tangent, which always goes down; then ever further.
    for attempt in range(2):
        bent = attempt == 0
        for a in range(count):
            u = active[a]
            for b in range(a, count):
                A[a, b] = H[u, active[b]]
            A[a, a] += bend[a] if bent else max(bend[a], 0.0)
            step[a] = slope[a]
        if not cholesky_solve(A, step, count) > 0.0:
            continue
        improved = False
        projected = True
        length = 1.0
        while True:
            stride, first = length, -1
            for a in range(count):
                u = active[a]
                if s[u] * rho.kink > 0.0 and w[u] * (w[u] - stride * step[a]) < 0.0:
                    first = u
                    if not projected:
                        stride = w[u] / step[a]
            for t in range(m):
                moved[t] = w[t]
                left[t] = r[t]
            for a in range(count):
                u = active[a]
                moved[u] = w[u] - stride * step[a]
                if s[u] * rho.kink > 0.0 and (u == first or w[u] * moved[u] < 0.0):
                    moved[u] = 0.0
                change = moved[u] - w[u]
                for t in range(m):
                    left[t] -= change * H[u, t]
            after = _objective(q, left, moved, rho, s, v)
            if not after <= before + 1e-14 * abs(before):
                # All that would change sign stopped at zero; now only the first to get there.
                if projected and first >= 0 and not improved:
                    projected = False
                    continue
                break
            for t in range(m):
                better[t] = moved[t]
                better_left[t] = left[t]
            improved = True
            # A second length starts from the same point, so only a real gain goes on.
            if bent or first >= 0 or not after < before - 1e-12 * abs(before):
                break
            before = after
            length *= 2.0
        if improved:
            for t in range(m):
                w[t] = better[t]
                r[t] = better_left[t]
            return True
    return False


@kernel(inner=True)
def solve_quadratic(
    H: NDArray[np.float64],
    q: NDArray[np.float64],
    w: NDArray[np.float64],
    rho: Rho,
    s: NDArray[np.float64],
    v: NDArray[np.float64],
    tolerance: NDArray[np.float64],
    rounds: int,
) -> bool:
    """Minimise in place from ``w`` (m,) until each coordinate is stationary to ``tolerance`` (m,).

    ``H`` is (m, m), symmetric, positive semidefinite. Whether the tolerance was reached within
    ``rounds`` of Newton steps and sweeps.
    """
    r = np.empty(w.size)
    subtract_product(H, q, w, r)
    for _ in range(rounds):
        for _ in range(_NEWTON_STEPS):
            if not _newton_step(H, q, w, r, rho, s, v):
                break
            # Coordinates at zero are for the sweeps.
            if _stationary(w, r, rho, s, v, tolerance, False):
                break
        # Corrections accumulate rounding error: what decides is computed afresh.
        subtract_product(H, q, w, r)
        if _stationary(w, r, rho, s, v, tolerance, True):
            return True
        if not call_sweep(rho.sweep, H, w, r, rho.a, rho.b, rho.c, s, v, _SWEEPS):
            return False
    return False


@kernel(inner=True)
def _stationary(
    w: NDArray[np.float64],
    r: NDArray[np.float64],
    rho: Rho,
    s: NDArray[np.float64],
    v: NDArray[np.float64],
    tolerance: NDArray[np.float64],
    zeros: bool,
) -> bool:
    """Whether each coordinate is stationary, those at zero included if ``zeros``."""
    for u in range(w.size):
        if w[u] == 0.0 and not zeros:
            continue
        if stationarity(w[u], -r[u], rho, s[u], v[u]) > tolerance[u]:
            return False
    return True
