r"""The best sequence of variables where each pair in it has a worth: dynamic programming over sets.

.. math:: B(S) = \max_{v \in S} B(S - v) + \sum_{u \in S - v} c_{uv} .

A set is the number whose binary digits say who is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def best_sequence(
    low: NDArray[np.float64], high: NDArray[np.float64], half: int
) -> NDArray[np.int64]:
    """The d variables in the sequence with the largest sum of worth over pairs in order, (d,).

    ``low[s, v]`` (2^half, d) is the sum of c_uv over the members u of the set s of the first
    ``half`` variables, ``high[s, v]`` (2^(d - half), d) the same of the others.
    """
    d = low.shape[1]
    size = 1 << d
    mask = (1 << half) - 1
    best = np.zeros(size)
    last = np.zeros(size, dtype=np.int8)
    for subset in range(1, size):
        top = -np.inf
        who = 0
        for v in range(d):
            bit = 1 << v
            if subset & bit:
                rest = subset ^ bit
                total = best[rest] + low[rest & mask, v] + high[rest >> half, v]
                if total > top:
                    top = total
                    who = v
        best[subset] = top
        last[subset] = who
    order = np.empty(d, dtype=np.int64)
    here = size - 1
    for k in range(d - 1, -1, -1):
        order[k] = last[here]
        here ^= 1 << order[k]
    return order
