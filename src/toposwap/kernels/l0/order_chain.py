r"""A chain of local optima among orders, where the costs of nodes are looked up.

.. math:: Q(\pi) = \sum_z t_z\bigl(\text{candidates of } z \text{ before it in } \pi\bigr)

with the tables of :mod:`~toposwap.kernels.l0.subset_tables`. Passing a neighbour changes one bit of
the set of one or both of the two, so that all places of a variable are priced by two look-ups each.

A step perturbs the order, moves variables to their best places until none has a better one, and
stays there with probability :math:`\min(1, e^{-\Delta / T})`, :math:`\Delta` being the change of Q
since the last stay; else it goes back. The best order met is kept.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel
from toposwap.kernels.random import below, uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows of ``Walk.places``: the order, the position of each variable, its candidates before it as
#: bits, and whether it may have a better place.
ORDER, POSITION, BEFORE, PENDING = 0, 1, 2, 3
#: Kinds of perturbations: insertions, swaps, and a window of the order shuffled.
_KINDS = 3
_WIDEST = 8


class CandidateTables(NamedTuple):
    """What nodes cost, and which bits stand for whom.

    ``cost[start[z] + bits]`` is what z costs at the least with these candidates before it;
    ``bit[z, u]`` (d, d) is that of u among the candidates of z, zero if it is none. Where
    ``ordered``, u must stand before v if ``before[u, v]`` (d, d).
    """

    cost: NDArray[np.float64]
    start: NDArray[np.int64]
    bit: NDArray[np.int32]
    before: NDArray[np.bool_]
    ordered: bool


@kernel(borrowing=True)
def _change(places: NDArray[np.int64], tables: CandidateTables, z: int, u: int) -> None:
    """Let ``u`` cross ``z``; whoever that may concern is pending."""
    bit = tables.bit[z]
    if bit[u] == 0:
        return
    places[BEFORE, z] ^= bit[u]
    places[PENDING, z] = 1
    pending = places[PENDING]
    for x in range(bit.size):
        pending[x] |= bit[x] != 0


@kernel(borrowing=True)
def move_to(places: NDArray[np.int64], tables: CandidateTables, v: int, target: int) -> None:
    """Move ``v`` to the position ``target``."""
    p = places[POSITION, v]
    step = -1 if target < p else 1
    k = p
    while k != target:
        w = places[ORDER, k + step]
        _change(places, tables, v, w)
        _change(places, tables, w, v)
        places[ORDER, k] = w
        places[POSITION, w] = k
        k += step
    places[ORDER, target] = v
    places[POSITION, v] = target


@kernel(borrowing=True)
def best_place(
    places: NDArray[np.int64], tables: CandidateTables, v: int, threshold: float
) -> tuple[int, float]:
    """The position at which ``v`` lowers Q most, and by how much; its own if none does."""
    order, position, before = places[ORDER], places[POSITION], places[BEFORE]
    cost, start = tables.cost, tables.start
    bit = tables.bit
    mine = bit[v]
    p = position[v]
    lowest, highest = 0, order.size - 1
    if tables.ordered:
        lowest = lowest_position(tables.before, position, v)
        highest = highest_position(tables.before, position, v)
    own = start[v]
    least = -threshold
    target = p
    bits = before[v]
    here = cost[own + bits]
    others = 0.0
    for k in range(p - 1, lowest - 1, -1):
        w = order[k]
        theirs = bit[w, v]
        if theirs == 0 and mine[w] == 0:
            continue
        bits ^= mine[w]
        at = start[w]
        others += cost[at + (before[w] ^ theirs)] - cost[at + before[w]]
        change = cost[own + bits] - here + others
        if change < least:
            least = change
            target = k
    bits = before[v]
    others = 0.0
    for k in range(p + 1, highest + 1):
        w = order[k]
        theirs = bit[w, v]
        if theirs == 0 and mine[w] == 0:
            continue
        bits ^= mine[w]
        at = start[w]
        others += cost[at + (before[w] ^ theirs)] - cost[at + before[w]]
        change = cost[own + bits] - here + others
        if change < least:
            least = change
            target = k
    return target, least


@kernel(borrowing=True)
def _descend(places: NDArray[np.int64], tables: CandidateTables, threshold: float) -> None:
    """Move variables that may have better places there, until none has."""
    d = places.shape[1]
    idle = 0
    v = 0
    while idle < d:
        if places[PENDING, v] != 0:
            target, _ = best_place(places, tables, v, threshold)
            places[PENDING, v] = 0
            if target != places[POSITION, v]:
                move_to(places, tables, v, target)
                idle = 0
        idle += 1
        v = v + 1 if v + 1 < d else 0


@kernel(borrowing=True)
def _move_near(places: NDArray[np.int64], tables: CandidateTables, v: int, target: int) -> None:
    """Move ``v`` to the permitted place that is nearest to ``target``."""
    if tables.ordered:
        target = max(target, lowest_position(tables.before, places[POSITION], v))
        target = min(target, highest_position(tables.before, places[POSITION], v))
    move_to(places, tables, v, target)


@kernel(borrowing=True)
def _perturb(
    places: NDArray[np.int64], tables: CandidateTables, random: NDArray[np.uint64]
) -> None:
    d = places.shape[1]
    kind = below(random, _KINDS)
    if kind == 0:
        for _ in range(1 + below(random, 3)):
            _move_near(places, tables, below(random, d), below(random, d))
    elif kind == 1:
        for _ in range(1 + below(random, 2)):
            i = below(random, d)
            j = below(random, d)
            p = places[POSITION, i]
            q = places[POSITION, j]
            _move_near(places, tables, i, q)
            _move_near(places, tables, j, p)
    else:
        width = min(d, 3 + below(random, _WIDEST - 2))
        first = below(random, d - width + 1)
        for t in range(width - 1):
            v = places[ORDER, first + t + below(random, width - t)]
            _move_near(places, tables, v, first + t)


@kernel(borrowing=True)
def _total(places: NDArray[np.int64], tables: CandidateTables) -> float:
    total = 0.0
    for z in range(places.shape[1]):
        total += tables.cost[tables.start[z] + places[BEFORE, z]]
    return total


@kernel
def walk_orders(
    tables: CandidateTables,
    order: NDArray[np.int64],
    steps: int,
    temperature: float,
    threshold: float,
    seed: int,
) -> float:
    """Descend from ``order`` (d,) and make ``steps`` steps; ``order`` receives the best met.

    Returns its Q.
    """
    d = order.size
    random = np.empty(1, dtype=np.uint64)
    random[0] = np.uint64(seed)
    places = np.empty((4, d), dtype=np.int64)
    kept = np.empty((4, d), dtype=np.int64)
    for t in range(d):
        z = order[t]
        places[ORDER, t] = z
        places[POSITION, z] = t
        places[PENDING, z] = 1
        places[BEFORE, z] = 0
        for s in range(t):
            places[BEFORE, z] |= tables.bit[z, order[s]]
    least = np.inf
    stay = np.inf
    for step in range(steps + 1):
        if step > 0:
            _perturb(places, tables, random)
        _descend(places, tables, threshold)
        total = _total(places, tables)
        if total < least - threshold:
            least = total
            for t in range(d):
                order[t] = places[ORDER, t]
        if total <= stay or uniform(random) < math.exp((stay - total) / temperature):
            stay = total
            for row in range(3):
                for t in range(d):
                    kept[row, t] = places[row, t]
        else:
            for row in range(3):
                for t in range(d):
                    places[row, t] = kept[row, t]
            for t in range(d):
                places[PENDING, t] = 0
    return least


@kernel
def parents_at(
    tables: CandidateTables, order: NDArray[np.int64], adjacency: NDArray[np.bool_]
) -> None:
    """Fill ``adjacency`` (d, d), ``[u, z]`` for u -> z, with the parents that ``order`` wants.

    The smallest set of those that cost the same: candidates are left out while nothing changes.
    """
    d = order.size
    for t in range(d):
        z = order[t]
        bits = 0
        for s in range(t):
            bits |= tables.bit[z, order[s]]
        here = tables.cost[tables.start[z] + bits]
        for u in range(d):
            mine = tables.bit[z, u]
            if bits & mine != 0 and tables.cost[tables.start[z] + (bits ^ mine)] <= here:
                bits ^= mine
            adjacency[u, z] = bits & mine != 0
