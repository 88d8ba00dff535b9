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
    gain,
    grow_and_shrink,
    lose,
    node_value,
    pays,
    price_all_exchanges,
)
from toposwap.kernels.l0.partial_covariance import S, add_parent, index_of, no_parents
from toposwap.kernels.l0.tables import (
    GAINED,
    LOST,
    ORDER,
    PENDING,
    POSITION,
    TOUCHED,
    Nodes,
    Rule,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True)
def note_change(nodes: Nodes, z: int) -> None:
    """The parents of ``z`` change: forget what was remembered, look at z and its parents again."""
    for v in range(nodes.value.size):
        nodes.memory[GAINED, z, v] = np.nan
        nodes.memory[LOST, z, v] = np.nan
    nodes.places[PENDING, z] = 1
    nodes.places[TOUCHED, z] = 1
    for i in range(nodes.parents[z, 0]):
        nodes.places[PENDING, nodes.parents[z, 1 + i]] = 1


@kernel(inner=True)
def accept(nodes: Nodes, rule: Rule, z: int) -> None:
    """The tables of ``z`` were refitted in place."""
    nodes.value[z] = node_value(rule, z, nodes.table[z, S, z], nodes.parents[z, 0])
    note_change(nodes, z)


@kernel(inner=True)
def settle(nodes: Nodes, rule: Rule, z: int) -> None:
    """Settle the parents of ``z`` from those it has."""
    grow_and_shrink(nodes, rule, z, z, nodes.places[POSITION, z], -1, -1)
    value = node_value(rule, z, nodes.table[z, S, z], nodes.parents[z, 0])
    if value != nodes.value[z]:
        accept(nodes, rule, z)


@kernel
def settle_all(nodes: Nodes, rule: Rule, anew: bool) -> None:
    """Fit every node of the order: from no parents if ``anew``, or from those it has."""
    for z in range(nodes.value.size):
        if anew:
            begin(nodes, rule, z, z)
        grow_and_shrink(nodes, rule, z, z, nodes.places[POSITION, z], -1, -1)
        accept(nodes, rule, z)


@kernel
def insert(nodes: Nodes, rule: Rule, v: int, target: int) -> None:
    """Move ``v`` to ``target``, refitting step by step as the walks do, so that deltas are kept."""
    table, parents, _, places, _ = nodes
    p = places[POSITION, v]
    step = -1 if target < p else 1
    note_change(nodes, v)
    k = p
    while k != target:
        k += step
        w = places[ORDER, k]
        if step < 0:
            index = index_of(parents, v, w)
            if index >= 0:
                lose(nodes, rule, v, v, index, k, -1)
            if pays(rule, table, w, w, v):
                note_change(nodes, w)
                gain(nodes, rule, w, w, v, k, -1)
                accept(nodes, rule, w)
        else:
            if pays(rule, table, v, v, w):
                gain(nodes, rule, v, v, w, k + 1, v)
            index = index_of(parents, w, v)
            if index >= 0:
                note_change(nodes, w)
                lose(nodes, rule, w, w, index, k, v)
                accept(nodes, rule, w)
    k = p
    while k != target:
        w = places[ORDER, k + step]
        places[ORDER, k] = w
        places[POSITION, w] = k
        k += step
    places[ORDER, target] = v
    places[POSITION, v] = target
    accept(nodes, rule, v)


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
    """Go back to an order and its parents, building anew only the tables of nodes that differ.

    Node z has the parents ``chosen[z]`` (d, K), the first ``n_chosen[z]`` of them.
    """
    table, parents = nodes.table, nodes.parents
    for z in range(order.size):
        k = n_chosen[z]
        same = parents[z, 0] == k
        for i in range(k):
            same = same and parents[z, 1 + i] == chosen[z, i]
        if same:
            continue
        no_parents(rule.C[rule.own[z]], table, parents, z, z)
        for i in range(k):
            add_parent(rule.C[rule.own[z]], table, parents, z, z, chosen[z, i])
        price_all_exchanges(nodes, rule, z)
        accept(nodes, rule, z)
    for t in range(order.size):
        nodes.places[ORDER, t] = order[t]
        nodes.places[POSITION, order[t]] = t
