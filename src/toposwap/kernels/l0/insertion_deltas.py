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

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.node import gain, lose, pays, single_change, value_change
from toposwap.kernels.l0.partial_covariance import S, copy_tables, index_of
from toposwap.kernels.l0.tables import GAINED, LOST, ORDER, POSITION, Nodes, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Gaining one candidate may let a node drop or take others, beyond the gain of the single edge.
_OPTIMISM = 1.3


@kernel(inner=True)
def walk_forward(
    nodes: Nodes,
    rule: Rule,
    v: int,
    lowest: int,
    afresh: bool,
    complete: bool,
    best: float,
    profile: NDArray[np.float64],
) -> bool:
    """Fill ``profile`` before ``v`` down to ``lowest``, where it may fall below ``best``.

    Whether nothing remembered was used.
    """
    table, parents, value, places, memory = nodes
    own = value.size
    trial = own + 1
    ahead = table[own + 2, S]
    p = places[POSITION, v]
    total = 0.0
    for k in range(lowest, p):
        w = places[ORDER, k]
        worth = memory[GAINED, w, v]
        if afresh or math.isnan(worth):
            worth = 0.0
            if pays(rule, table, w, w, v):
                worth = _OPTIMISM * single_change(rule, table, w, w, v)
        total += min(worth, 0.0)
        ahead[k] = total
    copy_tables(table, parents, v, own)
    change = 0.0
    others = 0.0
    exact = True
    for k in range(p - 1, lowest - 1, -1):
        if not complete and change + others + ahead[k] >= best:
            return exact
        w = places[ORDER, k]
        index = index_of(parents, own, w)
        if index >= 0:
            lose(nodes, rule, own, v, index, k, -1)
            change = value_change(rule, v, table[own, S, v], parents[own, 0], value[v])
        if pays(rule, table, w, w, v):
            worth = memory[GAINED, w, v]
            if afresh or math.isnan(worth):
                copy_tables(table, parents, w, trial)
                gain(nodes, rule, trial, w, v, k, -1)
                count = parents[trial, 0]
                worth = value_change(rule, w, table[trial, S, w], count, value[w])
                memory[GAINED, w, v] = worth
            else:
                exact = False
            others += worth
        profile[k] = change + others
        best = min(best, profile[k])
    return exact


@kernel(inner=True)
def walk_backward(
    nodes: Nodes,
    rule: Rule,
    v: int,
    highest: int,
    afresh: bool,
    complete: bool,
    best: float,
    profile: NDArray[np.float64],
) -> bool:
    """Fill ``profile`` behind ``v`` up to ``highest``, where it may fall below ``best``.

    Whether nothing remembered was used.
    """
    table, parents, value, places, memory = nodes
    own = value.size
    trial = own + 1
    ahead = table[own + 2, S]
    copy_tables(table, parents, v, own)
    change = 0.0
    others = 0.0
    exact = True
    outdated = True
    for k in range(places[POSITION, v] + 1, highest + 1):
        if outdated:
            total = 0.0
            for t in range(highest, k - 1, -1):
                w = places[ORDER, t]
                if pays(rule, table, own, v, w):
                    total += single_change(rule, table, own, v, w)
                ahead[t] = total
            outdated = False
        if not complete and change + others + ahead[k] >= best:
            return exact
        w = places[ORDER, k]
        if pays(rule, table, own, v, w):
            gain(nodes, rule, own, v, w, k + 1, v)
            change = value_change(rule, v, table[own, S, v], parents[own, 0], value[v])
            outdated = True
        index = index_of(parents, w, v)
        if index >= 0:
            worth = memory[LOST, w, v]
            if afresh or math.isnan(worth):
                copy_tables(table, parents, w, trial)
                lose(nodes, rule, trial, w, index, k, v)
                count = parents[trial, 0]
                worth = value_change(rule, w, table[trial, S, w], count, value[w])
                memory[LOST, w, v] = worth
            else:
                exact = False
            others += worth
        profile[k] = change + others
        best = min(best, profile[k])
    return exact


@kernel
def insertion_profile(
    nodes: Nodes,
    rule: Rule,
    v: int,
    afresh: bool,
    complete: bool,
    best: float,
    profile: NDArray[np.float64],
) -> tuple[int, bool]:
    """Change of Q for each position of ``v``; infinite where it cannot be below ``best``.

    Positions that the rule's precedence forbids are infinite too. With ``afresh`` nothing
    remembered is used, with ``complete`` no position is left out. Returns the first best position,
    and whether nothing remembered was used.
    """
    d = profile.size
    places = nodes.places
    for k in range(d):
        profile[k] = np.inf
    profile[places[POSITION, v]] = 0.0
    lowest, highest = 0, d - 1
    if rule.ordered:
        lowest = lowest_position(rule.before, places[POSITION], v)
        highest = highest_position(rule.before, places[POSITION], v)
    ahead = walk_forward(nodes, rule, v, lowest, afresh, complete, best, profile)
    target = 0
    for k in range(1, d):
        if profile[k] < profile[target]:
            target = k
    best = min(best, profile[target])
    behind = walk_backward(nodes, rule, v, highest, afresh, complete, best, profile)
    for k in range(places[POSITION, v] + 1, d):
        if profile[k] < profile[target]:
            target = k
    return target, ahead and behind
