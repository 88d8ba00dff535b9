r"""A small matrix made triangular by reflections: :math:`T A = R`, T orthogonal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

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
