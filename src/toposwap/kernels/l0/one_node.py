"""One Gaussian node with an L0 penalty by itself, for scores whose other nodes are no such ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.node import begin, grow_and_shrink, pays
from toposwap.kernels.l0.partial_covariance import ROWS, add_parent, index_of
from toposwap.kernels.l0.tables import POSITION, Nodes, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray


def room(d: int, most: int) -> Nodes:
    """Tables for one node of ``d`` variables with at most ``most`` parents."""
    return Nodes(
        table=np.empty((2, ROWS + most, d)),
        parents=np.zeros((2, 1 + most), dtype=np.int64),
        chosen=np.empty((1, 1), dtype=np.int64),
        value=np.empty(1),
        variance=np.empty(1),
        places=np.zeros((4, d), dtype=np.int64),
        lost=np.empty((1, 1)),
        gained=np.empty((1, 1)),
        marks=np.empty((2, 1, 1), dtype=np.int8),
    )


@kernel
def settle_node(
    nodes: Nodes,
    rule: Rule,
    z: int,
    allowed: NDArray[np.bool_],
    chosen: NDArray[np.bool_],
    violating: NDArray[np.bool_],
) -> None:
    """Settle the parents of ``z`` among ``allowed`` (d,), from those that are ``chosen`` (d,).

    ``chosen`` receives them, ``violating`` (d,) those not allowed that would pay.
    """
    table, parents = nodes.table, nodes.parents
    begin(nodes, rule, 0, z)
    for u in range(allowed.size):
        # As if the candidates stood before all others.
        nodes.places[POSITION, u] = 0 if allowed[u] else 1
        wanted = chosen[u] and allowed[u] and index_of(parents, 0, u) < 0
        if wanted and parents[0, 0] < parents.shape[1] - 1:
            add_parent(rule.C[rule.own[z]], table, parents, 0, z, u)
    grow_and_shrink(nodes, rule, 0, z, 1, -1, -1)
    for u in range(allowed.size):
        chosen[u] = False
        violating[u] = u != z and not allowed[u] and pays(rule, table, 0, z, u)
    for i in range(parents[0, 0]):
        chosen[parents[0, 1 + i]] = True
