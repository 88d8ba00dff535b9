"""Which part of a graph is drawn where all of it would be a tangle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.report.graph import ReportedGraph

#: More arrows than this are a tangle: only the strongest are drawn.
MOST_EDGES = 200
#: Up to so many arrows, or so many for each node, can be followed by eye.
_FEW_EDGES, _FOR_EACH = 60, 2


def readable(graph: ReportedGraph) -> int:
    """How many arrows a picture can have before nobody follows them."""
    return min(MOST_EDGES, max(_FEW_EDGES, _FOR_EACH * len(graph.names)))


def strongest(
    graph: ReportedGraph, most: int, by: NDArray[np.float64] | None = None
) -> NDArray[np.bool_]:
    """The ``most`` strongest edges, (d, d), with those as strong as the last if they are few.

    ``by`` (d, d) ranks them instead: how sure they are.
    """
    edges = graph.weights != 0.0
    if np.count_nonzero(edges) <= most:
        return edges
    places = np.flatnonzero(edges)
    sizes = (graph.strength if by is None else by).flat[places]
    strongest_first = np.argsort(-sizes, kind="stable")
    count = np.count_nonzero(sizes >= sizes[strongest_first[most - 1]])
    chosen = np.zeros_like(edges)
    chosen.flat[places[strongest_first[: count if count <= 2 * most else most]]] = True
    return chosen


def surroundings(graph: ReportedGraph, column: int | str, steps: int = 1) -> NDArray[np.int64]:
    """The nodes that at most ``steps`` edges, in any direction, join to ``column``, (m,)."""
    if isinstance(column, str):
        if column not in graph.names:
            raise InputError(
                f"around: no column is called {column!r}; there are {listed(graph.names)}"
            )
        column = graph.names.index(column)
    if not 0 <= column < len(graph.names):
        raise InputError(f"around: there are columns 0 to {len(graph.names) - 1}, got {column!r}")
    joined = (graph.weights != 0.0) | (graph.weights.T != 0.0)
    inside = np.zeros(len(graph.names), dtype=bool)
    inside[column] = True
    for _ in range(steps):
        inside |= joined[inside].any(axis=0)
    return np.flatnonzero(inside)
