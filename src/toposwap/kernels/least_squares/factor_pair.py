r"""The triangular factor and its inverse, in one matrix, under moves of the order.

Let the columns of the data stand in the order :math:`\pi` and
:math:`X_\pi / \sqrt n = Q R` with :math:`R` upper triangular and positive on the diagonal. Two
triangles answer every question about moving one variable:

- :math:`R_{kv}` for variables ``v`` after position ``k``: what ``v`` still has along the direction
  that position ``k`` added;
- :math:`V = R^{-\top}`, :math:`V_{kv}` for variables ``v`` before position ``k``: minus the
  coefficient of ``v`` in the regression of the variable at ``k``, over its residual :math:`R_{kk}`.

They occupy disjoint triangles, and the Givens rotation that follows an exchange of neighbours acts
on the rows of both alike. So one matrix ``pair`` of shape ``(d, d)`` holds them::

    pair[k, v] = R[k, v]   if position[v] > k
    pair[k, v] = V[k, v]   if position[v] < k          (R[k, k] is kept in diagonal[k])

Its rows follow the order and its columns the variables, hence an exchange of neighbours moves no
column: it rotates two contiguous rows, 6 d flops.

The *whole* insertion neighbourhood is evaluated from ``pair`` in :math:`O(d^2)`, :math:`O(d)` a
variable. With :math:`v` at position :math:`p`:

- earlier, before the variable at :math:`k < p`: let :math:`s_k = R_{pp}^2 + \sum_{k \le t < p}
  R_{tv}^2`. Then ``v`` has residual variance :math:`s_k`, and each variable passed keeps
  :math:`R_{tt}^2 (1 - R_{tv}^2 / s_t)`;
- later, after the variable at :math:`k > p`: let :math:`s_k = R_{pp}^{-2} + \sum_{p < t \le k}
  V_{tv}^2`. Then ``v`` has residual variance :math:`1 / s_k`, and each variable passed rises to
  :math:`R_{tt}^2 (1 + V_{tv}^2 / s_{t-1})`.

``cost[v]`` weights the residual variance of ``v``; it carries the square of the scale that was
taken out of the column.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Columns whose profiles are summed up together.
_LANES = 64


@kernel(inlined=True)
def insertion_profile(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    cost: NDArray[np.float64],
    before: NDArray[np.bool_],
    variable: int,
    profile: NDArray[np.float64],
) -> int:
    """Fill ``profile[k]`` with the change of sum_v cost[v] * var(v) when ``variable`` ends at k.

    It is infinite at positions that ``before`` forbids, see
    :mod:`~toposwap.kernels.graphs.precedence`. Returns the first best position.
    """
    d = pair.shape[0]
    lowest, highest = 0, d - 1
    if before.shape[0] > 0:
        lowest = lowest_position(before, position, variable)
        highest = highest_position(before, position, variable)
        for k in range(d):
            profile[k] = np.inf
    p = position[variable]
    own_cost = cost[variable]
    own = diagonal[p] * diagonal[p]
    profile[p] = 0.0

    spread = own
    saved = 0.0
    for k in range(p - 1, lowest - 1, -1):
        z2 = pair[k, variable] * pair[k, variable]
        spread += z2
        saved += cost[order[k]] * diagonal[k] * diagonal[k] * (z2 / spread)
        profile[k] = own_cost * (spread - own) - saved

    precision = 1.0 / own
    lost = 0.0
    for k in range(p + 1, highest + 1):
        u2 = pair[k, variable] * pair[k, variable]
        lost += cost[order[k]] * diagonal[k] * diagonal[k] * (u2 / precision)
        precision += u2
        profile[k] = lost + own_cost * (1.0 / precision - own)

    best = 0
    for k in range(1, d):
        if profile[k] < profile[best]:
            best = k
    return best


@kernel
def best_changes(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    cost: NDArray[np.float64],
    before: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """The least entry of the insertion profile of each variable, (d,).

    The sums of :func:`insertion_profile` for neighbouring columns at once, row by row, so that the
    memory is read as it lies and eight are divided by one instruction. Where a column has no part
    in a row nothing is added to its sums.
    """
    d = pair.shape[0]
    least = np.zeros(d)
    numbers, places = np.empty((4, _LANES)), np.empty((2, _LANES), dtype=np.int64)
    own, price, spread, moved = numbers[0], numbers[1], numbers[2], numbers[3]
    p, end = places[0], places[1]
    for first in range(0, d, _LANES):
        m = min(_LANES, d - first)
        best = least[first : first + m]
        for j in range(m):
            v = first + j
            p[j] = position[v]
            end[j] = lowest_position(before, position, v) if before.shape[0] > 0 else 0
            own[j] = diagonal[p[j]] * diagonal[p[j]]
            price[j] = cost[v]
            spread[j] = own[j]
            moved[j] = 0.0
        for k in range(d - 1, -1, -1):
            row = pair[k, first : first + m]
            weight = cost[order[k]] * diagonal[k] * diagonal[k]
            for j in range(m):
                z2 = row[j] * row[j] if (k < p[j]) & (k >= end[j]) else 0.0
                spread[j] += z2
                moved[j] += weight * (z2 / spread[j])
                best[j] = min(best[j], price[j] * (spread[j] - own[j]) - moved[j])
        for j in range(m):
            v = first + j
            end[j] = highest_position(before, position, v) if before.shape[0] > 0 else d - 1
            spread[j] = 1.0 / own[j]
            moved[j] = 0.0
        for k in range(d):
            row = pair[k, first : first + m]
            weight = cost[order[k]] * diagonal[k] * diagonal[k]
            for j in range(m):
                u2 = row[j] * row[j] if (k > p[j]) & (k <= end[j]) else 0.0
                moved[j] += weight * (u2 / spread[j])
                spread[j] += u2
                # The inverse of an inverse is not the same number, so nothing is no sum.
                change = moved[j] + price[j] * (1.0 / spread[j] - own[j])
                best[j] = min(best[j], change if k > p[j] else 0.0)
    return least


@kernel
def insert(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    variable: int,
    target: int,
) -> None:
    """Move ``variable`` to position ``target`` by exchanges of neighbours, in place.

    The row of the moving variable travels along in ``carried``, so that an exchange reads one row
    and writes one row.
    """
    d = pair.shape[0]
    p = position[variable]
    carried = np.empty(d)
    for t in range(d):
        carried[t] = pair[p, t]
    residual = diagonal[p]
    if target > p:
        for k in range(p, target):
            passed = order[k + 1]
            other = diagonal[k + 1]
            x = carried[passed]
            length = math.hypot(x, other)
            c = x / length
            s = other / length
            above = pair[k]
            below = pair[k + 1]
            for t in range(d):
                a = carried[t]
                b = below[t]
                above[t] = c * a + s * b
                carried[t] = s * a - c * b
            above[variable] = c * residual
            carried[passed] = -c / other
            diagonal[k] = length
            residual *= s
            order[k] = passed
            position[passed] = k
    else:
        for k in range(p - 1, target - 1, -1):
            passed = order[k]
            other = diagonal[k]
            x = pair[k, variable]
            length = math.hypot(x, residual)
            c = x / length
            s = residual / length
            above = pair[k]
            below = pair[k + 1]
            for t in range(d):
                a = above[t]
                b = carried[t]
                below[t] = s * a - c * b
                carried[t] = c * a + s * b
            below[variable] = -c / residual
            carried[passed] = c * other
            diagonal[k + 1] = s * other
            residual = length
            order[k + 1] = passed
            position[passed] = k + 1
    for t in range(d):
        pair[target, t] = carried[t]
    diagonal[target] = residual
    order[target] = variable
    position[variable] = target


@kernel
def insertion_sweep(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    cost: NDArray[np.float64],
    before: NDArray[np.bool_],
    visits: NDArray[np.int64],
    threshold: float,
) -> int:
    """Move each of ``visits`` in turn to its best place if that gains more than ``threshold``.

    Returns the number of variables moved.
    """
    profile = np.empty(pair.shape[0])
    moved = 0
    for i in range(visits.size):
        variable = visits[i]
        target = insertion_profile(pair, diagonal, order, position, cost, before, variable, profile)
        if profile[target] < -threshold:
            insert(pair, diagonal, order, position, variable, target)
            moved += 1
    return moved


@kernel
def solution(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    scale: NDArray[np.float64],
    deviation: NDArray[np.float64],
    rounding: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights I - R^{-1} diag(R) and gradient |R' diag(R)|, transposed, in the units of the data.

    Row j of each belongs to the node j: ``weights[j, i]`` is the coefficient of i. A contribution
    of at most ``rounding`` times the deviation of its own column is none.
    """
    d = pair.shape[0]
    weights = np.empty((d, d))
    gradient = np.empty((d, d))
    for k in range(d):
        j = order[k]
        for i in range(d):
            weights[j, i] = 0.0
            gradient[j, i] = 0.0
            if position[i] < k:
                coefficient = -pair[k, i] * diagonal[k]
                if abs(coefficient) * deviation[i] > rounding * deviation[j]:
                    weights[j, i] = coefficient * (scale[j] / scale[i])
            elif position[i] > k:
                gradient[j, i] = abs(pair[k, i]) * diagonal[k] * scale[i] * scale[j]
    return weights, gradient
