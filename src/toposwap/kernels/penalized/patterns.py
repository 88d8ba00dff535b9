r"""Rows that agree on a few 0/1 columns are one row, for a node that uses only these columns.

With ``k`` columns there are at most :math:`2^k` different linear predictors, so the sums over rows
of a canonical loss (logistic, Poisson) run over patterns; only the gradient at absent edges needs
all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def pattern_sums(
    bits: NDArray[np.uint8],
    omega: NDArray[np.float64],
    y: NDArray[np.float64],
    some: NDArray[np.int64],
    codes: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight and weighted sum of ``y`` of each pattern of the columns ``some`` (k,), (2^k,) each.

    ``bits`` is (d, n), ``omega`` and ``y`` are (n,); ``codes`` (n,) receives the pattern of each
    row, the bit ``t`` of which is column ``some[t]``.
    """
    n = y.size
    codes[:] = 0
    for t in range(some.size):
        column = bits[some[t]]
        for i in range(n):
            codes[i] |= np.int64(column[i]) << t
    mass = np.zeros(1 << some.size)
    total = np.zeros(1 << some.size)
    for i in range(n):
        mass[codes[i]] += omega[i]
        total[codes[i]] += omega[i] * y[i]
    return mass, total


@kernel
def spread_residuals(
    omega: NDArray[np.float64],
    y: NDArray[np.float64],
    codes: NDArray[np.int64],
    mu: NDArray[np.float64],
    residual: NDArray[np.float64],
) -> None:
    """The residual omega (mu - y) of each row, from the means ``mu`` (2^k,) of the patterns."""
    for i in range(y.size):
        residual[i] = omega[i] * (mu[codes[i]] - y[i])
