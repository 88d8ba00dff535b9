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
from toposwap.kernels.l0.node import (
    fill,
    gain,
    least_exchange,
    least_reduction,
    lose,
    passes,
    single_change,
    value_change,
)
from toposwap.kernels.l0.partial_covariance import S, index_of
from toposwap.kernels.l0.tables import (
    GAINS,
    GUESSED,
    NONE,
    ORDER,
    OWN,
    POSITION,
    TRIAL,
    TRIED,
    WANTS,
    WORK,
    Nodes,
    Rule,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Gaining one candidate may let a node drop or take others, beyond the gain of the single edge.
_OPTIMISM = 1.3


@kernel(borrowing=True)
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
    table, parents, chosen, value, _, places, _, gained, marks = nodes
    gains, mark = gained[v], marks[GAINS, v]
    order = places[ORDER]
    ahead = table[WORK, S]
    p = places[POSITION, v]
    total = 0.0
    for k in range(lowest, p):
        w = order[k]
        if mark[w] != NONE:
            worth = gains[w]
            if afresh or mark[w] == GUESSED:
                worth *= _OPTIMISM
            total += min(worth, 0.0)
        ahead[k] = total
    change = 0.0
    others = 0.0
    exact = True
    # The tables of v are built when it loses a parent, and rarely it comes so far.
    built = False
    for k in range(p - 1, lowest - 1, -1):
        if not complete and change + others + ahead[k] >= best:
            return exact
        w = order[k]
        index = index_of(parents, OWN, w) if built else index_of(chosen, v, w)
        if index >= 0:
            if not built:
                fill(nodes, rule, OWN, v)
                built = True
            lose(nodes, rule, OWN, v, index, k, -1)
            change = value_change(rule, v, table[OWN, S, v], parents[OWN, 0], value[v])
        if mark[w] != NONE:
            if afresh or mark[w] == GUESSED:
                fill(nodes, rule, TRIAL, w)
                gain(nodes, rule, TRIAL, w, v, k, -1)
                count = parents[TRIAL, 0]
                gains[w] = value_change(rule, w, table[TRIAL, S, w], count, value[w])
                mark[w] = TRIED
            else:
                exact = False
            others += gains[w]
        profile[k] = change + others
        best = min(best, profile[k])
    return exact


@kernel(borrowing=True)
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
    table, parents, chosen, value, _, places, lost, gained, marks = nodes
    wants = marks[WANTS, v]
    order = places[ORDER]
    ahead = table[WORK, S]
    p = places[POSITION, v]
    total = 0.0
    for t in range(highest, p, -1):
        w = order[t]
        if wants[w] != 0:
            total += min(gained[w, v], 0.0)
        ahead[t] = total
    change = 0.0
    others = 0.0
    exact = True
    # From the first candidate on that v gains, its own tables tell what else it wants.
    built = False
    addition = 0.0
    exchange = 0.0
    for k in range(p + 1, highest + 1):
        if not complete and change + others + ahead[k] >= best:
            return exact
        w = order[k]
        wanted = wants[w] != 0
        if built:
            wanted = passes(table, OWN, w, addition, exchange)
            wanted = wanted and (not rule.masked or rule.allowed[v, w])
        if wanted:
            if not built:
                fill(nodes, rule, OWN, v)
                built = True
            gain(nodes, rule, OWN, v, w, k + 1, v)
            own = table[OWN, S, v]
            change = value_change(rule, v, own, parents[OWN, 0], value[v])
            addition, exchange = least_reduction(rule, v, own), least_exchange(rule, own)
            total = 0.0
            for t in range(highest, k, -1):
                u = order[t]
                possible = not rule.masked or rule.allowed[v, u]
                if possible and passes(table, OWN, u, addition, exchange):
                    total += single_change(rule, table, OWN, v, u)
                ahead[t] = total
        index = index_of(chosen, w, v)
        if index >= 0:
            if afresh or math.isnan(lost[w, index]):
                fill(nodes, rule, TRIAL, w)
                lose(nodes, rule, TRIAL, w, index, k, v)
                count = parents[TRIAL, 0]
                lost[w, index] = value_change(rule, w, table[TRIAL, S, w], count, value[w])
            else:
                exact = False
            others += lost[w, index]
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
