"""Directions that follow from others: the rules of Meek (1995) on an equivalence class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.meek import close_both_ways

if TYPE_CHECKING:
    from toposwap.metrics.equivalence import Edges


def orient(completed: Edges, directed: Edges) -> Edges:
    """C' = union of the DAGs of the class `completed` that have every edge of `directed`; (d, d).

    Parameters
    ----------
    completed
        An equivalence class as :func:`~toposwap.metrics.equivalence.cpdag` gives it, (d, d).
    directed
        Edges with the direction to give them, (d, d); at least one DAG of the class has them all.

    Returns
    -------
    (d, d) bool array
        ``C'[i, j] and C'[j, i]`` is an edge that these DAGs have either way round.
    """
    graph = completed & ~directed.T
    adjacent = completed | completed.T
    apart = ~adjacent & ~np.eye(len(graph), dtype=bool)
    while True:
        arrows, either = graph & ~graph.T, graph & graph.T
        follows = either & (_no_new_collider(arrows, apart) | _no_cycle(arrows))
        close_both_ways(arrows, either, adjacent, follows)
        if not follows.any():
            return graph
        graph &= ~follows.T


def _no_new_collider(arrows: Edges, apart: Edges) -> Edges:
    """Where c -> a, a - b, and c, b are apart: a <- b would be a collider that the class lacks."""
    return np.asarray((arrows.T.astype(np.float64) @ apart) > 0.0)


def _no_cycle(arrows: Edges) -> Edges:
    """Where a -> c -> b and a - b: a <- b would close a cycle."""
    return np.asarray((arrows.astype(np.float64) @ arrows) > 0.0)
