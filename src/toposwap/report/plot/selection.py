"""Which part of a graph is drawn where all of it would be a tangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import listed
from toposwap.report.clusters import clusters_of
from toposwap.report.sureness import sureness_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.report.graph import ReportedGraph

#: More arrows than this are a tangle: only the strongest are drawn.
MOST_EDGES = 200
#: Up to so many arrows, or so many for each node, can be followed by eye.
_FEW_EDGES, _FOR_EACH = 60, 2


@dataclass(frozen=True, eq=False)
class Part:
    """What of a graph is drawn.

    Attributes
    ----------
    graph
        On the nodes that are drawn.
    sure
        How sure its edges are, (m, m); None where only their strength is known.
    centre
        The node whose edges come first, if it is about one.
    """

    graph: ReportedGraph
    sure: NDArray[np.float64] | None = None
    centre: int | None = None


def part_of(
    graph: ReportedGraph,
    around: int | str | None = None,
    steps: int = 1,
    cluster: int | str | None = None,
    confidence: Any = None,
) -> Part:
    """The surroundings or the cluster of a column if asked for, and how sure the edges are."""
    sure = sureness_of(confidence, graph.names)
    adjacent = None if sure is None else sure.adjacent
    if around is not None and cluster is not None:
        raise InputError("around and cluster: a picture shows one of them; choose")
    if around is not None:
        nodes = surroundings(graph, around, steps)
    elif cluster is not None:
        nodes = cluster_around(graph, cluster)
    else:
        return Part(graph, adjacent)
    centre = None
    if around is not None:
        centre = int(np.searchsorted(nodes, position_of(graph, around, "around")))
    sure_there = None if adjacent is None else adjacent[np.ix_(nodes, nodes)]
    return Part(graph.part(nodes), sure_there, centre)


def readable(graph: ReportedGraph) -> int:
    """How many arrows a picture can have before nobody follows them."""
    return min(MOST_EDGES, max(_FEW_EDGES, _FOR_EACH * len(graph.names)))


def strongest(
    graph: ReportedGraph,
    most: int,
    by: NDArray[np.float64] | None = None,
    centre: int | None = None,
) -> NDArray[np.bool_]:
    """The ``most`` strongest edges, (d, d), with those as strong as the last if they are few.

    ``by`` (d, d) ranks them instead: how sure they are. Edges at ``centre`` come before all others.
    """
    edges = graph.weights != 0.0
    if np.count_nonzero(edges) <= most:
        return edges
    places = np.flatnonzero(edges)
    ranks = np.array(graph.strength if by is None else by)
    if centre is not None:
        ranks[centre] += 1.0 + ranks.max()
        ranks[:, centre] += ranks[centre].max()
    sizes = ranks.flat[places]
    strongest_first = np.argsort(-sizes, kind="stable")
    count = np.count_nonzero(sizes >= sizes[strongest_first[most - 1]])
    chosen = np.zeros_like(edges)
    chosen.flat[places[strongest_first[: count if count <= 2 * most else most]]] = True
    return chosen


def surroundings(graph: ReportedGraph, column: int | str, steps: int = 1) -> NDArray[np.int64]:
    """The nodes that at most ``steps`` edges, in any direction, join to ``column``, (m,)."""
    column = position_of(graph, column, "around")
    joined = (graph.weights != 0.0) | (graph.weights.T != 0.0)
    inside = np.zeros(len(graph.names), dtype=bool)
    inside[column] = True
    for _ in range(steps):
        inside |= joined[inside].any(axis=0)
    return np.flatnonzero(inside)


def cluster_around(graph: ReportedGraph, column: int | str) -> NDArray[np.int64]:
    """The nodes of the cluster that ``column`` is in, (m,)."""
    place = position_of(graph, column, "cluster")
    return next(group for group in clusters_of(graph.strength) if place in group)


def position_of(graph: ReportedGraph, column: int | str, argument: str) -> int:
    """Where ``column``, a name or a position, is among the nodes."""
    if isinstance(column, str):
        if column not in graph.names:
            raise InputError(
                f"{argument}: no column is called {column!r}; there are {listed(graph.names)}"
            )
        return graph.names.index(column)
    if not 0 <= column < len(graph.names):
        raise InputError(
            f"{argument}: there are columns 0 to {len(graph.names) - 1}, got {column!r}"
        )
    return column
