r"""One node of a Gaussian score with a penalty on its coefficients.

.. math:: \min_w \tfrac12 s(w) + \rho(w) \quad\text{or}\quad \tfrac12 \log s(w) + \rho(w), \qquad
          s(w) = \lVert R e_j - R w \rVert^2 = \tfrac1n \lVert x_j - X w \rVert^2 .

The logarithm lies below its tangent, :math:`\log s \le \log s_0 + s / s_0 - 1`, so repeating the
quadratic problem with :math:`s_0` at the current point goes down to a stationary point. Only
columns that are in use or violate their condition take part; residuals come from the factor R, not
from the covariance, which keeps small residual variances accurate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.penalized.coordinate_descent import ROUNDS, solve_quadratic, stationarity

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS = 1000
#: How often a rough answer looks again which columns take part and how large s is.
_ROUGH_ROUNDS = 2
#: A residual variance below this share of the column's own is rounding error.
VANISHING = 1e-24


@kernel
def solve_gaussian(
    columns: NDArray[np.float64],
    C: NDArray[np.float64],
    deviations: NDArray[np.float64],
    node: int,
    allowed: NDArray[np.bool_],
    w: NDArray[np.float64],
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
    logarithmic: bool,
    tolerance: float,
    gradient: NDArray[np.float64],
    scale: NDArray[np.float64],
    rough: bool,
) -> tuple[float, bool]:
    """Minimise in place from ``w`` (d,), zero outside ``allowed``; s and whether it converged.

    ``columns`` (d, d) holds the columns of R as rows, ``C = R'R``. ``gradient`` (d,) receives the
    gradient of the loss, ``scale`` (d,) the size of the terms that cancel in it. A ``rough`` answer
    is what a few Newton steps and sweeps come to; its value is no lower than that of a solution.
    """
    d = w.size
    work = np.empty(d, dtype=np.int64)
    own = C[node, node]
    s = own
    for round_ in range(_ROUNDS):
        error = columns[node].copy()
        size = deviations[node]
        for u in range(d):
            if w[u] != 0.0:
                size += abs(w[u]) * deviations[u]
                for t in range(d):
                    error[t] -= w[u] * columns[u, t]
        s = 0.0
        for t in range(d):
            s += error[t] * error[t]
        if logarithmic and not s > VANISHING * own:
            return 0.0, False
        a = 1.0 / s if logarithmic else 1.0
        gradient[:] = columns @ error
        m = 0
        worst = 0.0
        for u in range(d):
            gradient[u] *= -a
            scale[u] = a * deviations[u] * size
            if not allowed[u]:
                continue
            off = stationarity(w[u], gradient[u], kink[u], concavity[u], ridge[u])
            worst = max(worst, off / scale[u])
            if w[u] != 0.0 or off > 0.0 or kink[u] == 0.0:
                work[m] = u
                m += 1
        if worst <= tolerance:
            return s, True
        if rough and round_ == _ROUGH_ROUNDS:
            return s, False
        H = np.empty((m, m))
        q = np.empty(m)
        some = work[:m]
        start = w[some]
        for i in range(m):
            for k in range(m):
                H[i, k] = a * C[work[i], work[k]]
        # q = H w - gradient at w, so that the residuals of R decide and not those of C.
        q[:] = H @ start - gradient[some]
        # While s or the columns taking part still change, more digits would be thrown away.
        close = max(0.1 * tolerance, 1e-3 * worst) * scale[some]
        rounds = 1 if rough else ROUNDS
        solve_quadratic(H, q, start, kink[some], concavity[some], ridge[some], close, rounds)
        for i in range(m):
            w[work[i]] = start[i]
    return s, False
