r"""One node of a Gaussian score with a penalty on its coefficients.

.. math:: \min_w \varphi(s(w)) + \rho(w), \qquad
          s(w) = \lVert R e_j - R w \rVert^2 = \tfrac1n \lVert x_j - X w \rVert^2 ,

:math:`\varphi` being the loss as a function of the residual variance, s / 2 or (log s) / 2. It is
concave and lies below its tangent, so repeating the quadratic problem of the tangent at the current
point goes down to a stationary point. Only columns that are in use or violate their condition take
part; residuals come from the factor R, not from the covariance, which keeps small residual
variances accurate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.penalized.coordinate_descent import (
    ROUNDS,
    solve_quadratic,
    subtract_product,
)
from toposwap.kernels.penalized.rho import Rho, stationarity
from toposwap.kernels.pointers import call_variance_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The most rounds of a solution, and of a rough one: how often it is looked again which columns
#: take part and how large s is.
MOST_ROUNDS, ROUGH_ROUNDS = 1000, 2
#: A solution is given up when its residual has not fallen to _SLOW of what it was _PATIENCE rounds
#: ago, nor its value by _GAIN: columns that nearly determine each other leave no more digits.
_PATIENCE, _SLOW, _GAIN = 20, 0.7, 1e-3
#: A residual variance below this share of the column's own is rounding error.
VANISHING = 1e-20


@kernel
def solve_gaussian(
    columns: NDArray[np.float64],
    C: NDArray[np.float64],
    deviations: NDArray[np.float64],
    node: int,
    allowed: NDArray[np.bool_],
    w: NDArray[np.float64],
    terms: int,
    bounded: bool,
    rho: Rho,
    units: NDArray[np.float64],
    weights: NDArray[np.float64],
    tolerance: float,
    gradient: NDArray[np.float64],
    scale: NDArray[np.float64],
    rough: bool,
    first: int,
    end: int,
    progress: NDArray[np.float64],
) -> tuple[float, bool]:
    """Minimise in place from ``w`` (d,), zero outside ``allowed``; s and whether that is the end.

    ``terms`` is the address of the loss, which is ``bounded`` or ends where a column is fitted
    exactly; the penalty of coordinate u is weights[u] * rho(units[u] w[u]). ``columns`` (d, d)
    holds the columns of R as rows, ``C = R'R``. ``gradient`` (d,) receives the gradient of the
    loss, ``scale`` (d,) the size of the terms that cancel in it. A ``rough`` answer is what a few
    Newton steps and sweeps come to; its value is no lower than that of a solution.

    Rounds ``first`` to ``end`` are made, which end where the conditions hold or cannot be brought
    further; if neither, a call with the next rounds goes on as if there had been one call.
    ``progress`` (2,), infinite at first, is what is kept from one to the next.
    """
    d = w.size
    work = np.empty(d, dtype=np.int64)
    error = np.empty(d)
    own = C[node, node]
    s = own
    for round_ in range(first, end + 1):
        for t in range(d):
            error[t] = columns[node, t]
        size = deviations[node]
        for u in range(d):
            if w[u] != 0.0:
                size += abs(w[u]) * deviations[u]
                for t in range(d):
                    error[t] -= w[u] * columns[u, t]
        s = 0.0
        for t in range(d):
            s += error[t] * error[t]
        if not bounded and not s > VANISHING * own:
            return 0.0, True
        a = 2.0 * call_variance_terms(terms, s, 1.0, 1.0)[1]
        np.dot(columns, error, gradient)
        m = 0
        worst = 0.0
        for u in range(d):
            gradient[u] *= -a
            scale[u] = a * deviations[u] * size
            if not allowed[u]:
                continue
            off = stationarity(w[u], gradient[u], rho, units[u], weights[u])
            worst = max(worst, off / scale[u])
            if w[u] != 0.0 or off > 0.0 or weights[u] * rho.kink == 0.0:
                work[m] = u
                m += 1
        if worst <= tolerance:
            return s, True
        if round_ == end:
            return s, False
        if round_ % _PATIENCE == _PATIENCE - 1:
            if worst > _SLOW * progress[0] and s > (1.0 - _GAIN) * progress[1]:
                return s, True
            progress[0], progress[1] = worst, s
        H = np.empty((m, m))
        down, q, start = np.empty(m), np.empty(m), np.empty(m)
        stretch, stress, close = np.empty(m), np.empty(m), np.empty(m)
        for i in range(m):
            u = work[i]
            start[i], stretch[i], stress[i] = w[u], units[u], weights[u]
            # While s or the columns taking part still change, more digits would be thrown away.
            close[i] = max(0.1 * tolerance, 1e-3 * worst) * scale[u]
            down[i] = gradient[u]
            for k in range(m):
                H[i, k] = a * C[u, work[k]]
        # q = H w - gradient at w, so that the residuals of R decide and not those of C.
        subtract_product(H, down, start, q)
        for i in range(m):
            q[i] = -q[i]
        solve_quadratic(H, q, start, rho, stretch, stress, close, 1 if rough else ROUNDS)
        for i in range(m):
            w[work[i]] = start[i]
    return s, False
