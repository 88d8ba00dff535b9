"""Directions that follow from others: the rules of Meek (1995) on an equivalence class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
        for b in np.flatnonzero((either & ~follows).any(axis=0) & arrows.any(axis=0)).tolist():
            follows[:, b] |= either[:, b] & _both_ways_closed(b, arrows, either, adjacent, apart)
        if not follows.any():
            return graph
        graph &= ~follows.T


def _no_new_collider(arrows: Edges, apart: Edges) -> Edges:
    """Where c -> a, a - b, and c, b are apart: a <- b would be a collider that the class lacks."""
    return np.asarray((arrows.T.astype(np.float64) @ apart) > 0.0)


def _no_cycle(arrows: Edges) -> Edges:
    """Where a -> c -> b and a - b: a <- b would close a cycle."""
    return np.asarray((arrows.astype(np.float64) @ arrows) > 0.0)


def _both_ways_closed(b: int, arrows: Edges, either: Edges, adjacent: Edges, apart: Edges) -> Edges:
    """For which a (d,) a - b must be a -> b: whichever way a - c points, b -> a would be refused.

    Either c -> b <- e with c, e apart and both joined to a by undirected edges; or c -> e -> b with
    c, b apart, a - c undirected and e adjacent to a.
    """
    into, first = np.flatnonzero(arrows[:, b]), np.flatnonzero(apart[:, b])
    joined = either[:, into].astype(np.float64)
    colliding = (joined @ apart[np.ix_(into, into)]) * joined
    led_to = either[:, first].astype(np.float64) @ arrows[np.ix_(first, into)]
    return np.asarray(((colliding > 0.0) | ((led_to > 0.0) & adjacent[:, into])).any(axis=1))
