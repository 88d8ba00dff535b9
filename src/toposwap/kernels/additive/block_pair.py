r"""The triangular factor and its inverse with blocks of columns, under moves of the order.

Variable ``v`` brings a block of ``m`` columns, the first of which is also what is to be explained.
With the blocks in the order :math:`\pi` and :math:`U_\pi = Q R`, the first diagonal entry of a
block is the residual of its first column given all blocks before:
:math:`\operatorname{var}(x_v \mid \text{blocks before}) = (R_{kk})_{11}^2`. As for single columns
(:mod:`~toposwap.kernels.least_squares.factor_pair`) :math:`R` above the diagonal blocks and
:math:`V = R^{-\top}` below them share one matrix::

    pair[k-th rows, v-th columns] = R_kv   if position[v] > k
    pair[k-th rows, v-th columns] = V_kv   if position[v] < k

where rows come in blocks by position and columns in blocks by variable; :math:`R_{kk}` (upper
triangular) is kept in ``own[k]`` and :math:`V_{kk} = R_{kk}^{-\top}` in ``inverse[k]``. An exchange
of neighbours is a QR of 2m x 2m, whose orthogonal factor then acts on two rows of blocks.

Moving :math:`v` from position :math:`p`, with :math:`r_t, u_t` the first rows of
:math:`R_{tv}, V_{tv}`:

- before the variable at :math:`k < p`: let :math:`A_k = R_{pp}^\top R_{pp} + \sum_{k \le t < p}
  R_{tv}^\top R_{tv}`. Then ``v`` has residual variance :math:`(A_k)_{11}`, and each variable passed
  keeps :math:`(R_{tt})_{11}^2 (1 - r_t A_t^{-1} r_t^\top)`;
- behind the variable at :math:`k > p`: let :math:`P_k = V_{pp}^\top V_{pp} + \sum_{p < t \le k}
  V_{tv}^\top V_{tv}`. Then ``v`` has residual variance :math:`(P_k^{-1})_{11}`, and each variable
  passed rises to :math:`(R_{tt})_{11}^2 (1 + u_t P_{t-1}^{-1} u_t^\top)`.

All of it costs :math:`O(d m^3)` a variable.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.householder import triangularise

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True, inlined=True)
def cholesky(matrix: NDArray[np.float64], lower: NDArray[np.float64]) -> None:
    """Fill the lower triangle of ``lower`` with L, matrix = L L'; (m, m) each."""
    m = matrix.shape[0]
    for i in range(m):
        for j in range(i + 1):
            total = matrix[i, j]
            for t in range(j):
                total -= lower[i, t] * lower[j, t]
            if i == j:
                # Rounding error may leave nothing of a column that others determine.
                floor = 1e-30 * matrix[i, i]
                lower[i, i] = math.sqrt(total if total > floor else floor)
            else:
                lower[i, j] = total / lower[j, j]


@kernel(inner=True, inlined=True)
def solve_lower(lower: NDArray[np.float64], x: NDArray[np.float64]) -> float:
    """Overwrite ``x`` (m,) with L^{-1} x and return its squared length."""
    total = 0.0
    for i in range(x.size):
        value = x[i]
        for t in range(i):
            value -= lower[i, t] * x[t]
        value /= lower[i, i]
        x[i] = value
        total += value * value
    return total


@kernel(inner=True, inlined=True)
def add_gram(block: NDArray[np.float64], gram: NDArray[np.float64]) -> None:
    """Add block' block, (m, m), to the lower triangle of ``gram``; a slice of a larger array."""
    m = gram.shape[0]
    for t in range(m):
        for i in range(m):
            x = block[t, i]
            for j in range(i + 1):
                gram[i, j] += x * block[t, j]


@kernel(inner=True, inlined=True)
def clear(matrix: NDArray[np.float64]) -> None:
    """Set ``matrix`` (m, m) to zero."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = 0.0


@kernel(inner=True)
def lower_inverse_transposed(upper: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Fill ``out`` (m, m) with R^{-T} of an upper triangular R."""
    m = upper.shape[0]
    for j in range(m):
        for i in range(m):
            out[i, j] = 0.0
        out[j, j] = 1.0 / upper[j, j]
        for i in range(j + 1, m):
            total = 0.0
            for t in range(j, i):
                total += upper[t, i] * out[t, j]
            out[i, j] = -total / upper[i, i]


@kernel
def insertion_profile(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
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
    d, m = own.shape[0], own.shape[1]
    lowest, highest = 0, d - 1
    if before.shape[0] > 0:
        lowest = lowest_position(before, position, variable)
        highest = highest_position(before, position, variable)
        for k in range(d):
            profile[k] = np.inf
    p = position[variable]
    columns = pair[:, variable * m : (variable + 1) * m]
    own_cost = cost[variable]
    here = own[p, 0, 0] * own[p, 0, 0]
    profile[p] = 0.0
    gram = np.empty((m, m))
    lower = np.empty((m, m))
    x = np.empty(m)

    clear(gram)
    add_gram(own[p, :, :m], gram)
    saved = 0.0
    for k in range(p - 1, lowest - 1, -1):
        block = columns[k * m : (k + 1) * m]
        add_gram(block, gram)
        cholesky(gram, lower)
        for i in range(m):
            x[i] = block[0, i]
        residual = own[k, 0, 0]
        saved += cost[order[k]] * residual * residual * min(solve_lower(lower, x), 1.0)
        profile[k] = own_cost * (gram[0, 0] - here) - saved

    clear(gram)
    add_gram(inverse[p, :, :m], gram)
    cholesky(gram, lower)
    lost = 0.0
    for k in range(p + 1, highest + 1):
        block = columns[k * m : (k + 1) * m]
        for i in range(m):
            x[i] = block[0, i]
        residual = own[k, 0, 0]
        lost += cost[order[k]] * residual * residual * solve_lower(lower, x)
        add_gram(block, gram)
        cholesky(gram, lower)
        for i in range(m):
            x[i] = 0.0
        x[0] = 1.0
        profile[k] = lost + own_cost * (solve_lower(lower, x) - here)

    best = 0
    for k in range(1, d):
        if profile[k] < profile[best]:
            best = k
    return best


@kernel(inner=True)
def exchange(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    k: int,
    square: NDArray[np.float64],
    turn: NDArray[np.float64],
    turned: NDArray[np.float64],
) -> None:
    """Exchange the variables at positions ``k`` and ``k + 1``, in place.

    ``square`` and ``turn`` (2m, 2m) and ``turned`` (2m, dm) are workspace.
    """
    m = own.shape[1]
    v, w = order[k], order[k + 1]
    first = k * m
    for i in range(m):
        for j in range(m):
            square[i, j] = pair[first + i, w * m + j]
            square[i, m + j] = own[k, i, j]
            square[m + i, j] = own[k + 1, i, j]
            square[m + i, m + j] = 0.0
    triangularise(square, turn)
    np.dot(turn, pair[first : first + 2 * m], turned)
    for i in range(2 * m):
        for j in range(turned.shape[1]):
            pair[first + i, j] = turned[i, j]
    for i in range(m):
        for j in range(m):
            own[k, i, j] = square[i, j] if j >= i else 0.0
            own[k + 1, i, j] = square[m + i, m + j] if j >= i else 0.0
    lower_inverse_transposed(own[k], inverse[k])
    lower_inverse_transposed(own[k + 1], inverse[k + 1])
    # Between the two: R_kv = A, and V_(k+1)w = -V_(k+1) A' V_k. The turn has served its purpose.
    for i in range(m):
        for j in range(m):
            pair[first + i, v * m + j] = square[i, m + j]
            total = 0.0
            for t in range(m):
                total += square[t, m + i] * inverse[k, t, j]
            turn[i, j] = total
    for i in range(m):
        for j in range(m):
            total = 0.0
            for t in range(m):
                total += inverse[k + 1, i, t] * turn[t, j]
            pair[first + m + i, w * m + j] = -total
    order[k], order[k + 1] = w, v
    position[w], position[v] = k, k + 1


@kernel
def insert(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    variable: int,
    target: int,
) -> None:
    """Move ``variable`` to position ``target`` by exchanges of neighbours, in place."""
    m = own.shape[1]
    square = np.empty((2 * m, 2 * m))
    turn = np.empty((2 * m, 2 * m))
    turned = np.empty((2 * m, pair.shape[1]))
    while position[variable] != target:
        k = position[variable] if position[variable] < target else position[variable] - 1
        exchange(pair, own, inverse, order, position, k, square, turn, turned)


@kernel
def insertion_sweep(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
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
    profile = np.empty(own.shape[0])
    moved = 0
    for i in range(visits.size):
        variable = visits[i]
        target = insertion_profile(
            pair, own, inverse, order, position, cost, before, variable, profile
        )
        if profile[target] < -threshold:
            insert(pair, own, inverse, order, position, variable, target)
            moved += 1
    return moved
