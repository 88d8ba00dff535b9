r"""Where each variable would go if it could only move towards the causes, or towards the effects.

The two halves of the insertion profile of :mod:`~toposwap.kernels.least_squares.factor_pair`, each
from one triangle alone:

- before the variable at :math:`k < p` the one at p has residual variance :math:`s_k = R_{pp}^2 +
  \sum_{k \le t < p} R_{tp}^2`, and each variable passed keeps
  :math:`R_{tt}^2 (1 - R_{tp}^2 / s_t)`;
- after the one at :math:`k > p` it has :math:`1 / s_k` with :math:`s_k = R_{pp}^{-2} +
  \sum_{p < t \le k} V_{tp}^2`, :math:`V = R^{-\top}`, and each variable passed rises to
  :math:`R_{tt}^2 (1 + V_{tp}^2 / s_{t-1})`.

``before`` is as in :mod:`~toposwap.kernels.graphs.precedence`, ``cost`` (d,) by variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def earlier_places(
    columns: NDArray[np.float64],
    cost: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    before: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], float]:
    """The best position up to its own of the variable at each, (d,), and the sum of the gains.

    ``columns[p]`` (d, d) is the column at p of R. Each gain is that of moving alone.
    """
    d = order.size
    weight = np.empty(d)
    for k in range(d):
        weight[k] = cost[order[k]] * columns[k, k] * columns[k, k]
    places = np.empty(d, dtype=np.int64)
    gains = 0.0
    for p in range(d):
        column = columns[p]
        lowest = lowest_position(before, position, order[p]) if before.shape[0] > 0 else 0
        own, own_cost = column[p] * column[p], cost[order[p]]
        spread, saved, least = own, 0.0, 0.0
        places[p] = p
        for k in range(p - 1, lowest - 1, -1):
            z2 = column[k] * column[k]
            spread += z2
            saved += weight[k] * (z2 / spread)
            change = own_cost * (spread - own) - saved
            if change < least:
                least = change
                places[p] = k
        gains -= least
    return places, gains


@kernel
def later_places(
    rows: NDArray[np.float64],
    cost: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    before: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], float]:
    """The best position from its own on, as :func:`earlier_places`.

    ``rows[p]`` (d, d) is the row at p of the inverse of R.
    """
    d = order.size
    weight = np.empty(d)
    for k in range(d):
        weight[k] = cost[order[k]] / (rows[k, k] * rows[k, k])
    places = np.empty(d, dtype=np.int64)
    gains = 0.0
    for p in range(d):
        row = rows[p]
        highest = highest_position(before, position, order[p]) if before.shape[0] > 0 else d - 1
        precision, own_cost = row[p] * row[p], cost[order[p]]
        own, lost, least = 1.0 / precision, 0.0, 0.0
        places[p] = p
        for k in range(p + 1, highest + 1):
            u2 = row[k] * row[k]
            lost += weight[k] * (u2 / precision)
            precision += u2
            change = lost + own_cost * (1.0 / precision - own)
            if change < least:
                least = change
                places[p] = k
        gains -= least
    return places, gains
