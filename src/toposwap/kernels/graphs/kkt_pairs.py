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
    """Pairs (i, j) for which gradient[i, j], (d, d) and >= 0, is not zero.

    Where no walk leads back from j to i, so that h_gradient[i, j] is zero, the KKT conditions ask
    for a zero, and what is no more than tolerance * row_scale[i] * column_scale[j] is one. Where a
    walk does, nothing is asked of the gradient, and none is too small to suggest a swap: among
    columns of 1 and of 1e10 such a pair may be worth all there is to gain.

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
            least = limit * row_scale[i] if h_gradient[i, j] == 0.0 else 0.0
            if i != j and gradient[i, j] > least:
                pairs[count, 0] = i
                pairs[count, 1] = j
                q[count] = gradient[i, j]
                h[count] = h_gradient[i, j]
                count += 1
    return pairs[:count], q[:count], h[:count]
