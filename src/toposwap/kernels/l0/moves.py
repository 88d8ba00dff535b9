r"""Orders under a Gaussian score with an L0 penalty: moves, sweeps, and ways back.

A move refits nodes step by step exactly as the walks of
:mod:`~toposwap.kernels.l0.insertion_deltas` do, so that the delta of a move is what comes about,
although a node's parents depend on where they came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.insertion_deltas import Nodes, gain, insertion_profile, lose, node_of
from toposwap.kernels.l0.node import Node, Rule, grow_and_shrink, node_value, pays
from toposwap.kernels.l0.partial_covariance import add_parent, index_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def note_change(nodes: Nodes, z: int) -> None:
    """The parents of ``z`` changed: forget what was remembered, look at z and its parents again."""
    nodes.if_gained[z] = np.nan
    nodes.if_lost[z] = np.nan
    nodes.pending[z] = True
    for i in range(nodes.n_parents[z]):
        nodes.pending[nodes.parents[z, i]] = True


@kernel
def fit_all(nodes: Nodes, rule: Rule) -> None:
    """Fit every node of the order from no parents."""
    for z in range(nodes.order.size):
        for u in range(nodes.order.size):
            nodes.g[z, u] = rule.C[z, u]
            nodes.c[z, u] = rule.C[u, u]
        k = grow_and_shrink(
            rule, node_of(nodes, z), 0, z, nodes.position, nodes.position[z], -1, -1
        )
        accept(nodes, rule, z, k)


@kernel
def accept(nodes: Nodes, rule: Rule, z: int, k: int) -> None:
    """The tables of ``z`` were refitted in place and have ``k`` parents now."""
    nodes.n_parents[z] = k
    nodes.value[z] = node_value(rule, z, nodes.c[z, z], k)
    note_change(nodes, z)


@kernel
def insert(nodes: Nodes, rule: Rule, v: int, target: int) -> None:
    """Move ``v`` to ``target``, refitting step by step as the walks do, so that deltas are kept."""
    p = nodes.position[v]
    step = -1 if target < p else 1
    own = node_of(nodes, v)
    note_change(nodes, v)
    k = p
    while k != target:
        k += step
        w = nodes.order[k]
        other = node_of(nodes, w)
        count = nodes.n_parents[v]
        if step < 0:
            index = index_of(own.parents, count, w)
            if index >= 0:
                count = lose(rule, own, count, v, index, nodes.position, k, -1)
                nodes.n_parents[v] = count
            if pays(rule, other.g[v], other.c[v], w, other.c[w]):
                note_change(nodes, w)
                accept(
                    nodes,
                    rule,
                    w,
                    gain(rule, other, nodes.n_parents[w], w, v, nodes.position, k, -1),
                )
        else:
            if pays(rule, own.g[w], own.c[w], v, own.c[v]):
                nodes.n_parents[v] = gain(rule, own, count, v, w, nodes.position, k + 1, v)
            index = index_of(other.parents, nodes.n_parents[w], v)
            if index >= 0:
                note_change(nodes, w)
                accept(
                    nodes,
                    rule,
                    w,
                    lose(rule, other, nodes.n_parents[w], w, index, nodes.position, k, v),
                )
    k = p
    while k != target:
        w = nodes.order[k + step]
        nodes.order[k] = w
        nodes.position[w] = k
        k += step
    nodes.order[target] = v
    nodes.position[v] = target
    accept(nodes, rule, v, nodes.n_parents[v])


@kernel
def sweep(
    nodes: Nodes,
    rule: Rule,
    own: Node,
    trial: Node,
    visits: NDArray[np.int64],
    threshold: float,
    profile: NDArray[np.float64],
    ahead: NDArray[np.float64],
) -> int:
    """Move each pending one of ``visits`` to its best place; how many moved."""
    moved = 0
    for v in visits:
        if not nodes.pending[v]:
            continue
        nodes.pending[v] = False
        for afresh in (False, True):
            insertion_profile(nodes, rule, own, trial, v, afresh, False, -threshold, profile, ahead)
            target = int(np.argmin(profile))
            if profile[target] >= -threshold:
                break
            if afresh:
                insert(nodes, rule, v, target)
                moved += 1
    return moved


@kernel
def restore(
    nodes: Nodes,
    rule: Rule,
    order: NDArray[np.int64],
    parents: NDArray[np.int64],
    n_parents: NDArray[np.int64],
) -> None:
    """Go back to an order and its parents, building anew only the tables of nodes that differ."""
    d = order.size
    for z in range(d):
        k = n_parents[z]
        same = nodes.n_parents[z] == k
        for i in range(k):
            same = same and nodes.parents[z, i] == parents[z, i]
        if same:
            continue
        node = node_of(nodes, z)
        for u in range(d):
            node.g[u] = rule.C[z, u]
            node.c[u] = rule.C[u, u]
        for i in range(k):
            add_parent(rule.C, node.rows, node.parents, i, node.g, node.c, z, parents[z, i])
        accept(nodes, rule, z, k)
    for t in range(d):
        nodes.order[t] = order[t]
        nodes.position[order[t]] = t


@kernel
def resettle(nodes: Nodes, rule: Rule) -> None:
    """The rule changed: settle every node again from the parents it has."""
    for z in range(nodes.order.size):
        k = grow_and_shrink(
            rule,
            node_of(nodes, z),
            nodes.n_parents[z],
            z,
            nodes.position,
            nodes.position[z],
            -1,
            -1,
        )
        accept(nodes, rule, z, k)
