r"""The best of all orders from lists of parent sets, or a bound on it where that is out of reach.

The layers of :mod:`toposwap.kernels.exact.layers`, driven in pieces, within memory and time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.order import Order
from toposwap.core.runtime.memory import memory_bytes
from toposwap.kernels.exact import layers as kernels
from toposwap.kernels.exact.parent_lists import parent_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.kernels.exact.parent_lists import ParentLists

    Found = Sequence[tuple[NDArray[np.uint64], NDArray[np.float64]]]

#: Variables of the larger group, whose subsets are bounded one by one.
_LARGER_GROUP = 18
_LARGEST_GROUP = 20
#: Places of a table that one call goes through.
_PIECE = 1 << 15
_BYTES_A_PLACE = 17
#: Share of the memory that the tables of two layers may take.
_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Proof:
    """What is known about the best order.

    Attributes
    ----------
    order
        One that is better than the score that was known; None if there is none, or none was found.
    bound
        No graph has a lower score than this.
    complete
        Whether the best score is known: that of ``order``, or else the one known before.
    """

    order: Order | None
    bound: float
    complete: bool


def prove(
    found: Found,
    upper: float,
    tolerance: float,
    before: NDArray[np.bool_] | None,
    deadline: Deadline,
) -> Proof:
    """Look for an order that is better than ``upper`` by more than ``tolerance``.

    Parameters
    ----------
    found
        For each node sets of parents, as bits, and their scores; all that an order better than
        ``upper`` may want.
    upper
        A score that is known to be reached.
    tolerance
        What does not count as better.
    before
        (d, d): ``[u, v]`` if u must precede v, or None.
    deadline
        When to stop with a bound.
    """
    d = len(found)
    if any(len(sets) == 0 for sets, _ in found):
        # What some node costs in any case leaves no graph below the score that is known.
        return Proof(None, upper - tolerance, complete=True)
    lists = parent_lists(d, found)
    groups = _groups(lists, found, deadline)
    if groups is None:
        return Proof(None, -np.inf, complete=False)
    bits = np.uint64(1) << np.arange(d, dtype=np.uint64)
    needed = np.zeros(d, dtype=np.uint64)
    if before is not None:
        needed = np.array([bits[before[:, v]].sum(dtype=np.uint64) for v in range(d)])
    limit = upper - tolerance
    end = _through_layers(lists, groups, needed, d, limit, deadline, None)
    if end.value is None or not end.complete:
        return Proof(None, min(limit, end.bound), end.complete)
    # Once more with the best score as the limit, so that few sets are left, and all can be kept.
    kept: list[kernels.Layer] = []
    limit = end.value + 1e-9 * max(1.0, abs(end.value))
    _through_layers(lists, groups, needed, d, limit, deadline, kept)
    if len(kept) <= d:
        return Proof(None, end.value, complete=False)
    order = []
    here = int(bits.sum(dtype=np.uint64))
    for layer in kept[:0:-1]:
        v = int(layer.last[kernels.look_up(layer, np.uint64(here))])
        order.append(v)
        here ^= 1 << v
    return Proof(Order(order[::-1]), end.value, complete=True)


@dataclass(frozen=True)
class _End:
    value: float | None
    bound: float
    complete: bool


def _through_layers(
    lists: ParentLists,
    groups: kernels.Groups,
    needed: NDArray[np.uint64],
    d: int,
    limit: float,
    deadline: Deadline,
    kept: list[kernels.Layer] | None,
) -> _End:
    """From the empty set to the full one; the score of that, or a bound where it ends before."""
    most = int(_SHARE * memory_bytes() / _BYTES_A_PLACE) // 2
    layer = kernels.new_layer(4)
    layer.sets[0], layer.values[0], layer.last[0] = 0, 0.0, -1
    bound = -np.inf
    for _ in range(d):
        if kept is not None:
            kept.append(layer)
        size = max(1 << 10, 1 << int(np.ceil(np.log2(2 * layer.sets.size))))
        target = kernels.new_layer(min(size, 1 << 16))
        progress = np.zeros(2, dtype=np.int64)
        least = np.inf
        while progress[0] < layer.sets.size:
            least = min(
                least,
                kernels.expand(lists, groups, needed, d, limit, layer, target, progress, _PIECE),
            )
            if 2 * (progress[1] + d) >= target.sets.size:
                if 2 * target.sets.size > most:
                    return _End(None, bound, complete=False)
                larger = kernels.new_layer(2 * target.sets.size)
                kernels.rehash(target, larger)
                target = larger
            if deadline.passed:
                return _End(None, bound, complete=False)
        bound = max(bound, min(least, limit))
        if progress[1] == 0:
            return _End(None, limit, complete=True)
        layer = target
    if kept is not None:
        kept.append(layer)
    value = float(layer.values[kernels.look_up(layer, np.uint64((1 << d) - 1))])
    return _End(value, value, complete=True)


def _groups(lists: ParentLists, found: Found, deadline: Deadline) -> kernels.Groups | None:
    """One group of variables that belong together most, grown one by one, and one of the rest.

    Two belong together if each is in many of the sets that the other may want. None if time is up.
    """
    d = len(found)
    size = min(d, max(_LARGER_GROUP, min(_LARGEST_GROUP, (2 * d) // 3)))
    places = np.arange(d, dtype=np.uint64)
    share = np.array([((sets[:, None] >> places) & np.uint64(1)).mean(axis=0) for sets, _ in found])
    weight = share + share.T
    inside = np.zeros(d, dtype=np.bool_)
    inside[int(weight.sum(axis=0).argmax())] = True
    while inside.sum() < size:
        pull = np.where(inside, -np.inf, weight[inside].sum(axis=0))
        inside[int(pull.argmax())] = True
    every = np.uint64((1 << d) - 1)
    parts = [np.flatnonzero(inside), np.flatnonzero(~inside)]
    members = np.full((2, d), -1, dtype=np.int64)
    bounds = []
    for row, part in zip(members, parts, strict=True):
        row[: part.size] = part
        bounds.append(np.zeros(1 << part.size))
        for first in range(1, 1 << part.size, _PIECE):
            if deadline.passed:
                return None
            end = min(first + _PIECE, 1 << part.size)
            kernels.bound_group(lists, every, part, bounds[-1], first, end)
    begin = np.array([0, bounds[0].size], dtype=np.int64)
    return kernels.Groups(members, begin, np.concatenate(bounds))


def best_parents_at(order: Order, found: Found) -> NDArray[np.bool_]:
    """The best sets of parents that an order permits, (d, d): ``[i, j]`` for i -> j."""
    d = len(found)
    edges = np.zeros((d, d), dtype=np.bool_)
    ahead = 0
    for v in order.variables.tolist():
        sets, values = found[v]
        fits = (sets & ~np.uint64(ahead)) == 0
        best = int(sets[int(np.where(fits, values, np.inf).argmin())])
        edges[:, v] = (best >> np.arange(d)) & 1 == 1
        ahead |= 1 << v
    return edges
