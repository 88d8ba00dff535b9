r"""Least squares of many columns, each on a few others, by reflections.

With the columns of the parents made triangular, :math:`T F_P = R`, the coefficients of column j are
:math:`R^{-1} (T f_j)`, as accurate as the columns allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.householder import reflect_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def regressions(
    columns: NDArray[np.float64],
    chosen: NDArray[np.int64],
    parents: NDArray[np.bool_],
    independent: float,
    weights: NDArray[np.float64],
) -> int:
    """Fill the columns ``chosen`` (a,) of ``weights`` (d, d) with those of their ``parents``.

    Row u of ``columns`` (d, m) is the column u; ``parents[u, j]`` (d, d) tells whether u is one of
    j. Columns whose R has a diagonal entry below the share ``independent`` of its largest are left
    as they are; they are put first in ``chosen``, and how many there are is returned.
    """
    d, m = columns.shape
    mine = np.empty(d, dtype=np.int64)
    left = 0
    for t in range(chosen.size):
        z = chosen[t]
        k = 0
        for u in range(d):
            if parents[u, z]:
                mine[k] = u
                k += 1
        if k == 0:
            continue
        work = np.empty((k + 1, m))
        diagonal = np.zeros(k)
        for i in range(k + 1):
            source = columns[mine[i]] if i < k else columns[z]
            for s in range(m):
                work[i, s] = source[s]
        least, most = 0.0, 0.0
        if m >= k:
            reflect_columns(work, k, diagonal)
            least, most = np.inf, 0.0
            for i in range(k):
                least = min(least, abs(diagonal[i]))
                most = max(most, abs(diagonal[i]))
        if not least > independent * most:
            chosen[t] = chosen[left]
            chosen[left] = z
            left += 1
            continue
        for i in range(k - 1, -1, -1):
            rest = work[k, i]
            for j in range(i + 1, k):
                rest -= work[j, i] * weights[mine[j], z]
            weights[mine[i], z] = rest / diagonal[i]
    return left
