r"""How far rotations have carried a factor pair from what it is a pair of.

For any vector x, :math:`R^\top R x` is that of the data, and :math:`R V^\top x = x`: two products
with each triangle tell in O(d^2) whether digits were lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def products(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    x: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """R x (d,) by position, R' R x (d,) by variable, and R V' x (d,) by position.

    ``x`` (d,) is by variable; see :mod:`~toposwap.kernels.least_squares.factor_pair`.
    """
    d = pair.shape[0]
    along = np.zeros(d)
    back = np.zeros(d)
    solved = np.zeros(d)
    around = np.zeros(d)
    for k in range(d):
        own = order[k]
        total = diagonal[k] * x[own]
        for v in range(d):
            if position[v] > k:
                total += pair[k, v] * x[v]
            elif position[v] < k:
                solved[v] += pair[k, v] * x[own]
        along[k] = total
        for v in range(d):
            if position[v] > k:
                back[v] += pair[k, v] * total
        back[own] += diagonal[k] * total
        solved[own] += x[own] / diagonal[k]
    for k in range(d):
        total = diagonal[k] * solved[order[k]]
        for v in range(d):
            if position[v] > k:
                total += pair[k, v] * solved[v]
        around[k] = total
    return along, back, around
