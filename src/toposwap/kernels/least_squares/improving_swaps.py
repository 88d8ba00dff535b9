r"""The swaps of two variables that lower the score, found without the deltas of all the others.

With the notation of :mod:`~toposwap.kernels.least_squares.swap_deltas`, a variable :math:`k`
between the two positions :math:`p < q` changes its residual variance by
:math:`R_{kk}^2 (a^2 - (b - a e')^2 / (1 + e'^2))`, where :math:`a^2 = U_{pk}^2 / s_{k-1}`,
:math:`b^2 = R_{kq}^2 / S_{kq}` and :math:`e'^2 = e^2 / (s_{k-1} S_{kq})`. By Cauchy's inequality
:math:`(b - a e')^2 \le (a^2 + b^2)(1 + e'^2)`, so that the change is never below
:math:`-R_{kk}^2 b^2`: what ``k`` would gain if ``q`` came before it and nothing left. Hence

.. math:: \Delta_{pq} \ge c_q (S_{pq} - R_{qq}^2) - c_p (R_{pp}^2 - 1 / s_q)
          - \sum_{p < k < q} c_k R_{kk}^2 R_{kq}^2 / S_{kq} ,

whose sums are those of the insertion profile of ``q``: all d(d-1)/2 bounds cost O(d^2). Most are
positive where no insertion helps any more. The others are summed up from ``p`` on with the bound
for what is left; it rises with every term, and the sum ends as soon as it cannot be an
improvement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Later positions whose shares are worked out together, along the rows of ``columns``.
_TOGETHER = 64


@kernel
def improving_swaps(
    columns: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    cost: NDArray[np.float64],
    threshold: float,
    places: NDArray[np.int64],
    changes: NDArray[np.float64],
) -> int:
    """All swaps of positions p < q that change sum_k cost[k] * var(k) by less than -threshold.

    ``columns[v]`` is the column of the variable at position v in the factor pair: R above it, the
    transposed inverse below. Fills ``places`` (m, 2) with p and q and ``changes`` (m,), as far as
    there is room, and returns how many there are.
    """
    d = columns.shape[0]
    weight = np.empty(d)
    precision = np.empty(d)
    for k in range(d):
        weight[k] = cost[k] * diagonal[k] * diagonal[k]
        precision[k] = 1.0 / (diagonal[k] * diagonal[k])
    # 1 / s_q of all p: the variance of p given all up to q but itself, for some q at a time.
    share = np.empty((_TOGETHER, d))
    spread = np.empty(d)
    gain = np.empty(d + 1)
    found = 0
    for q in range(d):
        row = q % _TOGETHER
        if row == 0:
            for p in range(min(q + _TOGETHER, d)):
                for other in range(max(q, p + 1), min(q + _TOGETHER, d)):
                    precision[p] += columns[p, other] * columns[p, other]
                    share[other - q, p] = 1.0 / precision[p]
        own = diagonal[q] * diagonal[q]
        spread[q] = own
        gain[q] = 0.0
        for k in range(q - 1, -1, -1):
            x2 = columns[q, k] * columns[q, k]
            spread[k] = spread[k + 1] + x2
            gain[k] = gain[k + 1] + weight[k] * (x2 / spread[k])
        for p in range(q):
            change = cost[q] * (spread[p] - own)
            change += cost[p] * (share[row, p] - diagonal[p] * diagonal[p])
            if change - gain[p + 1] >= -threshold:
                continue
            e = columns[q, p] / diagonal[p]
            inverse = 1.0 / (diagonal[p] * diagonal[p])
            possible = True
            for k in range(p + 1, q):
                u = columns[p, k]
                x = columns[q, k]
                left = 1.0 / inverse
                covariance = x - u * e * left
                saved = covariance * covariance / (spread[k] + e * e * left)
                change += weight[k] * (u * u * left - saved)
                if change - gain[k + 1] >= -threshold:
                    possible = False
                    break
                e += u * x
                inverse += u * u
            if possible and change < -threshold:
                if found < changes.size:
                    places[found, 0] = p
                    places[found, 1] = q
                    changes[found] = change
                found += 1
    return found
