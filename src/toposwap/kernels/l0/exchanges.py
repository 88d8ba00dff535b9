r"""What exchanging a parent would bring, for all variables at once, from partial covariances.

The tables and slots are those of :mod:`~toposwap.kernels.l0.partial_covariance`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.partial_covariance import DEPENDENT, LIST, ROWS, E, G, S, index_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Prices of exchanges are computed one by one where less than one in so many is needed.
_FEW = 6


@kernel(borrowing=True)
def price_exchanges(
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    z: int,
    work: int,
    first: int,
) -> float:
    r"""Fill ``e``: by how much exchanging a parent for each variable lowers the residual variance.

    Without parent i the covariances are those with it plus a product of one vector: with
    :math:`a_i` the column i of :math:`L^{-1}`, which :func:`cheapest_removal` has just left in the
    slot ``work``, and :math:`r_i = a_i^\top q / \lVert a_i \rVert` (d,),

    .. math:: g^{-i} = g + r_i[z]\, r_i, \qquad c^{-i} = c + r_i^2, \qquad
              e[u] = \max_i \; g^{-i}[u]^2 / c^{-i}[u] - r_i[z]^2,

    zero where no exchange lowers it. Mostly that is seen at once: columns have unit variance, so
    :math:`r_i[u]^2 \le 1 - c[u]`, and then only parents that bring less than

    .. math:: r_i[z]^2 < \frac{g[u]^2}{c[u]^2} \bigl(1 + \sqrt{1 - c[u]}\bigr)^2

    may be exchanged for u. The ``first`` parents stay. Returns the largest of ``e``.
    """
    d = table.shape[2]
    k = parents[slot, 0]
    g, c, e = table[slot, G], table[slot, S], table[slot, E]
    reach, r, those = table[work, G], table[work, E], table[work, LIST]
    least = np.inf
    for i in range(first, k):
        own = _length_scale(table, work, k, i) * _along(table, slot, work, k, i, z)
        least = min(least, own * own)
    # The root is at most one, and few come so far.
    many = 0
    for u in range(d):
        e[u] = 0.0
        many += (4.0 * g[u] * g[u] > least * c[u] * c[u]) | (c[u] <= DEPENDENT)
    if many == 0:
        return 0.0
    many = 0
    for u in range(d):
        those[many] = u
        many += (4.0 * g[u] * g[u] > least * c[u] * c[u]) | (c[u] <= DEPENDENT)
    farthest, most = 0.0, 0.0
    for t in range(many):
        u = int(those[t])
        reach[t] = np.inf
        if c[u] > DEPENDENT:
            ratio = g[u] / c[u] * (1.0 + math.sqrt(max(0.0, 1.0 - c[u])))
            reach[t] = ratio * ratio
        if u == z or index_of(parents, slot, u) >= 0:
            reach[t] = 0.0
        farthest = max(farthest, reach[t])
    for i in range(first, k):
        scale = _length_scale(table, work, k, i)
        own = scale * _along(table, slot, work, k, i, z)
        brings = own * own
        if brings >= farthest:
            continue
        if _FEW * many < d:
            for j in range(i, k):
                r[j] = scale * table[work, ROWS + j, i]
            for t in range(many):
                if reach[t] > brings:
                    u = int(those[t])
                    beyond = 0.0
                    for j in range(i, k):
                        beyond += r[j] * table[slot, ROWS + j, u]
                    e[u] = max(e[u], _lowered(g[u], c[u], own, beyond))
                    most = max(most, e[u])
            continue
        for t in range(d):
            r[t] = 0.0
        for j in range(i, k):
            along = scale * table[work, ROWS + j, i]
            row = table[slot, ROWS + j]
            for t in range(d):
                r[t] += along * row[t]
        for t in range(many):
            if reach[t] > brings:
                u = int(those[t])
                e[u] = max(e[u], _lowered(g[u], c[u], own, r[u]))
                most = max(most, e[u])
    return most


@kernel(borrowing=True)
def parent_to_exchange(
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    z: int,
    work: int,
    first: int,
    u: int,
) -> int:
    """The number of the parent for which ``e[u]`` was found; to be called right afterwards."""
    chosen = -1
    most = -np.inf
    k = parents[slot, 0]
    for i in range(first, k):
        scale = _length_scale(table, work, k, i)
        own = scale * _along(table, slot, work, k, i, z)
        beyond = scale * _along(table, slot, work, k, i, u)
        lowered = _lowered(table[slot, G, u], table[slot, S, u], own, beyond)
        if lowered > most:
            most = lowered
            chosen = i
    return chosen


@kernel(inner=True, inlined=True)
def _lowered(g: float, c: float, own: float, r: float) -> float:
    """What exchanging a parent with r_i[z] = ``own`` for a variable with r_i[u] = ``r`` brings."""
    covariance = g + own * r
    variance = c + r * r
    lowered = covariance * covariance / variance - own * own
    return lowered if variance > DEPENDENT else 0.0


@kernel(inner=True, inlined=True)
def _along(table: NDArray[np.float64], slot: int, work: int, k: int, i: int, u: int) -> float:
    """The scalar product of a_i and the coordinates q[u]."""
    total = 0.0
    for j in range(i, k):
        total += table[work, ROWS + j, i] * table[slot, ROWS + j, u]
    return total


@kernel(inner=True, inlined=True)
def _length_scale(table: NDArray[np.float64], work: int, k: int, i: int) -> float:
    """One over the length of a_i."""
    length = 0.0
    for j in range(i, k):
        length += table[work, ROWS + j, i] * table[work, ROWS + j, i]
    return 1.0 / math.sqrt(length)
