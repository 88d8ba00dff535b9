"""Descent to a local optimum under insertions and under changes of any single edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.moves import sweep
from toposwap.kernels.l0.single_edges import improve_single_edges
from toposwap.kernels.l0.tables import ORDER, Nodes, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def descend(
    nodes: Nodes,
    rule: Rule,
    threshold: float,
    profile: NDArray[np.float64],
    ancestors: NDArray[np.bool_],
) -> None:
    """Sweep, and change single edges, until neither lowers Q.

    ``profile`` (d,) and ``ancestors`` (d, d) are workspace.
    """
    d = nodes.value.size
    visits = np.empty(d, dtype=np.int64)
    total = np.inf
    # Where columns nearly determine each other, a gain may be rounding error and come up for ever.
    while nodes.value.sum() < total - 0.5 * threshold:
        total = nodes.value.sum()
        for t in range(d):
            visits[t] = nodes.places[ORDER, t]
        if sweep(nodes, rule, visits, threshold, profile) > 0:
            continue
        if improve_single_edges(nodes, rule, ancestors, threshold) == 0:
            return
