"""Which positions a variable may take where some must stand before others.

``before[u, v]`` (d, d): u must stand before v. The order at hand obeys it. A table without entries,
(0, 0), stands for no such demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


def precedence_table(before: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """What kernels take for ``before``, (d, d) or (0, 0)."""
    if before is None:
        return np.zeros((0, 0), dtype=np.bool_)
    return np.ascontiguousarray(before, dtype=np.bool_)


def possible_swaps(before: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the variables at positions p < q may be exchanged, (d, d), False elsewhere.

    The one at p passes all up to q, the one at q all from p on.
    """
    d = order.size
    later = np.triu(np.ones((d, d), dtype=np.bool_), 1)
    if before.size == 0:
        return later
    demanded = before[np.ix_(order, order)] & later
    follows = np.where(demanded.any(axis=1), demanded.argmax(axis=1), d)
    precedes = np.where(demanded.any(axis=0), d - 1 - demanded[::-1].argmax(axis=0), -1)
    place = np.arange(d)
    return later & (place < follows[:, None]) & (place[:, None] > precedes)


@kernel(borrowing=True)
def lowest_position(before: NDArray[np.bool_], position: NDArray[np.int64], v: int) -> int:
    """The first position that ``v`` may take while the others keep their order."""
    lowest = 0
    for u in range(position.size):
        if before[u, v] and u != v:
            lowest = max(lowest, position[u] + 1)
    return lowest


@kernel(borrowing=True)
def highest_position(before: NDArray[np.bool_], position: NDArray[np.int64], v: int) -> int:
    """The last position that ``v`` may take while the others keep their order."""
    highest = position.size - 1
    for w in range(position.size):
        if before[v, w] and w != v:
            highest = min(highest, position[w] - 1)
    return highest


@kernel(inner=True)
def bit_sets(relation: NDArray[np.bool_], d: int, given: bool, otherwise: int) -> NDArray[np.int64]:
    """For each v the bits of all u with ``relation[v, u]``, or ``otherwise`` if not ``given``."""
    sets = np.empty(d, dtype=np.int64)
    for v in range(d):
        sets[v] = otherwise
        if given:
            sets[v] = 0
            for u in range(d):
                if u != v and relation[v, u]:
                    sets[v] |= 1 << u
    return sets
