r"""Cubic B-splines and their derivatives, by the recursion of Cox and de Boor.

.. math:: B_{i,p}(u) = \frac{u - t_i}{t_{i+p} - t_i} B_{i,p-1}(u)
          + \frac{t_{i+p+1} - u}{t_{i+p+1} - t_{i+1}} B_{i+1,p-1}(u)

Only the four splines over the interval of ``u`` are not zero there. A derivative replaces the two
factors of a step by :math:`p / (t_{i+p} - t_i)` and :math:`-p / (t_{i+p+1} - t_{i+1})`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEGREE = 3


@kernel
def cubic_splines(
    knots: NDArray[np.float64], u: NDArray[np.float64], derivative: int
) -> NDArray[np.float64]:
    """All splines over ``knots`` (k + 4,) at ``u`` (n,), (n, k); the end knots are fourfold."""
    count = knots.size - DEGREE - 1
    values = np.empty((u.size, count))
    local = np.empty(DEGREE + 1)
    for row in range(u.size):
        for i in range(count):
            values[row, i] = 0.0
        x = u[row]
        # The interval [t_i, t_{i+1}) that holds x; the last one is closed.
        low, high = DEGREE, count
        while high - low > 1:
            middle = (low + high) // 2
            if knots[middle] <= x:
                low = middle
            else:
                high = middle
        for s in range(DEGREE):
            local[s] = 0.0
        local[DEGREE] = 1.0
        for degree in range(1, DEGREE + 1):
            # local[s] belongs to the spline that starts at knot low - DEGREE + s.
            for s in range(DEGREE - degree, DEGREE + 1):
                i = low - DEGREE + s
                total = 0.0
                if s > DEGREE - degree:
                    width = knots[i + degree] - knots[i]
                    rise = degree if degree > DEGREE - derivative else x - knots[i]
                    total += rise / width * local[s]
                if s < DEGREE:
                    width = knots[i + degree + 1] - knots[i + 1]
                    fall = -degree if degree > DEGREE - derivative else knots[i + degree + 1] - x
                    total += fall / width * local[s + 1]
                local[s] = total
        for s in range(DEGREE + 1):
            values[row, low - DEGREE + s] = local[s]
    return values
