"""Cholesky's factor of the leading rows of a work array: A = L L', (m, m)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@kernel(inner=True)
def factored(matrix: NDArray[np.float64], m: int) -> float:
    """Cholesky's factor in the lower triangle of the first ``m`` rows, in place; log |matrix|.

    NaN if the matrix is not positive definite.
    """
    log_determinant = 0.0
    for i in range(m):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i > j:
                matrix[i, j] = total / matrix[j, j]
            elif total > 0.0:
                matrix[i, i] = math.sqrt(total)
                log_determinant += math.log(total)
            else:
                return math.nan
    return log_determinant


@kernel(inner=True)
def solve(factor: NDArray[np.float64], m: int, z: NDArray[np.float64]) -> None:
    """Solve L L' z = z, in place, with the lower triangle L of ``m`` rows."""
    for i in range(m):
        total = z[i]
        for k in range(i):
            total -= factor[i, k] * z[k]
        z[i] = total / factor[i, i]
    for i in range(m - 1, -1, -1):
        total = z[i]
        for k in range(i + 1, m):
            total -= factor[k, i] * z[k]
        z[i] = total / factor[i, i]
