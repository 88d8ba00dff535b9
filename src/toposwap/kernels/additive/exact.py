r"""The global minimum over all orders of blocks, by dynamic programming over sets of variables.

As in :mod:`~toposwap.kernels.least_squares.exact`: a depth-first walk decides variable after
variable whether it is in the set ``S`` of predecessors. Taking one in removes the directions of its
whole block from the others. A variable that was left out is no longer a predictor, so that only its
first column, which is to be explained, is carried along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import bit_sets
from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.dot import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True)
def remove_direction(pivot: NDArray[np.float64], length2: float, x: NDArray[np.float64]) -> None:
    """Replace x by x - (pivot . x) pivot / length2."""
    along = dot(pivot, x) / length2
    for i in range(x.size):
        x[i] -= along * pivot[i]


@kernel
def exact_order(
    blocks: NDArray[np.float64], cost: NDArray[np.float64], before: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Order with the least total cost; ``blocks`` (d, m, D) holds the columns as rows.

    ``before`` as in :mod:`~toposwap.kernels.graphs.precedence`.
    """
    d, m, size = blocks.shape
    n_sets = 1 << d
    best = np.empty(n_sets)
    last = np.empty(n_sets, dtype=np.int8)
    for s in range(n_sets):
        best[s] = np.inf
        last[s] = 0
    best[0] = 0.0
    needed = bit_sets(before.T, d, before.shape[0] > 0, 0)
    # residual[depth]: orthogonal to what was taken in among the variables d-1, d-2, ... decided.
    residual = np.empty((d + 1, d, m, size))
    for v in range(d):
        for c in range(m):
            for i in range(size):
                residual[0, v, c, i] = blocks[v, c, i]
    taken = np.empty(d + 1, dtype=np.int64)
    branch = np.empty(d + 1, dtype=np.int64)
    for depth in range(d + 1):
        taken[depth] = branch[depth] = 0
    block = np.empty((m, size))
    depth = 0
    while depth >= 0:
        if depth == d:
            s = taken[depth]
            for v in range(d):
                if s >> v & 1 or needed[v] & ~s != 0:
                    continue
                x = residual[depth, v, 0]
                total = best[s] + cost[v] * dot(x, x)
                larger = s | (1 << v)
                if total < best[larger]:
                    best[larger] = total
                    last[larger] = v
            depth -= 1
            continue
        bit = d - 1 - depth
        if branch[depth] == 2:
            branch[depth] = 0
            depth -= 1
            continue
        here, there = residual[depth], residual[depth + 1]
        for v in range(d):
            for c in range(m if v < bit else 1):
                for i in range(size):
                    there[v, c, i] = here[v, c, i]
        taken[depth + 1] = taken[depth]
        if branch[depth] == 1:
            taken[depth + 1] |= 1 << bit
            for c in range(m):
                for i in range(size):
                    block[c, i] = here[bit, c, i]
            for r in range(m):
                pivot = block[r]
                length2 = dot(pivot, pivot)
                if length2 == 0.0:
                    continue
                for c in range(r + 1, m):
                    remove_direction(pivot, length2, block[c])
                for v in range(d):
                    if taken[depth + 1] >> v & 1:
                        continue
                    for c in range(m if v < bit else 1):
                        remove_direction(pivot, length2, there[v, c])
        branch[depth] += 1
        depth += 1

    order = np.empty(d, dtype=np.int64)
    s = n_sets - 1
    for k in range(d - 1, -1, -1):
        order[k] = last[s]
        s ^= 1 << order[k]
    return order
