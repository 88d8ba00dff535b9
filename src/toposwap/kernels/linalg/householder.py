r"""Matrices made triangular by reflections: :math:`T A = R`, T orthogonal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.dot import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True)
def reflect(
    h: NDArray[np.float64],
    factor: float,
    matrix: NDArray[np.float64],
    k: int,
    first: int,
    along: NDArray[np.float64],
) -> None:
    """Subtract factor h (h' matrix) from the rows k.. and the columns first.. of ``matrix``.

    Rows where ``h`` (p,) is zero are left alone; ``along`` (p,) is workspace.
    """
    p = matrix.shape[0]
    for j in range(first, p):
        along[j] = 0.0
    for i in range(k, p):
        if h[i] != 0.0:
            for j in range(first, p):
                along[j] += h[i] * matrix[i, j]
    for i in range(k, p):
        if h[i] != 0.0:
            step = factor * h[i]
            for j in range(first, p):
                matrix[i, j] -= step * along[j]


@kernel(inner=True)
def triangularise(matrix: NDArray[np.float64], turn: NDArray[np.float64]) -> None:
    r"""Replace ``matrix`` (p, p) by the upper triangular R and fill ``turn`` with T.

    The reflection :math:`I - \beta h h^\top` of a column leaves the rows above it alone.
    """
    p = matrix.shape[0]
    h, along = np.empty(p), np.empty(p)
    for i in range(p):
        for j in range(p):
            turn[i, j] = 0.0
        turn[i, i] = 1.0
    for k in range(p - 1):
        rest = 0.0
        for i in range(k + 1, p):
            rest += matrix[i, k] * matrix[i, k]
        if rest == 0.0:
            continue
        top = matrix[k, k]
        # The sign that does not cancel.
        end = -math.copysign(math.sqrt(top * top + rest), top)
        h[k] = 1.0
        for i in range(k + 1, p):
            h[i] = matrix[i, k] / (top - end)
            matrix[i, k] = 0.0
        matrix[k, k] = end
        factor = (end - top) / end
        reflect(h, factor, matrix, k, k + 1, along)
        reflect(h, factor, turn, k, 0, along)


@kernel(inner=True)
def reflect_columns(columns: NDArray[np.float64], k: int, diagonal: NDArray[np.float64]) -> None:
    """Make the first ``k`` rows of ``columns`` (p, m), each a column of numbers, triangular.

    R_ij stands in ``columns[j, i]`` for i < j, and R_ii in ``diagonal[i]``; the other rows are
    turned along.
    """
    for i in range(k):
        mine = columns[i, i:]
        length = math.sqrt(dot(mine, mine))
        # The sign that does not cancel.
        end = -math.copysign(length, mine[0])
        diagonal[i] = end
        if length == 0.0:
            continue
        mine[0] -= end
        scale = -1.0 / (end * mine[0])
        for j in range(i + 1, columns.shape[0]):
            other = columns[j, i:]
            along = scale * dot(mine, other)
            for t in range(mine.size):
                other[t] -= along * mine[t]
