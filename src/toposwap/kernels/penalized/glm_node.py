r"""One node of a score whose loss is a sum over rows, with a penalty on its coefficients.

.. math:: \min_{w, b} \sum_i \omega_i\, g(y_i, \eta_i) + \sum_u v_u \rho(s_u w_u), \qquad
          \eta = b + Z^\top w ,

with b free or held where it starts, g being the terms of any loss, by their address. Proximal
Newton steps on the columns that are in use or violate their condition. A step that does not go down
is tried again with a larger multiple of the identity added to the curvature: in the limit that is a
short proximal gradient step, which goes down for any penalty. The next step begins with a tenth of
that, so that a loss without curvature, as Huber's is far out, does not look for it anew each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel, reassociated_kernel
from toposwap.kernels.linalg.dot import dot
from toposwap.kernels.penalized.coordinate_descent import (
    ROUNDS,
    solve_quadratic,
    subtract_product,
)
from toposwap.kernels.penalized.rho import Rho, penalty_sum, stationarity
from toposwap.kernels.pointers import call_row_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_STEPS = 500
#: As in gaussian_node.py.
_PATIENCE, _SLOW, _GAIN = 20, 0.7, 1e-3
_BLOCK = 512
_LARGEST_DAMPING = 1e6
_LEAST_DAMPING = 1e-6
_DECREASE = 1e-3
_ROUNDING = 1e-13


@kernel
def loss_terms(
    Z: NDArray[np.float64],
    omega: NDArray[np.float64],
    y: NDArray[np.float64],
    terms: int,
    parameters: NDArray[np.float64],
    w: NDArray[np.float64],
    b: float,
    slope: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> tuple[float, float]:
    """The loss and the size of the terms of its slope; the last two receive omega g', omega g''.

    ``Z`` is (d, n), ``omega``, ``y``, ``slope`` and ``curvature`` are (n,), ``w`` is (d,).
    """
    n = y.size
    eta = np.full(n, b)
    for u in range(w.size):
        if w[u] != 0.0:
            z = Z[u]
            for i in range(n):
                eta[i] += w[u] * z[i]
    return call_row_terms(terms, eta, y, omega, parameters, slope, curvature)


@reassociated_kernel(inner=True)
def _gradient(
    Z: NDArray[np.float64], slope: NDArray[np.float64], gradient: NDArray[np.float64]
) -> None:
    """Put Z slope into ``gradient`` (d,).

    Not by a library, which would wake other threads for it: on a busy machine they take longer to
    come than the product.
    """
    for u in range(gradient.size):
        gradient[u] = dot(Z[u], slope)


@reassociated_kernel
def curvature_matrix(
    Z: NDArray[np.float64], curvature: NDArray[np.float64], work: NDArray[np.int64], m: int
) -> NDArray[np.float64]:
    """Z diag(curvature) Z' on the first m rows of ``work``, the intercept last: (m + 1, m + 1).

    By blocks of rows of the table, which stay in the nearest cache while all pairs are summed.
    """
    n = curvature.size
    H = np.zeros((m + 1, m + 1))
    weighted = np.empty(_BLOCK)
    for begin in range(0, n, _BLOCK):
        end = min(begin + _BLOCK, n)
        part = curvature[begin:end]
        total = 0.0
        for t in range(end - begin):
            total += part[t]
        H[m, m] += total
        for i in range(m):
            z = Z[work[i], begin:end]
            # A sum in the loop that stores would be added up in another order where the arrays
            # happen to lie next to each other, and answers would differ in the last digit.
            for t in range(end - begin):
                weighted[t] = part[t] * z[t]
            H[m, i] += dot(part, z)
            for k in range(i + 1):
                H[i, k] += dot(Z[work[k], begin:end], weighted)
    for i in range(m + 1):
        for k in range(i):
            H[k, i] = H[i, k]
    return H


@reassociated_kernel
def curvature_rows(
    Z: NDArray[np.float64],
    curvature: NDArray[np.float64],
    index: NDArray[np.int64],
    rows: NDArray[np.float64],
    diagonal: NDArray[np.float64],
) -> None:
    """Z diag(curvature) Z': its rows ``index`` (k,) and its diagonal (d,).

    ``rows`` (k + 1, d) receives the former and, last, the row of the intercept, Z curvature.
    """
    d, n = Z.shape
    k = index.size
    weighted = np.empty(_BLOCK)
    for i in range(k + 1):
        for u in range(d):
            rows[i, u] = 0.0
    for u in range(d):
        diagonal[u] = 0.0
    for begin in range(0, n, _BLOCK):
        end = min(begin + _BLOCK, n)
        part = curvature[begin:end]
        for u in range(d):
            z = Z[u, begin:end]
            for t in range(end - begin):
                weighted[t] = part[t] * z[t]
            diagonal[u] += dot(z, weighted)
            rows[k, u] += dot(z, part)
            for i in range(k):
                rows[i, u] += dot(Z[index[i], begin:end], weighted)


@kernel
def solve_glm(
    Z: NDArray[np.float64],
    omega: NDArray[np.float64],
    y: NDArray[np.float64],
    terms: int,
    parameters: NDArray[np.float64],
    deviations: NDArray[np.float64],
    allowed: NDArray[np.bool_],
    w: NDArray[np.float64],
    b: float,
    rho: Rho,
    units: NDArray[np.float64],
    weights: NDArray[np.float64],
    tolerance: float,
    gradient: NDArray[np.float64],
    scale: NDArray[np.float64],
    intercept: bool,
    first: int,
    end: int,
    progress: NDArray[np.float64],
) -> tuple[float, float, bool, bool]:
    """Minimise in place from ``w`` (d,), zero outside ``allowed``; b, the loss, if solved, if over.

    ``gradient`` (d,) receives the gradient of the loss, ``scale`` (d,) the size of the terms that
    cancel in it. The penalty of coordinate u is weights[u] * rho(units[u] w[u]). Without
    ``intercept`` b stays where it is.

    Steps ``first`` to ``end`` are made; it is over before that where it is solved or cannot be
    brought further. Else a call with the next steps goes on as if there had been one call.
    ``progress`` (3,), infinite but for a zero at the end, is what is kept from one to the next.
    """
    d, n = Z.shape
    slope, curvature = np.empty(n), np.empty(n)
    work = np.empty(d, dtype=np.int64)
    trial = np.empty(d)
    loss, size = loss_terms(Z, omega, y, terms, parameters, w, b, slope, curvature)
    penalty = penalty_sum(w, rho, units, weights)
    total = loss + penalty
    damping = progress[2]
    for step in range(first, end + 1):
        _gradient(Z, slope, gradient)
        own = slope.sum() if intercept else 0.0
        stationary = abs(own) <= tolerance * size
        worst = abs(own) / size
        m = 0
        for u in range(d):
            scale[u] = deviations[u] * size
            trial[u] = w[u]
            if not allowed[u]:
                continue
            off = stationarity(w[u], gradient[u], rho, units[u], weights[u])
            if off > tolerance * scale[u]:
                stationary = False
            worst = max(worst, off / scale[u])
            if w[u] != 0.0 or off > 0.0 or rho.kink == 0.0:
                work[m] = u
                m += 1
        if stationary:
            return b, loss, True, True
        if step == end:
            progress[2] = damping
            return b, loss, False, False
        if step % _PATIENCE == _PATIENCE - 1:
            if worst > _SLOW * progress[0] and total > progress[1] - _GAIN * abs(progress[1]):
                return b, loss, False, True
            progress[0], progress[1] = worst, total
        H = curvature_matrix(Z, curvature, work, m)
        # The intercept comes last and bears no penalty; one that is held has a minimum of its own.
        if not intercept:
            for i in range(m):
                H[i, m] = H[m, i] = 0.0
            H[m, m] = 1.0
        here, start, down = np.empty(m + 1), np.empty(m + 1), np.empty(m + 1)
        stretch, stress = np.zeros(m + 1), np.zeros(m + 1)
        close, q = np.empty(m + 1), np.empty(m + 1)
        for i in range(m):
            u = work[i]
            here[i], down[i] = w[u], gradient[u]
            stretch[i], stress[i] = units[u], weights[u]
            close[i] = 0.01 * tolerance * size * deviations[u]
        here[m], down[m], close[m] = b, own, 0.01 * tolerance * size
        for i in range(m + 1):
            H[i, i] += damping
        first = True
        while True:
            subtract_product(H, down, here, q)
            for i in range(m + 1):
                start[i] = here[i]
                q[i] = -q[i]
            solve_quadratic(H, q, start, rho, stretch, stress, close, ROUNDS)
            for i in range(m):
                trial[work[i]] = start[i]
            loss, reached = loss_terms(
                Z, omega, y, terms, parameters, trial, start[m], slope, curvature
            )
            left = penalty_sum(trial, rho, units, weights)
            after = loss + left
            # Without a part of what the slope foretells, steps may go to and fro for ever.
            foretold = left - penalty
            for i in range(m + 1):
                foretold += down[i] * (start[i] - here[i])
            # Sums over many rows are no more accurate than this.
            rounding = _ROUNDING * (abs(total) + size)
            if after <= total + _DECREASE * min(foretold, 0.0) + rounding:
                size, penalty = reached, left
                break
            first = False
            grown = max(10.0 * damping, 1e-3 * (1.0 + size))
            # Also where the size is no number.
            if not grown <= _LARGEST_DAMPING * (1.0 + size):
                loss, size = loss_terms(Z, omega, y, terms, parameters, w, b, slope, curvature)
                return b, loss, False, True
            for i in range(m + 1):
                H[i, i] += grown - damping
            damping = grown
        if first:
            damping = 0.1 * damping if damping > _LEAST_DAMPING * (1.0 + size) else 0.0
        for u in range(d):
            w[u] = trial[u]
        b = start[m]
        total = after
    return b, loss, False, True
