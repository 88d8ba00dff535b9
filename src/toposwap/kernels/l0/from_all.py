"""A second look at the parents of each node: from all candidates, dropped one by one.

Parents that help only together are never found by adding them one by one. From all candidates at
once they are there, and what is not needed is dropped. That takes longer, and is worth it where a
node has few candidates.
"""

from __future__ import annotations

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.moves import accept
from toposwap.kernels.l0.node import begin, grow_and_shrink, node_value
from toposwap.kernels.l0.partial_covariance import DEPENDENT, S, add_parent, index_of
from toposwap.kernels.l0.tables import OWN, POSITION, Nodes, Rule

#: Shares of a variance above this are clear of rounding errors, also after many removals.
_CLEAR = 1e3 * DEPENDENT


@kernel
def look_again(nodes: Nodes, rule: Rule, most: int, least: float) -> int:
    """Settle nodes of at most ``most`` candidates from all of these; how many gained.

    A node keeps what it has unless that lowers its score by more than ``least``.
    """
    table, parents = nodes.table, nodes.parents
    d = nodes.value.size
    gained = 0
    for z in range(d):
        limit = nodes.places[POSITION, z]
        if limit > most or limit > parents.shape[1] - 1:
            continue
        begin(nodes, rule, OWN, z)
        for u in range(d):
            inside = u != z and nodes.places[POSITION, u] < limit
            if inside and rule.masked:
                inside = rule.allowed[z, u]
            if inside and table[OWN, S, u] > _CLEAR and index_of(parents, OWN, u) < 0:
                add_parent(rule.C[rule.own[z]], table, parents, OWN, z, u)
        # Where all together determine the node, dropping begins with digits that mean nothing.
        if table[OWN, S, z] <= _CLEAR:
            continue
        grow_and_shrink(nodes, rule, OWN, z, limit, -1, -1)
        value = node_value(rule, z, table[OWN, S, z], parents[OWN, 0])
        if value < nodes.value[z] - least:
            accept(nodes, rule, OWN, z)
            gained += 1
    return gained
