"""Changes that are carried out, looked at and taken back: the swaps of an order.

The way back costs as much as what was touched, since only those nodes are copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.moves import insert
from toposwap.kernels.l0.tables import GAINS, ORDER, POSITION, TOUCHED, WANTS, Nodes, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(borrowing=True)
def copy_touched(source: Nodes, target: Nodes, touched: NDArray[np.int64]) -> None:
    """Take over the order, and the nodes that are ``touched`` (d,)."""
    d = source.value.size
    for z in range(d):
        target.places[ORDER, z] = source.places[ORDER, z]
        target.places[POSITION, z] = source.places[POSITION, z]
        if touched[z] == 0:
            continue
        for i in range(1 + source.chosen[z, 0]):
            target.chosen[z, i] = source.chosen[z, i]
        for i in range(source.lost.shape[1]):
            target.lost[z, i] = source.lost[z, i]
        target.value[z] = source.value[z]
        target.variance[z] = source.variance[z]
        for t in range(d):
            target.gained[t, z] = source.gained[t, z]
            target.marks[GAINS, t, z] = source.marks[GAINS, t, z]
            target.marks[WANTS, z, t] = source.marks[WANTS, z, t]


@kernel
def keep(nodes: Nodes, kept: Nodes) -> None:
    """Copy all ``nodes`` to ``kept``; from now on what is touched is noted."""
    for z in range(nodes.value.size):
        nodes.places[TOUCHED, z] = 1
    copy_touched(nodes, kept, nodes.places[TOUCHED])
    for z in range(nodes.value.size):
        nodes.places[TOUCHED, z] = 0


@kernel
def swap_deltas(
    nodes: Nodes, rule: Rule, kept: Nodes, pairs: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Change of Q by each swap of ``pairs`` (m, 2), as two insertions bring it about.

    ``nodes`` are where :func:`keep` left them, and are so afterwards, but for who is pending.
    """
    changes = np.empty(pairs.shape[0])
    touched = nodes.places[TOUCHED]
    for s in range(pairs.shape[0]):
        i = pairs[s, 0]
        j = pairs[s, 1]
        p = nodes.places[POSITION, i]
        q = nodes.places[POSITION, j]
        insert(nodes, rule, i, q)
        insert(nodes, rule, j, p)
        total = 0.0
        for z in range(touched.size):
            if touched[z] != 0:
                total += nodes.value[z] - kept.value[z]
        changes[s] = total
        copy_touched(kept, nodes, touched)
        for z in range(touched.size):
            touched[z] = 0
    return changes
