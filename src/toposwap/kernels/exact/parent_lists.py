r"""The best parents of a node within a set of variables, looked up in lists.

.. math:: b_v(S) = \min \{ Q_v(P) : P \in L_v,\; P \subseteq S \}.

Of the list :math:`L_v` the first set that fits is the best, if the list is sorted. To come to it
soon, there is one list for each choice of a few variables that are often parents of v: it has the
sets that need no other of these, without those that are worse than one that asks for no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: The most variables of a node by which its list is divided.
_MOST_KEYS = 9


class ParentLists(NamedTuple):
    """Lists of parent sets, a set being the bits of its variables.

    ``keys[v]`` (d, K) are the variables by which the lists of v are divided, -1 behind the last.
    The list for the choice s of them is ``first[v] + s``: ``begin[first[v] + s]`` up to the next
    entry of ``begin`` are the places in ``sets`` (what is needed beyond the keys) and ``values``.
    """

    keys: NDArray[np.int64]
    first: NDArray[np.int64]
    begin: NDArray[np.int64]
    sets: NDArray[np.uint64]
    values: NDArray[np.float64]


@kernel(inner=True)
def best_within(lists: ParentLists, v: int, within: np.uint64) -> float:
    """b_v(S) for the set ``within``; infinite if no set of parents fits."""
    one = np.uint64(1)
    choice = 0
    for i in range(lists.keys.shape[1]):
        key = lists.keys[v, i]
        if key < 0:
            break
        if within >> np.uint64(key) & one:
            choice |= 1 << i
    at = lists.first[v] + choice
    lacking = ~within
    for i in range(lists.begin[at], lists.begin[at + 1]):
        if lists.sets[i] & lacking == 0:
            return lists.values[i]
    return np.inf


@kernel
def _divide(
    keys: NDArray[np.int64],
    sets: NDArray[np.uint64],
    values: NDArray[np.float64],
    begin: NDArray[np.int64],
    kept_sets: NDArray[np.uint64],
    kept_values: NDArray[np.float64],
) -> int:
    """One list for each choice of ``keys`` (k,) from a sorted one (m,); its places, or -1.

    ``begin`` (2^k + 1,) receives where each begins. Returns how many places are used, -1 if
    ``kept_sets`` and ``kept_values`` have no room.
    """
    used = 0
    one = np.uint64(1)
    every = np.uint64(0)
    for i in range(keys.size):
        every |= one << np.uint64(keys[i])
    for choice in range(1 << keys.size):
        present = np.uint64(0)
        for i in range(keys.size):
            if choice >> i & 1:
                present |= one << np.uint64(keys[i])
        absent = every & ~present
        begin[choice] = used
        for s in range(sets.size):
            if sets[s] & absent:
                continue
            rest = sets[s] & ~every
            needed = True
            for i in range(begin[choice], used):
                if kept_sets[i] & ~rest == 0:
                    needed = False
                    break
            if not needed:
                continue
            if used == kept_sets.size:
                return -1
            kept_sets[used] = rest
            kept_values[used] = values[s]
            used += 1
            if rest == 0:
                # It fits whatever else there is, and what follows is worse.
                break
    begin[1 << keys.size] = used
    return used


def parent_lists(
    d: int, found: Sequence[tuple[NDArray[np.uint64], NDArray[np.float64]]]
) -> ParentLists:
    """The lists of all nodes, from the sets and their values that were found for each of them."""
    keys = np.full((d, _MOST_KEYS), -1, dtype=np.int64)
    first = np.zeros(d, dtype=np.int64)
    begin: list[NDArray[np.int64]] = []
    sets: list[NDArray[np.uint64]] = []
    values: list[NDArray[np.float64]] = []
    lists = places = 0
    for v, (unsorted, their_values) in enumerate(found):
        order = np.argsort(their_values, kind="stable")
        masks, scores = unsorted[order], their_values[order]
        member = (masks[:, None] >> np.arange(d, dtype=np.uint64)) & np.uint64(1)
        often = np.argsort(-member.sum(axis=0), kind="stable")
        k = min(_MOST_KEYS, max(1, int(np.log2(len(masks) + 1)) - 2), d - 1)
        chosen = often[:k].astype(np.int64)
        keys[v, :k] = chosen
        ends = np.empty((1 << k) + 1, dtype=np.int64)
        room = 4 * len(masks) + 1024
        while True:
            kept, told = np.empty(room, dtype=np.uint64), np.empty(room)
            used = _divide(chosen, masks, scores, ends, kept, told)
            if used >= 0:
                break
            room *= 2
        first[v] = lists
        begin.append(ends[:-1] + places)
        sets.append(kept[:used])
        values.append(told[:used])
        lists += 1 << k
        places += used
    begin.append(np.array([places], dtype=np.int64))
    return ParentLists(
        keys, first, np.concatenate(begin), np.concatenate(sets), np.concatenate(values)
    )
