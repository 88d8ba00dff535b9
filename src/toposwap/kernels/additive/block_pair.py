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

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
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


@kernel
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


@kernel
def add_gram(block: NDArray[np.float64], gram: NDArray[np.float64]) -> None:
    """Add block' block, (m, m), to the lower triangle of ``gram``."""
    m = gram.shape[0]
    for t in range(block.shape[0]):
        for i in range(m):
            x = block[t, i]
            for j in range(i + 1):
                gram[i, j] += x * block[t, j]


@kernel
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
    variable: int,
    profile: NDArray[np.float64],
) -> None:
    """Fill ``profile[k]`` with the change of sum_v cost[v] * var(v) when ``variable`` ends at k."""
    d, m = own.shape[0], own.shape[1]
    p = position[variable]
    columns = pair[:, variable * m : (variable + 1) * m]
    own_cost = cost[variable]
    before = own[p, 0, 0] * own[p, 0, 0]
    profile[p] = 0.0
    gram = np.zeros((m, m))
    lower = np.empty((m, m))
    x = np.empty(m)

    add_gram(own[p], gram)
    saved = 0.0
    for k in range(p - 1, -1, -1):
        block = columns[k * m : (k + 1) * m]
        add_gram(block, gram)
        cholesky(gram, lower)
        x[:] = block[0]
        residual = own[k, 0, 0]
        saved += cost[order[k]] * residual * residual * min(solve_lower(lower, x), 1.0)
        profile[k] = own_cost * (gram[0, 0] - before) - saved

    gram[:] = 0.0
    add_gram(inverse[p], gram)
    cholesky(gram, lower)
    lost = 0.0
    for k in range(p + 1, d):
        block = columns[k * m : (k + 1) * m]
        x[:] = block[0]
        residual = own[k, 0, 0]
        lost += cost[order[k]] * residual * residual * solve_lower(lower, x)
        add_gram(block, gram)
        cholesky(gram, lower)
        x[:] = 0.0
        x[0] = 1.0
        profile[k] = lost + own_cost * (solve_lower(lower, x) - before)


@kernel
def exchange(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    k: int,
) -> None:
    """Exchange the variables at positions ``k`` and ``k + 1``, in place."""
    m = own.shape[1]
    v, w = order[k], order[k + 1]
    first, last = k * m, (k + 2) * m
    square = np.zeros((2 * m, 2 * m))
    square[:m, :m] = pair[first : first + m, w * m : (w + 1) * m]
    square[:m, m:] = own[k]
    square[m:, :m] = own[k + 1]
    turn, triangle = np.linalg.qr(square)
    pair[first:last] = np.dot(np.ascontiguousarray(turn.T), pair[first:last])
    for i in range(m):
        for j in range(m):
            own[k, i, j] = triangle[i, j] if j >= i else 0.0
            own[k + 1, i, j] = triangle[m + i, m + j] if j >= i else 0.0
    lower_inverse_transposed(own[k], inverse[k])
    lower_inverse_transposed(own[k + 1], inverse[k + 1])
    across = np.ascontiguousarray(triangle[:m, m:])
    pair[first : first + m, v * m : (v + 1) * m] = across
    pair[first + m : last, w * m : (w + 1) * m] = -np.dot(
        inverse[k + 1], np.dot(np.ascontiguousarray(across.T), inverse[k])
    )
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
    while position[variable] < target:
        exchange(pair, own, inverse, order, position, position[variable])
    while position[variable] > target:
        exchange(pair, own, inverse, order, position, position[variable] - 1)


@kernel
def insertion_sweep(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    cost: NDArray[np.float64],
    visits: NDArray[np.int64],
    threshold: float,
) -> int:
    """Move each of ``visits`` in turn to its best place if that gains more than ``threshold``.

    Returns the number of variables moved.
    """
    profile = np.empty(own.shape[0])
    moved = 0
    for variable in visits:
        insertion_profile(pair, own, inverse, order, position, cost, variable, profile)
        target = int(np.argmin(profile))
        if profile[target] < -threshold:
            insert(pair, own, inverse, order, position, variable, target)
            moved += 1
    return moved
