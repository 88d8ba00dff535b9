r"""Orders under a score on contingency tables: deltas of insertions, moves, and sweeps.

Moving ``v`` past ``w`` concerns two nodes: one loses the other as a candidate, which matters if it
is a parent, and gains it the other way round, which matters if it pays. A move refits nodes step by
step exactly as its delta was found, so that the delta is what comes about.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.cache import cost_without, costs_row
from toposwap.kernels.categorical.parents import (
    SAME,
    begin,
    copy_node,
    index_of,
    settle,
    take_out,
)
from toposwap.kernels.categorical.tables import (
    GAINED,
    LOST,
    ORDER,
    PENDING,
    POSITION,
    TOUCHED,
    Counter,
    Nodes,
)
from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(borrowing=True)
def note_change(nodes: Nodes, z: int) -> None:
    """The parents of ``z`` change: forget what was remembered, look at z and its parents again."""
    for v in range(nodes.places.shape[1]):
        nodes.memory[GAINED, z, v] = np.nan
        nodes.memory[LOST, z, v] = np.nan
    nodes.places[PENDING, z] = 1
    nodes.places[TOUCHED, z] = 1
    for t in range(nodes.parents[z, 0]):
        nodes.places[PENDING, nodes.parents[z, 1 + t]] = 1


@kernel(borrowing=True)
def _pays(nodes: Nodes, counter: Counter, slot: int, z: int, u: int) -> bool:
    """Whether ``u`` as one more parent lowers the cost in ``slot``."""
    parents = nodes.parents[slot]
    if parents[0] + 1 >= parents.size:
        return False
    position = nodes.places[POSITION]
    row = costs_row(counter, z, parents[1:], parents[0], -1, position, position.size, u)
    return counter.cache.rows[row, u] < nodes.cost[slot] - SAME


@kernel(borrowing=True)
def _gain(
    nodes: Nodes, counter: Counter, slot: int, z: int, u: int, limit: int, without: int
) -> None:
    """Take ``u`` among the parents and settle."""
    parents = nodes.parents[slot]
    position = nodes.places[POSITION]
    row = costs_row(counter, z, parents[1:], parents[0], -1, position, position.size, u)
    nodes.cost[slot] = counter.cache.rows[row, u]
    parents[1 + parents[0]] = u
    parents[0] += 1
    settle(nodes, counter, slot, z, limit, u, without, False)


@kernel(borrowing=True)
def _lose(
    nodes: Nodes, counter: Counter, slot: int, z: int, index: int, limit: int, without: int
) -> None:
    """Do without the parent at ``index`` and settle."""
    take_out(nodes, slot, index)
    parents = nodes.parents[slot]
    nodes.cost[slot] = cost_without(counter, z, parents[1:], parents[0], -1)
    settle(nodes, counter, slot, z, limit, -1, without, False)


@kernel(borrowing=True)
def _walk_forward(
    nodes: Nodes,
    counter: Counter,
    v: int,
    lowest: int,
    afresh: bool,
    profile: NDArray[np.float64],
) -> None:
    d = nodes.places.shape[1]
    own = d
    trial = d + 1
    copy_node(nodes, v, own)
    others = 0.0
    for k in range(nodes.places[POSITION, v] - 1, lowest - 1, -1):
        w = nodes.places[ORDER, k]
        index = index_of(nodes.parents, own, w)
        if index >= 0:
            _lose(nodes, counter, own, v, index, k, -1)
        worth = nodes.memory[GAINED, w, v]
        if afresh or math.isnan(worth):
            worth = 0.0
            if _pays(nodes, counter, w, w, v):
                copy_node(nodes, w, trial)
                _gain(nodes, counter, trial, w, v, k, -1)
                worth = nodes.cost[trial] - nodes.cost[w]
            nodes.memory[GAINED, w, v] = worth
        others += worth
        profile[k] = nodes.cost[own] - nodes.cost[v] + others


@kernel(borrowing=True)
def _walk_backward(
    nodes: Nodes,
    counter: Counter,
    v: int,
    highest: int,
    afresh: bool,
    profile: NDArray[np.float64],
) -> None:
    d = nodes.places.shape[1]
    own = d
    trial = d + 1
    copy_node(nodes, v, own)
    others = 0.0
    for k in range(nodes.places[POSITION, v] + 1, highest + 1):
        w = nodes.places[ORDER, k]
        if _pays(nodes, counter, own, v, w):
            _gain(nodes, counter, own, v, w, k + 1, v)
        index = index_of(nodes.parents, w, v)
        if index >= 0:
            worth = nodes.memory[LOST, w, v]
            if afresh or math.isnan(worth):
                copy_node(nodes, w, trial)
                _lose(nodes, counter, trial, w, index, k, v)
                worth = nodes.cost[trial] - nodes.cost[w]
                nodes.memory[LOST, w, v] = worth
            others += worth
        profile[k] = nodes.cost[own] - nodes.cost[v] + others


@kernel(borrowing=True)
def insertion_profile(
    nodes: Nodes, counter: Counter, v: int, afresh: bool, profile: NDArray[np.float64]
) -> None:
    """Deltas (d,) of every position of ``v``, infinite where it must not stand.

    ``afresh``: nothing that was remembered while other variables moved is relied on.
    """
    d = nodes.places.shape[1]
    lowest = 0
    highest = d - 1
    rule = counter.rule
    if rule.ordered:
        lowest = lowest_position(rule.before, nodes.places[POSITION], v)
        highest = highest_position(rule.before, nodes.places[POSITION], v)
    for k in range(d):
        profile[k] = np.inf
    profile[nodes.places[POSITION, v]] = 0.0
    _walk_forward(nodes, counter, v, lowest, afresh, profile)
    _walk_backward(nodes, counter, v, highest, afresh, profile)


@kernel(borrowing=True)
def insert(nodes: Nodes, counter: Counter, v: int, target: int) -> None:
    """Move ``v`` to ``target``, refitting step by step as the walks do, so that deltas are kept."""
    places = nodes.places
    p = places[POSITION, v]
    step = -1 if target < p else 1
    note_change(nodes, v)
    k = p
    while k != target:
        k += step
        w = places[ORDER, k]
        if step < 0:
            index = index_of(nodes.parents, v, w)
            if index >= 0:
                _lose(nodes, counter, v, v, index, k, -1)
            if _pays(nodes, counter, w, w, v):
                note_change(nodes, w)
                _gain(nodes, counter, w, w, v, k, -1)
                note_change(nodes, w)
        else:
            if _pays(nodes, counter, v, v, w):
                _gain(nodes, counter, v, v, w, k + 1, v)
            index = index_of(nodes.parents, w, v)
            if index >= 0:
                note_change(nodes, w)
                _lose(nodes, counter, w, w, index, k, v)
                note_change(nodes, w)
    k = p
    while k != target:
        w = places[ORDER, k + step]
        places[ORDER, k] = w
        places[POSITION, w] = k
        k += step
    places[ORDER, target] = v
    places[POSITION, v] = target
    note_change(nodes, v)


@kernel(borrowing=True)
def swap(nodes: Nodes, counter: Counter, i: int, j: int) -> None:
    """Two insertions, ``i`` to the place of ``j`` and ``j`` to that of ``i``."""
    p = nodes.places[POSITION, i]
    q = nodes.places[POSITION, j]
    insert(nodes, counter, i, q)
    insert(nodes, counter, j, p)


@kernel(borrowing=True)
def sweep(
    nodes: Nodes, counter: Counter, visits: NDArray[np.int64], profile: NDArray[np.float64]
) -> int:
    """Move each pending one of ``visits`` to its best place; how many moved."""
    moved = 0
    for i in range(visits.size):
        v = visits[i]
        if nodes.places[PENDING, v] == 0:
            continue
        nodes.places[PENDING, v] = 0
        for afresh in range(2):
            insertion_profile(nodes, counter, v, afresh == 1, profile)
            best = 0
            for k in range(1, profile.size):
                if profile[k] < profile[best]:
                    best = k
            if not profile[best] < -SAME:
                break
            if afresh == 1:
                insert(nodes, counter, v, best)
                moved += 1
    return moved


@kernel(borrowing=True)
def settle_all(nodes: Nodes, counter: Counter, anew: bool, thorough: bool) -> bool:
    """Fit every node of the order: from no parents if ``anew``, or from those it has.

    If ``thorough``, parents are exchanged for others, and those found from no parents are taken if
    they are better. Returns whether the cost of any became less.
    """
    better = False
    d = nodes.places.shape[1]
    for z in range(d):
        if anew:
            begin(nodes, counter, z, z)
        before = nodes.cost[z]
        position = nodes.places[POSITION, z]
        settle(nodes, counter, z, z, position, -1, -1, thorough)
        if thorough and not anew:
            begin(nodes, counter, d, z)
            settle(nodes, counter, d, z, position, -1, -1, True)
            if nodes.cost[d] < nodes.cost[z] - SAME:
                copy_node(nodes, d, z)
        if anew or nodes.cost[z] < before - SAME:
            better = True
            note_change(nodes, z)
    return better


@kernel
def restore(
    nodes: Nodes,
    counter: Counter,
    order: NDArray[np.int64],
    parents: NDArray[np.int64],
) -> None:
    """Stand at ``order`` with ``parents`` (d, K + 1), each row the number of parents and these."""
    d = order.size
    for k in range(d):
        nodes.places[ORDER, k] = order[k]
        nodes.places[POSITION, order[k]] = k
    for z in range(d):
        for t in range(1 + parents[z, 0]):
            nodes.parents[z, t] = parents[z, t]
        nodes.cost[z] = cost_without(counter, z, nodes.parents[z, 1:], parents[z, 0], -1)
        note_change(nodes, z)
