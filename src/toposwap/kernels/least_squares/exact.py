r"""The global minimum over all orders, by dynamic programming over sets of variables.

Let :math:`B(S)` be the least total cost of an order of the variables in ``S``:

.. math:: B(S) = \min_{v \in S} B(S \setminus v) + c_v \operatorname{var}(x_v \mid S \setminus v).

A depth-first walk decides variable after variable whether it is in ``S``, leaving it out first.
Then every set is met after all its subsets, so the recursion is carried out during the walk and no
table of conditional variances is stored. Taking a variable in removes its direction from the
others (modified Gram-Schmidt); the sets share this work along the walk, which therefore costs
:math:`O(2^d d^2)` time and :math:`O(2^d)` memory. A variable follows only sets that hold all that
must stand before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import bit_sets
from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.dot import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def exact_order(
    columns: NDArray[np.float64], cost: NDArray[np.float64], before: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Order of the rows of ``columns`` (d, m), one vector a variable, with the least total cost.

    ``before`` as in :mod:`~toposwap.kernels.graphs.precedence`.
    """
    d, m = columns.shape
    n_sets = 1 << d
    best = np.empty(n_sets)
    last = np.empty(n_sets, dtype=np.int8)
    for s in range(n_sets):
        best[s] = np.inf
        last[s] = 0
    best[0] = 0.0
    needed = bit_sets(before.T, d, before.shape[0] > 0, 0)

    # residual[depth] holds the columns orthogonal to what was taken in among the first `depth`
    # variables decided (bits d-1, d-2, ...).
    residual = np.empty((d + 1, d, m))
    for v in range(d):
        for i in range(m):
            residual[0, v, i] = columns[v, i]
    taken = np.empty(d + 1, dtype=np.int64)
    branch = np.empty(d + 1, dtype=np.int64)
    taken[0] = branch[0] = 0
    depth = 0
    while depth >= 0:
        if depth == d:
            s = taken[depth]
            for v in range(d):
                if s >> v & 1 or needed[v] & ~s != 0:
                    continue
                x = residual[depth, v]
                total = best[s] + cost[v] * dot(x, x)
                larger = s | (1 << v)
                if total < best[larger]:
                    best[larger] = total
                    last[larger] = v
            depth -= 1
            continue
        bit = d - 1 - depth
        if branch[depth] == 0:
            branch[depth] = 1
            for v in range(d):
                for i in range(m):
                    residual[depth + 1, v, i] = residual[depth, v, i]
            taken[depth + 1] = taken[depth]
            branch[depth + 1] = 0
            depth += 1
        elif branch[depth] == 1:
            branch[depth] = 2
            pivot = residual[depth, bit]
            length2 = dot(pivot, pivot)
            for v in range(d):
                x = residual[depth, v]
                along = dot(pivot, x) / length2 if length2 > 0.0 else 0.0
                out = residual[depth + 1, v]
                for i in range(m):
                    out[i] = x[i] - along * pivot[i]
            taken[depth + 1] = taken[depth] | (1 << bit)
            branch[depth + 1] = 0
            depth += 1
        else:
            depth -= 1

    order = np.empty(d, dtype=np.int64)
    s = n_sets - 1
    for k in range(d - 1, -1, -1):
        order[k] = last[s]
        s ^= 1 << order[k]
    return order
