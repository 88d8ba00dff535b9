r"""The best order by layers of sets, those that cannot lead to a better one left out.

.. math:: B(S) = \min_{v \in S} B(S \setminus v) + b_v(S \setminus v)

is computed for all sets of one size after another. A set is left out where
:math:`B(S) + h(S)` is no less than a score that is known, :math:`h` being a bound on what the other
variables cost: these fall into groups, within which no cycle is allowed, while members of the other
groups may be parents of anyone. For a group :math:`G` and those of it that are left,

.. math:: h_G(U) = \min_{v \in U} b_v(V \setminus U) + h_G(U \setminus v), \qquad
          h(S) = \sum_G h_G(G \setminus S).

The least :math:`B(S) + h(S)` of a layer is a lower bound on the score of every graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.exact.parent_lists import ParentLists, best_within
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Groups(NamedTuple):
    """Two groups of variables and h_G of their subsets.

    ``members`` (2, m) has -1 behind the last; ``begin`` (2,) is where the subsets of each group
    begin in ``bounds``.
    """

    members: NDArray[np.int64]
    begin: NDArray[np.int64]
    bounds: NDArray[np.float64]


class Layer(NamedTuple):
    """Sets of one size in a table with open addressing: ``sets`` and B(S), ``values``, (m,)."""

    sets: NDArray[np.uint64]
    values: NDArray[np.float64]
    last: NDArray[np.int8]


def new_layer(size: int) -> Layer:
    """An empty table; ``size`` is a power of two."""
    return Layer(
        np.full(size, _EMPTY, dtype=np.uint64), np.empty(size), np.empty(size, dtype=np.int8)
    )


@kernel
def bound_group(
    lists: ParentLists,
    every: np.uint64,
    group: NDArray[np.int64],
    bounds: NDArray[np.float64],
    first: int,
    end: int,
) -> None:
    """Fill ``bounds`` (2^k,): h_G for subsets of ``group`` (k,), ``every`` being all of V.

    Those from number ``first`` to ``end``, the ones before being there; the empty one is zero.
    """
    k = group.size
    one = np.uint64(1)
    for subset in range(first, end):
        inside = np.uint64(0)
        for i in range(k):
            if subset >> i & 1:
                inside |= one << np.uint64(group[i])
        best = np.inf
        for i in range(k):
            if subset >> i & 1:
                cost = best_within(lists, group[i], every & ~inside)
                best = min(best, cost + bounds[subset ^ (1 << i)])
        bounds[subset] = best


@kernel(inner=True)
def _bound(groups: Groups, rest: np.uint64) -> float:
    """What the variables ``rest``, which are not placed yet, cost at the least."""
    total = 0.0
    one = np.uint64(1)
    for group in range(2):
        subset = 0
        for i in range(groups.members.shape[1]):
            v = groups.members[group, i]
            if v < 0:
                break
            if rest >> np.uint64(v) & one:
                subset |= 1 << i
        total += groups.bounds[groups.begin[group] + subset]
    return total


@kernel(inner=True)
def _slot(sets: NDArray[np.uint64], wanted: np.uint64) -> np.int64:
    """Where ``wanted`` is in the table, or the empty place where it belongs."""
    last = sets.size - 1
    mixed = wanted * _SPREAD
    at = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(last))
    while sets[at] != _EMPTY and sets[at] != wanted:
        at = (at + 1) & last
    return at


@kernel
def rehash(source: Layer, target: Layer) -> None:
    """Put all sets of ``source`` into the larger ``target``."""
    for i in range(source.sets.size):
        if source.sets[i] != _EMPTY:
            at = _slot(target.sets, source.sets[i])
            target.sets[at] = source.sets[i]
            target.values[at] = source.values[i]
            target.last[at] = source.last[i]


@kernel
def expand(
    lists: ParentLists,
    groups: Groups,
    needed: NDArray[np.uint64],
    d: int,
    limit: float,
    source: Layer,
    target: Layer,
    progress: NDArray[np.int64],
    pause: int,
) -> float:
    """Fill ``target`` with the sets of one more variable; the least B(S) + h(S) among those seen.

    ``needed[v]`` is who must precede v. Sets with ``limit`` or more are left out. ``progress`` (2,)
    holds the next place of ``source`` and the number of sets in ``target``; the work stops for a
    while after ``pause`` places, or when the target is half full.
    """
    one = np.uint64(1)
    every = (one << np.uint64(d)) - one
    least = np.inf
    end = min(source.sets.size, progress[0] + pause)
    while progress[0] < end and 2 * (progress[1] + d) < target.sets.size:
        at = progress[0]
        progress[0] += 1
        here = source.sets[at]
        if here == _EMPTY:
            continue
        for v in range(d):
            bit = one << np.uint64(v)
            if here & bit or needed[v] & ~here:
                continue
            value = source.values[at] + best_within(lists, v, here)
            larger = here | bit
            slot = _slot(target.sets, larger)
            if target.sets[slot] != _EMPTY:
                if value < target.values[slot]:
                    target.values[slot] = value
                    target.last[slot] = v
                    least = min(least, value + _bound(groups, every & ~larger))
                continue
            ahead = value + _bound(groups, every & ~larger)
            if ahead >= limit:
                continue
            least = min(least, ahead)
            target.sets[slot] = larger
            target.values[slot] = value
            target.last[slot] = v
            progress[1] += 1
    return least


@kernel
def look_up(layer: Layer, wanted: np.uint64) -> np.int64:
    """The place of a set that is in the layer."""
    return _slot(layer.sets, wanted)
