"""Least squares of every column on its parents, from a covariance: the M-step of a graph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.missing.cholesky import factored, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def regressions(
    covariance: NDArray[np.float64], graph: NDArray[np.bool_], weights: NDArray[np.float64]
) -> bool:
    """w_j = C_PP^-1 C_Pj for the parents P of j in ``graph`` (d, d); False where C_PP is singular.

    ``weights`` (d, d) is zero before, and has the coefficients in the columns of their effects.
    """
    d = covariance.shape[0]
    factor = np.empty((d, d))
    z = np.empty(d)
    parents = np.empty(d, dtype=np.int64)
    for j in range(d):
        m = 0
        for i in range(d):
            if graph[i, j]:
                parents[m] = i
                m += 1
        for a in range(m):
            z[a] = covariance[parents[a], j]
            for b in range(a + 1):
                factor[a, b] = covariance[parents[a], parents[b]]
        if math.isnan(factored(factor, m)):
            return False
        solve(factor, m, z)
        for a in range(m):
            weights[parents[a], j] = z[a]
    return True
