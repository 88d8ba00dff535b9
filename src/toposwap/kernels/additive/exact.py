r"""The global minimum over all orders of blocks, by dynamic programming over sets of variables.

As in :mod:`~toposwap.kernels.least_squares.exact`: a depth-first walk decides variable after
variable whether it is in the set ``S`` of predecessors. Taking one in removes the directions of its
whole block from the others. A variable that was left out is no longer a predictor, so that only its
first column, which is to be explained, is carried along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def exact_order(blocks: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.int64]:
    """Order with the least total cost; ``blocks`` (d, m, D) holds the columns as rows."""
    d, m, _ = blocks.shape
    best = np.full(1 << d, np.inf)
    last = np.zeros(1 << d, dtype=np.int8)
    best[0] = 0.0
    # residual[depth]: orthogonal to what was taken in among the variables d-1, d-2, ... decided.
    residual = np.empty((d + 1, *blocks.shape))
    residual[0] = blocks
    taken = np.zeros(d + 1, dtype=np.int64)
    branch = np.zeros(d + 1, dtype=np.int64)
    depth = 0
    while depth >= 0:
        if depth == d:
            s = taken[depth]
            for v in range(d):
                if s >> v & 1:
                    continue
                x = residual[depth, v, 0]
                total = best[s] + cost[v] * np.dot(x, x)
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
            width = m if v < bit else 1
            there[v, :width] = here[v, :width]
        if branch[depth] == 0:
            taken[depth + 1] = taken[depth]
        else:
            taken[depth + 1] = taken[depth] | (1 << bit)
            block = here[bit].copy()
            for r in range(m):
                length2 = np.dot(block[r], block[r])
                if length2 == 0.0:
                    continue
                pivot = block[r] / np.sqrt(length2)
                for s in range(r + 1, m):
                    block[s] -= np.dot(pivot, block[s]) * pivot
                for v in range(d):
                    if taken[depth + 1] >> v & 1:
                        continue
                    for c in range(m if v < bit else 1):
                        there[v, c] -= np.dot(pivot, there[v, c]) * pivot
        branch[depth] += 1
        depth += 1

    order = np.empty(d, dtype=np.int64)
    s = (1 << d) - 1
    for k in range(d - 1, -1, -1):
        order[k] = last[s]
        s ^= 1 << order[k]
    return order
