"""The pairs of variables that a candidate set is chosen from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def unstationary_pairs(
    gradient: NDArray[np.float64],
    h_gradient: NDArray[np.float64],
    row_scale: NDArray[np.float64],
    column_scale: NDArray[np.float64],
    tolerance: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Pairs (i, j) with gradient[i, j] above tolerance * row_scale[i] * column_scale[j].

    Returns the pairs (m, 2) and, for each, the gradient of Q and that of h.
    """
    d = gradient.shape[0]
    count = 0
    pairs = np.empty((d * (d - 1), 2), dtype=np.int64)
    q = np.empty(d * (d - 1))
    h = np.empty(d * (d - 1))
    for j in range(d):
        limit = tolerance * column_scale[j]
        for i in range(d):
            if i != j and gradient[i, j] > limit * row_scale[i]:
                pairs[count, 0] = i
                pairs[count, 1] = j
                q[count] = gradient[i, j]
                h[count] = h_gradient[i, j]
                count += 1
    return pairs[:count], q[:count], h[:count]
