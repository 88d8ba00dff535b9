r"""Orders under a Gaussian score with an L0 penalty: moves, sweeps, and ways back.

A move refits nodes step by step exactly as the walks of
:mod:`~toposwap.kernels.l0.insertion_deltas` do, so that the delta of a move is what comes about,
although a node's parents depend on where they came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.insertion_deltas import insertion_profile
from toposwap.kernels.l0.node import (
    begin,
    fill,
    gain,
    grow_and_shrink,
    least_exchange,
    least_reduction,
    lose,
    node_value,
    passes,
    pays,
    price_all_exchanges,
    single_change,
)
from toposwap.kernels.l0.partial_covariance import E, G, S, index_of
from toposwap.kernels.l0.tables import (
    GAINS,
    GUESSED,
    NONE,
    ORDER,
    OWN,
    PENDING,
    POSITION,
    TOUCHED,
    TRIAL,
    WANTS,
    Nodes,
    Rule,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(borrowing=True)
def note_change(nodes: Nodes, z: int) -> None:
    """The parents of ``z`` change: forget what was remembered, look at z and its parents again."""
    for i in range(nodes.lost.shape[1]):
        nodes.lost[z, i] = np.nan
    nodes.places[PENDING, z] = 1
    nodes.places[TOUCHED, z] = 1
    for i in range(nodes.chosen[z, 0]):
        nodes.places[PENDING, nodes.chosen[z, 1 + i]] = 1


@kernel(borrowing=True)
def note_gains(nodes: Nodes, rule: Rule, slot: int, z: int) -> None:
    """Who would pay as a parent of ``z``, and what that would change, by the tables in ``slot``."""
    table, gained, marks = nodes.table, nodes.gained, nodes.marks
    own = table[slot, S, z]
    addition, exchange = least_reduction(rule, z, own), least_exchange(rule, own)
    wants = marks[WANTS, z]
    for i in range(nodes.parents[slot, 0]):
        # Left over from rounding.
        table[slot, G, nodes.parents[slot, 1 + i]] = 0.0
        table[slot, E, nodes.parents[slot, 1 + i]] = 0.0
    for u in range(wants.size):
        pays = u != z and passes(table, slot, u, addition, exchange)
        if pays and rule.masked:
            pays = rule.allowed[z, u]
        if pays:
            gained[u, z] = single_change(rule, table, slot, z, u)
            marks[GAINS, u, z] = GUESSED
            wants[u] = 1
        elif wants[u] != 0:
            marks[GAINS, u, z] = NONE
            wants[u] = 0


@kernel(borrowing=True)
def accept(nodes: Nodes, rule: Rule, slot: int, z: int) -> None:
    """Let ``z`` be as the tables in ``slot`` have it."""
    k = nodes.parents[slot, 0]
    for i in range(1 + k):
        nodes.chosen[z, i] = nodes.parents[slot, i]
    nodes.variance[z] = nodes.table[slot, S, z]
    nodes.value[z] = node_value(rule, z, nodes.variance[z], k)
    note_gains(nodes, rule, slot, z)
    note_change(nodes, z)


@kernel(borrowing=True)
def settle(nodes: Nodes, rule: Rule, z: int) -> None:
    """Settle the parents of ``z`` from those it has."""
    fill(nodes, rule, TRIAL, z)
    grow_and_shrink(nodes, rule, TRIAL, z, nodes.places[POSITION, z], -1, -1)
    value = node_value(rule, z, nodes.table[TRIAL, S, z], nodes.parents[TRIAL, 0])
    if value != nodes.value[z]:
        accept(nodes, rule, TRIAL, z)


@kernel
def settle_all(nodes: Nodes, rule: Rule, anew: bool) -> None:
    """Fit every node of the order: from no parents if ``anew``, or from those it has."""
    for z in range(nodes.value.size):
        if anew:
            begin(nodes, rule, TRIAL, z)
        else:
            fill(nodes, rule, TRIAL, z)
        grow_and_shrink(nodes, rule, TRIAL, z, nodes.places[POSITION, z], -1, -1)
        accept(nodes, rule, TRIAL, z)


@kernel
def insert(nodes: Nodes, rule: Rule, v: int, target: int) -> None:
    """Move ``v`` to ``target``, refitting step by step as the walks do, so that deltas are kept."""
    table, parents, chosen, _, _, places, _, _, marks = nodes
    p = places[POSITION, v]
    step = -1 if target < p else 1
    note_change(nodes, v)
    built = False
    k = p
    while k != target:
        k += step
        w = places[ORDER, k]
        if step < 0:
            index = index_of(parents, OWN, w) if built else index_of(chosen, v, w)
            if index >= 0:
                if not built:
                    fill(nodes, rule, OWN, v)
                    built = True
                lose(nodes, rule, OWN, v, index, k, -1)
            if marks[WANTS, w, v] != 0:
                note_change(nodes, w)
                fill(nodes, rule, TRIAL, w)
                gain(nodes, rule, TRIAL, w, v, k, -1)
                accept(nodes, rule, TRIAL, w)
        else:
            wanted = pays(rule, table, OWN, v, w) if built else marks[WANTS, v, w] != 0
            if wanted:
                if not built:
                    fill(nodes, rule, OWN, v)
                    built = True
                gain(nodes, rule, OWN, v, w, k + 1, v)
            index = index_of(chosen, w, v)
            if index >= 0:
                note_change(nodes, w)
                fill(nodes, rule, TRIAL, w)
                lose(nodes, rule, TRIAL, w, index, k, v)
                accept(nodes, rule, TRIAL, w)
    k = p
    while k != target:
        w = places[ORDER, k + step]
        places[ORDER, k] = w
        places[POSITION, w] = k
        k += step
    places[ORDER, target] = v
    places[POSITION, v] = target
    if built:
        accept(nodes, rule, OWN, v)


@kernel
def sweep(
    nodes: Nodes,
    rule: Rule,
    visits: NDArray[np.int64],
    threshold: float,
    profile: NDArray[np.float64],
) -> int:
    """Move each pending one of ``visits`` to its best place; how many moved."""
    moved = 0
    for i in range(visits.size):
        v = visits[i]
        if nodes.places[PENDING, v] == 0:
            continue
        nodes.places[PENDING, v] = 0
        afresh = False
        while True:
            target, exact = insertion_profile(nodes, rule, v, afresh, False, -threshold, profile)
            if profile[target] >= -threshold:
                break
            if exact:
                insert(nodes, rule, v, target)
                moved += 1
                break
            afresh = True
    return moved


@kernel
def restore(
    nodes: Nodes,
    rule: Rule,
    order: NDArray[np.int64],
    chosen: NDArray[np.int64],
    n_chosen: NDArray[np.int64],
) -> None:
    """Go back to an order and its parents, building anew only nodes that differ.

    Node z has the parents ``chosen[z]`` (d, K), the first ``n_chosen[z]`` of them.
    """
    for z in range(order.size):
        k = n_chosen[z]
        same = nodes.chosen[z, 0] == k
        for i in range(k):
            same = same and nodes.chosen[z, 1 + i] == chosen[z, i]
        if same:
            continue
        nodes.chosen[z, 0] = k
        for i in range(k):
            nodes.chosen[z, 1 + i] = chosen[z, i]
        fill(nodes, rule, TRIAL, z)
        price_all_exchanges(nodes, rule, TRIAL, z)
        accept(nodes, rule, TRIAL, z)
    for t in range(order.size):
        nodes.places[ORDER, t] = order[t]
        nodes.places[POSITION, order[t]] = t
