"""What was counted before: costs by node and set of parents.

A set is known by its key, the exclusive or of 64 random bits for the node and for each parent. Two
of a million sets have the same key with a chance of 3e-8; the score of a result is counted afresh.
What is full is begun again, which changes nothing but the time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.counting import costs_with_one_more, counted_cost
from toposwap.kernels.categorical.tables import ENTRIES, ROWS, Cache, Counter
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NODE, _PARENT = 0, 1


@kernel(borrowing=True)
def _key(
    signs: NDArray[np.uint64], z: int, parents: NDArray[np.int64], k: int, skipped: int
) -> np.uint64:
    """Of ``z`` with ``parents[:k]`` but for the place ``skipped``, which may be none (-1)."""
    key = signs[_NODE, z]
    for t in range(k):
        if t != skipped:
            key ^= signs[_PARENT, parents[t]]
    return key


@kernel(borrowing=True)
def _address(cache: Cache, key: np.uint64) -> int:
    """Where the entry of ``key`` is noted, or the empty place where it belongs."""
    last = np.int64(cache.place.size - 1)
    at = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(last))
    while cache.place[at] != 0 and cache.keys[cache.place[at] - 1] != key:
        at = at + 1 if at < last else np.int64(0)
    return int(at)


@kernel(borrowing=True)
def _find(cache: Cache, key: np.uint64) -> int:
    """The entry of ``key``, -1 if there is none."""
    return int(cache.place[_address(cache, key)]) - 1


@kernel(borrowing=True)
def _make_room(cache: Cache) -> None:
    """Begin again if the cache is about to be full."""
    full = cache.used[ENTRIES] == cache.keys.size or cache.used[ROWS] == cache.rows.shape[0]
    if full:
        for i in range(cache.place.size):
            cache.place[i] = 0
        cache.used[ENTRIES] = 0
        cache.used[ROWS] = 0


@kernel(borrowing=True)
def _put(cache: Cache, key: np.uint64, cost: float) -> None:
    entry = cache.used[ENTRIES]
    cache.place[_address(cache, key)] = entry + 1
    cache.keys[entry] = key
    cache.cost[entry] = cost
    cache.row[entry] = -1
    cache.used[ENTRIES] += 1


@kernel(borrowing=True)
def _put_last(parents: NDArray[np.int64], k: int, place: int) -> int:
    """Exchange the one at ``place`` with the last of ``parents[:k]``; how many are before it.

    All of them if ``place`` is none (-1). Twice, and they are as they were.
    """
    if place < 0:
        return k
    other = parents[place]
    parents[place] = parents[k - 1]
    parents[k - 1] = other
    return k - 1


@kernel(borrowing=True)
def cost_without(
    counter: Counter, z: int, parents: NDArray[np.int64], k: int, skipped: int
) -> float:
    """The cost of ``z`` with ``parents[:k]`` but for the place ``skipped`` (-1: with all)."""
    rule, work, cache = counter
    key = _key(rule.signs, z, parents, k, skipped)
    entry = _find(cache, key)
    if entry >= 0:
        return cache.cost[entry]
    _make_room(cache)
    count = _put_last(parents, k, skipped)
    cost = counted_cost(rule, work, z, parents, count)
    _put_last(parents, k, skipped)
    _put(cache, key, cost)
    return cost


@kernel(borrowing=True)
def costs_row(
    counter: Counter,
    z: int,
    parents: NDArray[np.int64],
    k: int,
    skipped: int,
    position: NDArray[np.int64],
    limit: int,
    extra: int,
) -> int:
    """The place in ``cache.rows`` of the costs of ``z`` with one parent more than these.

    Those of candidates whose ``position`` is before ``limit``, and of ``extra``, are known then;
    others may be NaN. Valid until the next question.
    """
    rule, work, cache = counter
    key = _key(rule.signs, z, parents, k, skipped)
    entry = _find(cache, key)
    if entry >= 0 and cache.row[entry] >= 0 and cache.complete[cache.row[entry]]:
        return cache.row[entry]
    here = cost_without(counter, z, parents, k, skipped)
    if cache.used[ROWS] == cache.rows.shape[0]:
        _make_room(cache)
        here = cost_without(counter, z, parents, k, skipped)
    entry = _find(cache, key)
    row = cache.row[entry]
    if row < 0:
        row = cache.used[ROWS]
        cache.used[ROWS] += 1
        cache.row[entry] = row
        for u in range(position.size):
            cache.rows[row, u] = np.nan
    else:
        missing = False
        for u in range(position.size):
            wanted = position[u] < limit or u == extra
            missing = missing or (wanted and math.isnan(cache.rows[row, u]))
        if not missing:
            return row
        # Asked for once more, a set is likely to be asked for again: all at once.
        limit = position.size
    cache.complete[row] = limit >= position.size
    count = _put_last(parents, k, skipped)
    costs = cache.rows[row]
    costs_with_one_more(rule, work, z, parents, count, here, position, limit, extra, costs)
    _put_last(parents, k, skipped)
    return row


@kernel(borrowing=True)
def remember(counter: Counter, z: int, parents: NDArray[np.int64], k: int, cost: float) -> None:
    """Keep a cost that a row told."""
    rule, _, cache = counter
    key = _key(rule.signs, z, parents, k, -1)
    if cache.used[ENTRIES] < cache.keys.size and _find(cache, key) < 0:
        _put(cache, key, cost)
