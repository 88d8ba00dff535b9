r"""Orders under a Gaussian score with an L0 penalty: insertions evaluated from the gradient tables.

Moving ``v`` one place forward past ``w`` concerns two nodes: ``v`` loses ``w`` as a candidate
parent, which matters only if it uses it, and ``w`` gains ``v``, which matters only if its table
says that ``v`` would pay. Both questions are O(1), nearly always the answer is no, and only a
"yes" refits a node. Moving backwards is the mirror image.

Two things keep the refits few. What gaining or losing ``v`` is worth to ``w`` is remembered until
the parents of ``w`` change (other variables crossing ``w`` may make it stale, so the delta of a
move is computed afresh before the move is made). And a walk away from the current place ends
where even the gains still ahead, each taken at its full worth, could not make it the best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.node import (
    Node,
    Rule,
    grow_and_shrink,
    node_value,
    pays,
    single_gain,
)
from toposwap.kernels.l0.partial_covariance import add_parent, index_of, remove_parent

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Gaining one candidate may let a node drop or take others, beyond the gain of the single edge.
_OPTIMISM = 1.3


class Nodes(NamedTuple):
    """All nodes of an order.

    ``rows`` (d, K, d), ``parents`` (d, K), ``n_parents`` (d,), ``g`` and ``c`` (d, d) are their
    tables, ``value`` (d,) their scores; ``order`` and ``position`` (d,) each. ``if_gained[w, v]``
    and ``if_lost[w, v]`` remember what gaining or losing v changes for w, NaN where unknown.
    ``pending`` marks variables worth trying again.
    """

    rows: NDArray[np.float64]
    parents: NDArray[np.int64]
    n_parents: NDArray[np.int64]
    g: NDArray[np.float64]
    c: NDArray[np.float64]
    value: NDArray[np.float64]
    order: NDArray[np.int64]
    position: NDArray[np.int64]
    if_gained: NDArray[np.float64]
    if_lost: NDArray[np.float64]
    pending: NDArray[np.bool_]


@kernel
def node_of(nodes: Nodes, z: int) -> Node:
    """The tables of ``z``, not copied."""
    return Node(nodes.rows[z], nodes.parents[z], nodes.g[z], nodes.c[z])


@kernel
def copy_node(nodes: Nodes, z: int, into: Node) -> int:
    """Copy the tables of ``z``; its number of parents."""
    k = nodes.n_parents[z]
    d = into.g.size
    for i in range(k):
        source = nodes.rows[z, i]
        target = into.rows[i]
        for t in range(d):
            target[t] = source[t]
        into.parents[i] = nodes.parents[z, i]
    g = nodes.g[z]
    c = nodes.c[z]
    for t in range(d):
        into.g[t] = g[t]
        into.c[t] = c[t]
    return k


@kernel
def gain(
    rule: Rule,
    node: Node,
    k: int,
    z: int,
    u: int,
    position: NDArray[np.int64],
    limit: int,
    excluded: int,
) -> int:
    """Let ``z`` have the candidate ``u`` that pays, and settle; the new number of parents."""
    if k < node.rows.shape[0]:
        k = add_parent(rule.C, node.rows, node.parents, k, node.g, node.c, z, u)
    return grow_and_shrink(rule, node, k, z, position, limit, excluded, u)


@kernel
def lose(
    rule: Rule,
    node: Node,
    k: int,
    z: int,
    index: int,
    position: NDArray[np.int64],
    limit: int,
    excluded: int,
) -> int:
    """Take from ``z`` its parent at ``index``, and settle; the new number of parents."""
    k = remove_parent(node.rows, node.parents, k, node.g, node.c, z, index)
    return grow_and_shrink(rule, node, k, z, position, limit, excluded, -1)


@kernel
def walk_forward(
    nodes: Nodes,
    rule: Rule,
    own: Node,
    trial: Node,
    v: int,
    afresh: bool,
    complete: bool,
    best: float,
    profile: NDArray[np.float64],
    ahead: NDArray[np.float64],
) -> None:
    """Fill ``profile`` before the position of ``v``, as far as it may fall below ``best``."""
    p = nodes.position[v]
    total = 0.0
    for k in range(p):
        w = nodes.order[k]
        worth = nodes.if_gained[w, v]
        if afresh or np.isnan(worth):
            worth = 0.0
            g, c = nodes.g[w, v], nodes.c[w, v]
            if pays(rule, g, c, w, nodes.c[w, w]):
                worth = _OPTIMISM * single_gain(rule, w, nodes.c[w, w], g * g / c)
        total += min(worth, 0.0)
        ahead[k] = total
    count = copy_node(nodes, v, own)
    change = 0.0
    others = 0.0
    for k in range(p - 1, -1, -1):
        if not complete and change + others + ahead[k] >= best:
            return
        w = nodes.order[k]
        index = index_of(own.parents, count, w)
        if index >= 0:
            count = lose(rule, own, count, v, index, nodes.position, k, -1)
            change = node_value(rule, v, own.c[v], count) - nodes.value[v]
        if pays(rule, nodes.g[w, v], nodes.c[w, v], w, nodes.c[w, w]):
            worth = nodes.if_gained[w, v]
            if afresh or np.isnan(worth):
                kept = copy_node(nodes, w, trial)
                kept = gain(rule, trial, kept, w, v, nodes.position, k, -1)
                worth = node_value(rule, w, trial.c[w], kept) - nodes.value[w]
                nodes.if_gained[w, v] = worth
            others += worth
        profile[k] = change + others
        best = min(best, profile[k])


@kernel
def walk_backward(
    nodes: Nodes,
    rule: Rule,
    own: Node,
    trial: Node,
    v: int,
    afresh: bool,
    complete: bool,
    best: float,
    profile: NDArray[np.float64],
    ahead: NDArray[np.float64],
) -> None:
    """Fill ``profile`` behind the position of ``v``, as far as it may fall below ``best``."""
    d = nodes.order.size
    count = copy_node(nodes, v, own)
    change = 0.0
    others = 0.0
    outdated = True
    for k in range(nodes.position[v] + 1, d):
        if outdated:
            total = 0.0
            for t in range(d - 1, k - 1, -1):
                w = nodes.order[t]
                if pays(rule, own.g[w], own.c[w], v, own.c[v]):
                    total += single_gain(rule, v, own.c[v], own.g[w] * own.g[w] / own.c[w])
                ahead[t] = total
            outdated = False
        if not complete and change + others + ahead[k] >= best:
            return
        w = nodes.order[k]
        if pays(rule, own.g[w], own.c[w], v, own.c[v]):
            count = gain(rule, own, count, v, w, nodes.position, k + 1, v)
            change = node_value(rule, v, own.c[v], count) - nodes.value[v]
            outdated = True
        index = index_of(nodes.parents[w], nodes.n_parents[w], v)
        if index >= 0:
            worth = nodes.if_lost[w, v]
            if afresh or np.isnan(worth):
                kept = copy_node(nodes, w, trial)
                kept = lose(rule, trial, kept, w, index, nodes.position, k, v)
                worth = node_value(rule, w, trial.c[w], kept) - nodes.value[w]
                nodes.if_lost[w, v] = worth
            others += worth
        profile[k] = change + others
        best = min(best, profile[k])


@kernel
def insertion_profile(
    nodes: Nodes,
    rule: Rule,
    own: Node,
    trial: Node,
    v: int,
    afresh: bool,
    complete: bool,
    best: float,
    profile: NDArray[np.float64],
    ahead: NDArray[np.float64],
) -> None:
    """Change of Q for each position of ``v``; infinite where it cannot be below ``best``.

    With ``afresh`` nothing remembered is used, with ``complete`` no position is left out.
    """
    profile[:] = np.inf
    profile[nodes.position[v]] = 0.0
    walk_forward(nodes, rule, own, trial, v, afresh, complete, best, profile, ahead)
    best = min(best, profile.min())
    walk_backward(nodes, rule, own, trial, v, afresh, complete, best, profile, ahead)
