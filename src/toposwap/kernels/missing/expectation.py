r"""The E-step of a normal model, pattern by pattern of gaps.

With :math:`K = \Sigma^{-1}`, gaps :math:`A` and values :math:`O` of a row,

.. math:: E[x_A \mid x_O] = \mu_A - K_{AA}^{-1} K_{AO} (x_O - \mu_O), \qquad
          \operatorname{Cov}[x_A \mid x_O] = K_{AA}^{-1}, \qquad
          \lvert \Sigma_{OO} \rvert = \lvert \Sigma \rvert \, \lvert K_{AA} \rvert ,

so that one Cholesky factor as wide as the gaps serves all rows of a pattern.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.missing.cholesky import factored, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def expectation(
    rows: NDArray[np.float64],
    starts: NDArray[np.int64],
    columns: NDArray[np.int64],
    gaps: NDArray[np.int64],
    weights: NDArray[np.float64],
    precision: NDArray[np.float64],
    conditional: NDArray[np.float64],
) -> float:
    """Fill the gaps of ``rows`` and return sum_r w_r log |K_AA|, NaN where K is not definite.

    Parameters
    ----------
    rows
        (n, d), about the mean, sorted by pattern; what stands in the gaps is overwritten by its
        expectation.
    starts
        (p + 1,), where the rows of each pattern begin.
    columns
        (p, d), the columns of each pattern, those with gaps first.
    gaps
        (p,), how many have gaps.
    weights
        (n,), how often each row counts.
    precision
        K, (d, d).
    conditional
        (d, d), to which sum_r w_r Cov[x | what is there] is added.
    """
    d = rows.shape[1]
    factor = np.empty((d, d))
    z = np.empty(d)
    total = 0.0
    for p in range(gaps.size):
        m = gaps[p]
        if m == 0:
            continue
        for i in range(m):
            for j in range(i + 1):
                factor[i, j] = precision[columns[p, i], columns[p, j]]
        log_determinant = factored(factor, m)
        if math.isnan(log_determinant):
            return math.nan
        weight = 0.0
        for r in range(starts[p], starts[p + 1]):
            weight += weights[r]
            for i in range(m):
                a = columns[p, i]
                product = 0.0
                for k in range(m, d):
                    o = columns[p, k]
                    product -= precision[a, o] * rows[r, o]
                z[i] = product
            solve(factor, m, z)
            for i in range(m):
                rows[r, columns[p, i]] = z[i]
        total += weight * log_determinant
        for i in range(m):
            for k in range(m):
                z[k] = 0.0
            z[i] = 1.0
            solve(factor, m, z)
            for k in range(m):
                conditional[columns[p, i], columns[p, k]] += weight * z[k]
    return total
