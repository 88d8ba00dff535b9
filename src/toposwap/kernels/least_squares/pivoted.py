r"""The order of smallest conditional variances: a pivoted orthogonalisation.

Each step takes the variable with the least :math:`c_v \operatorname{var}(x_v \mid \text{taken})`
and removes its direction from the others (modified Gram-Schmidt on the columns of the factor).
Where some variables must stand before others, it is the least among those that wait for none.

With many variables the same order is read off the covariance matrix, whose Cholesky factor is made
row by row: the rows of a panel of some steps are all that a step needs, and the rest of the matrix
is brought up to date by one product of matrices a panel (:func:`take_panel`). That squares the
condition of the data, so it is for those that are far from dependent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel, reassociated_kernel
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


@kernel
def take_panel(
    covariance: NDArray[np.float64],
    variance: NDArray[np.float64],
    order: NDArray[np.int64],
    cost: NDArray[np.float64],
    start: int,
    rows: NDArray[np.float64],
) -> None:
    """Take the next variables, one for each of ``rows`` (m, d), which become those of the factor.

    ``order``, ``variance`` and the upper triangle of ``covariance`` are by position, and say from
    ``start`` on what is left given those before; ``cost`` is by variable. Those taken move to the
    places from ``start`` on; afterwards ``covariance`` still lacks the products of ``rows``.
    """
    d = order.size
    for s in range(rows.shape[0]):
        k = start + s
        best = k
        for t in range(k + 1, d):
            if cost[order[t]] * variance[t] < cost[order[best]] * variance[best]:
                best = t
        order[k], order[best] = order[best], order[k]
        variance[k], variance[best] = variance[best], variance[k]
        for r in range(s):
            rows[r, k], rows[r, best] = rows[r, best], rows[r, k]
        if best > k:
            for j in range(k + 1, best):
                covariance[k, j], covariance[j, best] = covariance[j, best], covariance[k, j]
            for j in range(best + 1, d):
                covariance[k, j], covariance[best, j] = covariance[best, j], covariance[k, j]
        row = rows[s]
        for j in range(k + 1, d):
            row[j] = covariance[k, j]
        for r in range(s):
            other = rows[r]
            share = other[k]
            for j in range(k + 1, d):
                row[j] -= share * other[j]
        pivot = np.sqrt(variance[k])
        for j in range(k + 1, d):
            row[j] /= pivot
            variance[j] -= row[j] * row[j]
