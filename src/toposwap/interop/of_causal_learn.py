"""causal-learn: a matrix of end marks, ``G[j, i] = 1`` and ``G[i, j] = -1`` for i -> j."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.interop.base import ForeignGraph, is_of, required_module

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "causal-learn"
TAIL, ARROW = -1, 1


def read(given: Any) -> ForeignGraph | None:
    """A graph, what PC returns, or the record that GES returns."""
    if isinstance(given, Mapping) and is_of(given.get("G"), "causallearn"):
        given = given["G"]
    if not is_of(given, "causallearn"):
        return None
    graph = getattr(given, "G", given)
    marks = np.asarray(graph.graph)
    names = tuple(str(node.get_name()) for node in graph.get_nodes())
    # What it calls columns that nobody has named says no more than their place.
    made_up = names == tuple(f"X{k + 1}" for k in range(len(names)))
    return ForeignGraph(from_marks(marks), None if made_up else names, PACKAGE, weighted=False)


def from_marks(marks: NDArray[Any]) -> NDArray[np.float64]:
    """Ones for i -> j, both directions for i - j, (d, d), of end marks (d, d)."""
    values = np.asarray(marks)
    joined = values != 0
    circles = joined & (values != TAIL) & (values != ARROW)
    if circles.any() or ((values == ARROW) & (values.T == ARROW)).any():
        raise InputError(
            "this graph of causal-learn has circles or edges with two arrowheads, marks of "
            "unmeasured common causes, which no DAG has: give the result of PC, GES, GRaSP or BOSS"
        )
    if (joined != joined.T).any():
        raise InputError("these are no end marks: an edge of causal-learn has a mark at both ends")
    # From i to j unless there is an arrowhead at i, which stands in row i.
    return np.asarray(joined & (values != ARROW), dtype=np.float64)


def looks_like_marks(matrix: NDArray[Any]) -> bool:
    """Whether a matrix (d, d) has a mark at both ends of each edge, and tails among these."""
    known = np.isin(matrix, (TAIL, 0, ARROW, 2))
    joined = matrix != 0
    return bool((matrix == TAIL).any() and known.all() and (joined == joined.T).all())


def refuse_marks(matrix: NDArray[Any], argument: str) -> None:
    """Raise where ``argument`` is a raw matrix of end marks."""
    if looks_like_marks(matrix):
        raise InputError(
            f"{argument}: this looks like causal-learn's end marks (-1 tail, 1 arrowhead), not "
            "like weights: give the graph object itself (pc(...).G, ges(...)['G']), or "
            "toposwap.interop.from_marks(matrix)"
        )


def write(graph: ForeignGraph) -> Any:
    """Their ``GeneralGraph``, whose ``graph`` is the matrix of end marks."""
    general = required_module("causallearn.graph.GeneralGraph", PACKAGE).GeneralGraph
    node = required_module("causallearn.graph.GraphNode", PACKAGE).GraphNode
    edge = required_module("causallearn.graph.Edge", PACKAGE).Edge
    end = required_module("causallearn.graph.Endpoint", PACKAGE).Endpoint
    nodes = [node(name) for name in graph.labels]
    made = general(nodes)
    either = graph.edges & graph.edges.T
    for i, j in np.argwhere(graph.edges & (~either | np.triu(either))):
        head = end.TAIL if either[i, j] else end.ARROW
        made.add_edge(edge(nodes[i], nodes[j], end.TAIL, head))
    return made


def marks(graph: ForeignGraph) -> NDArray[np.int64]:
    """The matrix of end marks alone, (d, d); causal-learn need not be installed."""
    edges = graph.edges
    found = np.zeros(edges.shape, dtype=np.int64)
    found[edges | edges.T] = TAIL
    found[(edges & ~edges.T).T] = ARROW
    return found
