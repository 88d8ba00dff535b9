"""The parents of one node among its candidates: grown, shrunk, and exchanged one for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.cache import cost_without, costs_row, remember
from toposwap.kernels.categorical.tables import POSITION, Counter, Nodes
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Costs that differ by less are equal; the terms' rounding is a hundredth of it.
SAME = 1e-6


@kernel(borrowing=True)
def index_of(parents: NDArray[np.int64], slot: int, u: int) -> int:
    """The place of ``u`` among the parents in ``slot``, -1 if it is none."""
    for t in range(parents[slot, 0]):
        if parents[slot, 1 + t] == u:
            return t
    return -1


@kernel(borrowing=True)
def copy_node(nodes: Nodes, source: int, target: int) -> None:
    """Copy the parents and the cost of one slot to another."""
    for t in range(1 + nodes.parents[source, 0]):
        nodes.parents[target, t] = nodes.parents[source, t]
    nodes.cost[target] = nodes.cost[source]


@kernel(borrowing=True)
def take_out(nodes: Nodes, slot: int, index: int) -> None:
    """Remove the parent at ``index``; the cost is not looked at."""
    parents = nodes.parents[slot]
    parents[0] -= 1
    for t in range(index, parents[0]):
        parents[1 + t] = parents[2 + t]


@kernel(borrowing=True)
def _best_candidate(
    nodes: Nodes, costs: NDArray[np.float64], limit: int, extra: int, without: int
) -> int:
    """The cheapest one before position ``limit``, or ``extra``, but not ``without``; -1 if none."""
    best = -1
    least = np.inf
    position = nodes.places[POSITION]
    for u in range(costs.size):
        if costs[u] < least and (position[u] < limit or u == extra) and u != without:
            least = costs[u]
            best = u
    return best


@kernel(borrowing=True)
def grow(
    nodes: Nodes, counter: Counter, slot: int, z: int, limit: int, extra: int, without: int
) -> None:
    """Add the best candidate as long as one lowers the cost."""
    parents = nodes.parents[slot]
    most = parents.size - 1
    while parents[0] < most:
        row = costs_row(
            counter, z, parents[1:], parents[0], -1, nodes.places[POSITION], limit, extra
        )
        costs = counter.cache.rows[row]
        u = _best_candidate(nodes, costs, limit, extra, without)
        if u < 0 or not costs[u] < nodes.cost[slot] - SAME:
            return
        nodes.cost[slot] = costs[u]
        parents[1 + parents[0]] = u
        parents[0] += 1
        remember(counter, z, parents[1:], parents[0], nodes.cost[slot])


@kernel(borrowing=True)
def shrink(nodes: Nodes, counter: Counter, slot: int, z: int) -> bool:
    """Remove the parent whose absence costs least, as long as that costs nothing; if any was."""
    rule = counter.rule
    parents = nodes.parents[slot]
    changed = False
    while parents[0] > 0:
        best = -1
        least = nodes.cost[slot] + 0.1 * SAME
        for t in range(parents[0]):
            if rule.demanding and rule.required[z, parents[1 + t]]:
                continue
            cost = cost_without(counter, z, parents[1:], parents[0], t)
            if cost < least:
                least = cost
                best = t
        if best < 0:
            return changed
        take_out(nodes, slot, best)
        nodes.cost[slot] = least
        changed = True
    return changed


@kernel(borrowing=True)
def exchange(
    nodes: Nodes, counter: Counter, slot: int, z: int, limit: int, extra: int, without: int
) -> bool:
    """Put the best candidate into the place of a parent, if that lowers the cost."""
    rule = counter.rule
    parents = nodes.parents[slot]
    best = -1
    place = -1
    least = nodes.cost[slot] - SAME
    for t in range(parents[0]):
        if rule.demanding and rule.required[z, parents[1 + t]]:
            continue
        row = costs_row(
            counter, z, parents[1:], parents[0], t, nodes.places[POSITION], limit, extra
        )
        costs = counter.cache.rows[row]
        u = _best_candidate(nodes, costs, limit, extra, without)
        if u >= 0 and costs[u] < least:
            least = costs[u]
            best = u
            place = t
    if place < 0:
        return False
    parents[1 + place] = best
    nodes.cost[slot] = least
    remember(counter, z, parents[1:], parents[0], least)
    return True


@kernel(borrowing=True)
def settle(
    nodes: Nodes,
    counter: Counter,
    slot: int,
    z: int,
    limit: int,
    extra: int,
    without: int,
    thorough: bool,
) -> None:
    """Grow and shrink the parents of ``z`` in ``slot`` from those it has, until neither helps.

    Candidates stand before position ``limit``, or are ``extra``, and are not ``without``. If
    ``thorough``, parents are also exchanged for others.
    """
    while True:
        grow(nodes, counter, slot, z, limit, extra, without)
        if shrink(nodes, counter, slot, z):
            continue
        if not thorough or not exchange(nodes, counter, slot, z, limit, extra, without):
            return


@kernel(borrowing=True)
def begin(nodes: Nodes, counter: Counter, slot: int, z: int) -> None:
    """No parents but those that are required."""
    rule = counter.rule
    count = 0
    if rule.demanding:
        for u in range(rule.sizes.size):
            if rule.required[z, u]:
                nodes.parents[slot, 1 + count] = u
                count += 1
    nodes.parents[slot, 0] = count
    nodes.cost[slot] = cost_without(counter, z, nodes.parents[slot, 1:], count, -1)
