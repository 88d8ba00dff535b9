r"""One node of a Gaussian score with an L0 penalty: which predecessors are parents.

.. math:: Q_z(P) = \tfrac12 \mu_z \log \operatorname{var}(x_z \mid P) + \lambda |P|
          \qquad\text{or}\qquad
          Q_z(P) = \tfrac12 \mu_z \operatorname{var}(x_z \mid P) + \lambda |P|

(likelihood, and least squares; :math:`\mu_z` is the share of the rows that count for the node,
times a unit for least squares). Variances are those over the rows of the node. Parents are added
from the best, dropped from the weakest and exchanged until no single addition, removal or exchange
lowers :math:`Q_z`.
Whether a candidate pays is a comparison of its reduction ``g[u]**2 / c[u]`` with a bar that depends
on the residual variance alone, and of what it brings in exchange for a parent, ``e[u]``, with zero;
so a candidate that does neither leaves the solution as it is. What the variance changes by less
than :data:`TOLD` of the column's own is rounding error and no change, in whatever units.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.exchanges import parent_to_exchange, price_exchanges
from toposwap.kernels.l0.partial_covariance import (
    DEPENDENT,
    LIST,
    E,
    G,
    S,
    add_parent,
    cheapest_removal,
    no_parents,
    remove_parent,
    triangle_inverse,
)
from toposwap.kernels.l0.tables import POSITION, Nodes, Rule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SLACK = 1.0 - 1e-9
#: The least change of a residual variance that sums over correlations tell.
TOLD = 1e-12
#: An exchange must lower the residual variance by this share, far above its rounding error.
_LEAST_EXCHANGE = 1e-7


@kernel(inner=True, inlined=True)
def node_value(rule: Rule, z: int, variance: float, k: int) -> float:
    """Q_z with ``k`` parents and this residual variance, which counts as DEPENDENT at the least."""
    if rule.logarithmic:
        return 0.5 * rule.unit[z] * math.log(max(variance, DEPENDENT)) + rule.weight * k
    return 0.5 * rule.unit[z] * variance + rule.weight * k


@kernel(inner=True, inlined=True)
def least_reduction(rule: Rule, z: int, variance: float) -> float:
    """How much the residual variance must fall for one more edge to pay; infinite where none can.

    A variance counts as DEPENDENT at the least, so that nothing is gained from there on.
    """
    if rule.logarithmic:
        if variance * math.exp(-2.0 * rule.weight / rule.unit[z]) <= DEPENDENT:
            return math.inf
        return variance * -math.expm1(-2.0 * rule.weight / rule.unit[z])
    return max(2.0 * rule.weight / rule.unit[z], TOLD)


@kernel(inner=True, inlined=True)
def least_exchange(rule: Rule, variance: float) -> float:
    """How much the residual variance must fall for an exchange of parents to be one."""
    least = _LEAST_EXCHANGE * variance
    return least if rule.logarithmic else max(least, TOLD)


@kernel(inner=True, inlined=True)
def largest_rise(rule: Rule, z: int, variance: float) -> float:
    """How much the residual variance may rise for one edge less to pay."""
    if rule.logarithmic:
        least = max(variance, DEPENDENT)
        return least * math.expm1(2.0 * rule.weight / rule.unit[z]) + (least - variance)
    return max(2.0 * rule.weight / rule.unit[z], TOLD)


@kernel(inner=True, inlined=True)
def value_change(rule: Rule, z: int, variance: float, k: int, before: float) -> float:
    """Q_z with ``k`` parents and this residual variance, less ``before``; rounding error is zero.

    Where Q has units, the rounding error of a large column would outweigh all that others gain.
    """
    change = node_value(rule, z, variance, k) - before
    if not rule.logarithmic and abs(change) < 0.5 * TOLD * rule.unit[z]:
        return 0.0
    return change


@kernel(inner=True, inlined=True)
def single_gain(rule: Rule, z: int, variance: float, reduction: float) -> float:
    """Change of Q_z by one more edge with this reduction, nothing else changing."""
    if rule.logarithmic:
        left = max(variance - reduction, DEPENDENT)
        fallen = math.log(left / max(variance, DEPENDENT))
        return 0.5 * rule.unit[z] * fallen + rule.weight
    return rule.weight - 0.5 * rule.unit[z] * reduction


@kernel(inner=True, inlined=True)
def passes(table: NDArray[np.float64], slot: int, u: int, addition: float, exchange: float) -> bool:
    """Whether ``u`` brings more than an ``addition`` must, or more than an ``exchange`` must."""
    g = table[slot, G, u]
    c = table[slot, S, u]
    return (c > DEPENDENT and g * g > c * addition) or table[slot, E, u] > exchange


@kernel(inner=True, inlined=True)
def pays(rule: Rule, table: NDArray[np.float64], slot: int, z: int, u: int) -> bool:
    """Whether ``u``, no parent of ``z``, may be one and would lower Q_z, alone or in exchange."""
    own = table[slot, S, z]
    if passes(table, slot, u, least_reduction(rule, z, own), least_exchange(rule, own)):
        return not rule.masked or rule.allowed[z, u]
    return False


@kernel(inner=True, inlined=True)
def single_change(rule: Rule, table: NDArray[np.float64], slot: int, z: int, u: int) -> float:
    """Change of Q_z if ``u`` became a parent, alone or in exchange, and nothing else changed."""
    g = table[slot, G, u]
    c = table[slot, S, u]
    own = table[slot, S, z]
    added = single_gain(rule, z, own, g * g / c) if c > DEPENDENT else 0.0
    exchanged = single_gain(rule, z, own, table[slot, E, u]) - rule.weight
    return min(added, exchanged)


@kernel(borrowing=True)
def begin(nodes: Nodes, rule: Rule, slot: int, z: int) -> None:
    """Begin the tables of ``z`` in ``slot``, with its required parents, which come first."""
    no_parents(rule.C[rule.own[z]], nodes.table, nodes.parents, slot, z)
    if rule.demanding:
        for u in range(rule.required.shape[1]):
            if rule.required[z, u]:
                add_parent(rule.C[rule.own[z]], nodes.table, nodes.parents, slot, z, u)


@kernel(inner=True, inlined=True)
def held(rule: Rule, parents: NDArray[np.int64], slot: int, z: int) -> int:
    """How many of the parents of ``z`` in ``slot`` are required; they come first."""
    first = 0
    if rule.demanding:
        while first < parents[slot, 0] and rule.required[z, parents[slot, 1 + first]]:
            first += 1
    return first


@kernel(borrowing=True)
def grow_and_shrink(
    nodes: Nodes, rule: Rule, slot: int, z: int, limit: int, excluded: int, included: int
) -> None:
    """Settle the parents of ``z`` among those it may have at positions below ``limit``.

    ``excluded`` and ``included`` (-1 for none) are one variable that is not a candidate, or is one,
    whatever its position. There are at most as many parents as the slot has rows.
    """
    table, parents, places = nodes.table, nodes.parents, nodes.places
    d = table.shape[2]
    most = parents.shape[1] - 1
    work = table.shape[0] - 1
    g = table[slot, G]
    c = table[slot, S]
    e = table[slot, E]
    those = table[work, LIST]
    position = places[POSITION]
    lowest = math.inf
    # Rows of the inverse triangle that stand in the workspace.
    known = 0
    while True:
        while parents[slot, 0] < most:
            best = -1
            bar = least_reduction(rule, z, c[z])
            # Mostly nobody brings so much, which a loop without branches tells soonest.
            enough = 0
            for u in range(d):
                ahead = (position[u] < limit) | (u == included)
                enough += ahead & (g[u] * g[u] > bar * c[u])
            if enough == 0:
                break
            enough = 0
            for u in range(d):
                those[enough] = u
                ahead = (position[u] < limit) | (u == included)
                enough += ahead & (g[u] * g[u] > bar * c[u])
            for t in range(enough):
                u = int(those[t])
                candidate = c[u] > DEPENDENT and u != excluded
                if candidate and rule.masked:
                    candidate = rule.allowed[z, u]
                if candidate and u != z and g[u] * g[u] / c[u] > bar:
                    bar = g[u] * g[u] / c[u]
                    best = u
            if best < 0:
                break
            add_parent(rule.C[rule.own[z]], table, parents, slot, z, best)
        dropped = False
        first = held(rule, parents, slot, z)
        while parents[slot, 0] > first:
            index, rise = cheapest_removal(table, parents, slot, z, work, first, known)
            known = parents[slot, 0]
            if not rise < _SLACK * largest_rise(rule, z, c[z]):
                break
            remove_parent(table, parents, slot, z, index)
            known = index
            dropped = True
        value = node_value(rule, z, c[z], parents[slot, 0])
        # Columns that determine each other could be taken, dropped and exchanged for ever.
        falling = value < lowest
        lowest = value
        if dropped and falling:
            continue
        if not rule.exchanging:
            for u in range(d):
                e[u] = 0.0
            return
        promised = price_exchanges(table, parents, slot, z, work, first)
        if parents[slot, 0] == first or (rule.logarithmic and c[z] <= DEPENDENT) or not falling:
            return
        best = -1
        most_reduced = least_exchange(rule, c[z])
        if not promised > most_reduced:
            return
        for u in range(d):
            if e[u] > most_reduced:
                candidate = (position[u] < limit or u == included) and u != excluded
                if candidate and (not rule.masked or rule.allowed[z, u]):
                    most_reduced = e[u]
                    best = u
        if best < 0:
            return
        before = c[z]
        index = parent_to_exchange(table, parents, slot, z, work, first, best)
        old = parents[slot, 1 + index]
        remove_parent(table, parents, slot, z, index)
        known = min(known, index)
        add_parent(rule.C[rule.own[z]], table, parents, slot, z, best)
        if c[z] >= before * _SLACK:
            # The price was rounding error: some columns nearly determine each other.
            remove_parent(table, parents, slot, z, parents[slot, 0] - 1)
            add_parent(rule.C[rule.own[z]], table, parents, slot, z, old)
            return


@kernel(borrowing=True)
def fill(nodes: Nodes, rule: Rule, slot: int, z: int) -> None:
    """Build the tables of ``z`` with its parents in ``slot``, without prices of exchanges."""
    C = rule.C[rule.own[z]]
    no_parents(C, nodes.table, nodes.parents, slot, z)
    for i in range(nodes.chosen[z, 0]):
        add_parent(C, nodes.table, nodes.parents, slot, z, nodes.chosen[z, 1 + i])


@kernel(borrowing=True)
def price_all_exchanges(nodes: Nodes, rule: Rule, slot: int, z: int) -> None:
    """Fill ``e`` of the node ``z``, whose tables were built anew in ``slot``."""
    work = nodes.table.shape[0] - 1
    first = held(rule, nodes.parents, slot, z)
    triangle_inverse(nodes.table, nodes.parents, slot, work, first, 0)
    price_exchanges(nodes.table, nodes.parents, slot, z, work, first)


@kernel(borrowing=True)
def gain(nodes: Nodes, rule: Rule, slot: int, z: int, u: int, limit: int, excluded: int) -> None:
    """Let ``z`` have the candidate ``u`` that pays, and settle."""
    if nodes.parents[slot, 0] < nodes.parents.shape[1] - 1:
        add_parent(rule.C[rule.own[z]], nodes.table, nodes.parents, slot, z, u)
    grow_and_shrink(nodes, rule, slot, z, limit, excluded, u)


@kernel(borrowing=True)
def lose(
    nodes: Nodes, rule: Rule, slot: int, z: int, index: int, limit: int, excluded: int
) -> None:
    """Take from ``z`` its parent number ``index``, and settle."""
    remove_parent(nodes.table, nodes.parents, slot, z, index)
    grow_and_shrink(nodes, rule, slot, z, limit, excluded, -1)
