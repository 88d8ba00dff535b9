r"""The order of smallest conditional variances: a pivoted orthogonalisation.

Each step takes the variable with the least :math:`c_v \operatorname{var}(x_v \mid \text{taken})`
and removes its direction from the others (modified Gram-Schmidt on the columns of the factor).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def smallest_variance_order(
    columns: NDArray[np.float64], cost: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Order of the rows of ``columns`` (d, m), one vector a variable, which is overwritten."""
    d, m = columns.shape
    order = np.arange(d)
    variance = np.empty(d)
    for v in range(d):
        variance[v] = np.dot(columns[v], columns[v])
    for step in range(d):
        best = step
        for t in range(step + 1, d):
            if cost[order[t]] * variance[order[t]] < cost[order[best]] * variance[order[best]]:
                best = t
        order[step], order[best] = order[best], order[step]
        pivot = columns[order[step]]
        length2 = np.dot(pivot, pivot)
        if length2 == 0.0:
            continue
        for t in range(step + 1, d):
            other = columns[order[t]]
            along = np.dot(pivot, other) / length2
            left = 0.0
            for i in range(m):
                other[i] -= along * pivot[i]
                left += other[i] * other[i]
            variance[order[t]] = left
    return order
