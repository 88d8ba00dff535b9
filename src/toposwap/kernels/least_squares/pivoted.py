r"""The order of smallest conditional variances: a pivoted orthogonalisation.

Each step takes the variable with the least :math:`c_v \operatorname{var}(x_v \mid \text{taken})`
and removes its direction from the others (modified Gram-Schmidt on the columns of the factor).
Where some variables must stand before others, it is the least among those that wait for none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import reassociated_kernel
from toposwap.kernels.linalg.dot import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@reassociated_kernel
def smallest_variance_order(
    columns: NDArray[np.float64], cost: NDArray[np.float64], before: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Order of the rows of ``columns`` (d, m), one vector a variable, which is overwritten.

    ``before`` as in :mod:`~toposwap.kernels.graphs.precedence`.
    """
    d, m = columns.shape
    order = np.empty(d, dtype=np.int64)
    variance = np.empty(d)
    waits = np.empty(d, dtype=np.int64)
    for v in range(d):
        order[v] = v
        variance[v] = dot(columns[v], columns[v])
        waits[v] = 0
        for u in range(before.shape[0]):
            if before[u, v] and u != v:
                waits[v] += 1
    for step in range(d):
        best = -1
        for t in range(step, d):
            v = order[t]
            if waits[v] == 0 and (
                best < 0 or cost[v] * variance[v] < cost[order[best]] * variance[order[best]]
            ):
                best = t
        chosen = order[best]
        order[best] = order[step]
        order[step] = chosen
        for v in range(before.shape[0]):
            if before[chosen, v] and v != chosen:
                waits[v] -= 1
        pivot = columns[chosen]
        length2 = dot(pivot, pivot)
        if length2 == 0.0:
            continue
        for t in range(step + 1, d):
            other = columns[order[t]]
            along = dot(pivot, other) / length2
            left = 0.0
            for i in range(m):
                other[i] -= along * pivot[i]
                left += other[i] * other[i]
            variance[order[t]] = left
    return order
