r"""The best change of one edge of the graph, whatever the order: adding, exchanging or turning it.

An order is one of many that a graph has, and its neighbours by insertions are not those of another.
What a single edge brings is told by the tables of its ends, for every pair of variables:

- adding u -> z, alone or in exchange for a parent of z, is possible if z is no ancestor of u;
- turning u -> z is possible if no other path leads from u to z; z loses u, and u gains z.

The order then changes as little as it must: the ancestors of one end move ahead of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.moves import accept, note_change, settle
from toposwap.kernels.l0.node import fill, grow_and_shrink, held, node_value
from toposwap.kernels.l0.partial_covariance import (
    ROWS,
    add_parent,
    coordinates_of_parents,
    index_of,
    remove_parent,
    triangle_inverse,
)
from toposwap.kernels.l0.tables import ORDER, PENDING, POSITION, TRIAL, WANTS, WORK, Nodes, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(borrowing=True)
def find_ancestors(nodes: Nodes, rule: Rule, ancestors: NDArray[np.bool_]) -> None:
    """Fill ``ancestors[z, u]`` (d, d): a path leads from u to z, or u must stand before z."""
    d = nodes.value.size
    for t in range(d):
        z = nodes.places[ORDER, t]
        mine = ancestors[z]
        for u in range(d):
            mine[u] = False
        for i in range(nodes.chosen[z, 0]):
            p = nodes.chosen[z, 1 + i]
            theirs = ancestors[p]
            for u in range(d):
                mine[u] |= theirs[u]
            mine[p] = True
        if rule.ordered:
            for p in range(d):
                if rule.before[p, z] and p != z:
                    theirs = ancestors[p]
                    for u in range(d):
                        mine[u] |= theirs[u]
                    mine[p] = True


@kernel(borrowing=True)
def best_single_edge(
    nodes: Nodes, rule: Rule, ancestors: NDArray[np.bool_], threshold: float
) -> tuple[int, int, bool]:
    """The edge u -> z to add, or to turn if True, that lowers Q most; (-1, -1) if none does."""
    table, parents, value = nodes.table, nodes.parents, nodes.value
    position = nodes.places[POSITION]
    d = value.size
    best = -threshold
    cause = -1
    effect = -1
    turned = False
    for z in range(d):
        wants = nodes.marks[WANTS, z]
        for u in range(d):
            if wants[u] != 0 and position[u] > position[z] and not ancestors[u, z]:
                change = nodes.gained[u, z]
                if change < best:
                    best, cause, effect, turned = change, u, z, False
        k = nodes.chosen[z, 0]
        if k == 0:
            continue
        coordinates_of_parents(rule.C[rule.own[z]], table, parents, TRIAL, z, nodes.chosen[z])
        first = held(rule, parents, TRIAL, z)
        triangle_inverse(table, parents, TRIAL, WORK, first, 0)
        for i in range(first, k):
            u = parents[TRIAL, 1 + i]
            if not _turns(nodes, rule, ancestors, z, u):
                continue
            weight = 0.0
            precision = 0.0
            for j in range(i, k):
                along = table[WORK, ROWS + j, i]
                weight += along * table[TRIAL, ROWS + j, z]
                precision += along * along
            left = nodes.variance[z] + weight * weight / precision
            change = node_value(rule, z, left, k - 1) - value[z]
            if nodes.marks[WANTS, u, z] != 0:
                change += nodes.gained[z, u]
            if change < best:
                best, cause, effect, turned = change, u, z, True
    return cause, effect, turned


@kernel(borrowing=True)
def _turns(nodes: Nodes, rule: Rule, ancestors: NDArray[np.bool_], z: int, u: int) -> bool:
    """Whether u -> z may be turned: z may be a parent of u, and no other path leads to z."""
    if rule.masked and not rule.allowed[u, z]:
        return False
    if rule.ordered:
        for p in range(nodes.value.size):
            if rule.before[p, z] and p != z and (p == u or ancestors[p, u]):
                return False
    other = False
    for j in range(nodes.chosen[z, 0]):
        other |= ancestors[nodes.chosen[z, 1 + j], u]
    return not other


@kernel(borrowing=True)
def _move_ahead(nodes: Nodes, ancestors: NDArray[np.bool_], u: int, z: int) -> None:
    """Put ``u`` and its ancestors from z on before ``z``, all others keeping their order."""
    places = nodes.places
    begin = places[POSITION, z]
    end = places[POSITION, u]
    count = 0
    for t in range(begin, end + 1):
        v = places[ORDER, t]
        if v == u or ancestors[u, v]:
            count += 1
    ahead = begin
    behind = begin + count
    # Positions are written first, and the order is read from them.
    for t in range(begin, end + 1):
        v = places[ORDER, t]
        if v == u or ancestors[u, v]:
            places[POSITION, v] = ahead
            ahead += 1
        else:
            places[POSITION, v] = behind
            behind += 1
    for v in range(nodes.value.size):
        places[ORDER, places[POSITION, v]] = v


@kernel
def improve_single_edges(
    nodes: Nodes, rule: Rule, ancestors: NDArray[np.bool_], threshold: float
) -> int:
    """Make the best change of one edge until none lowers Q; how many were made.

    ``ancestors`` (d, d) is workspace.
    """
    table, parents, places = nodes.table, nodes.parents, nodes.places
    d = nodes.value.size
    made = 0
    total = np.inf
    while True:
        find_ancestors(nodes, rule, ancestors)
        u, z, turned = best_single_edge(nodes, rule, ancestors, threshold)
        # A price that was rounding error would be asked for again and again.
        fell = nodes.value.sum() < total - 0.5 * threshold
        if u < 0 or not fell:
            return made if fell else 0
        total = nodes.value.sum()
        made += 1
        if turned:
            note_change(nodes, z)
            fill(nodes, rule, TRIAL, z)
            remove_parent(table, parents, TRIAL, z, index_of(parents, TRIAL, u))
            accept(nodes, rule, TRIAL, z)
            find_ancestors(nodes, rule, ancestors)
            _move_ahead(nodes, ancestors, z, u)
            u, z = z, u
        else:
            _move_ahead(nodes, ancestors, u, z)
        note_change(nodes, z)
        fill(nodes, rule, TRIAL, z)
        if parents[TRIAL, 0] < parents.shape[1] - 1:
            add_parent(rule.C[rule.own[z]], table, parents, TRIAL, z, u)
        grow_and_shrink(nodes, rule, TRIAL, z, places[POSITION, z], -1, -1)
        accept(nodes, rule, TRIAL, z)
        # Whoever has other predecessors than before may do better with them.
        for v in range(d):
            if v == u or _wants_predecessor(nodes, v):
                settle(nodes, rule, v)
            places[PENDING, v] = 1


@kernel(borrowing=True)
def _wants_predecessor(nodes: Nodes, v: int) -> bool:
    """Whether someone before ``v`` would pay as its parent."""
    position, wants = nodes.places[POSITION], nodes.marks[WANTS, v]
    found = 0
    for u in range(wants.size):
        found |= wants[u] != 0 and position[u] < position[v]
    return found != 0
