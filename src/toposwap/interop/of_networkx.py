"""networkx, and what is derived from it: pgmpy's graphs and Bayesian networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.interop.base import ForeignGraph, is_of, node_places, required_module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


def read(given: Any) -> ForeignGraph | None:
    """A graph with ``weight`` on its edges or without; undirected edges both ways.

    Coefficients of pgmpy's linear Gaussian networks are those of their distributions.
    """
    if not (hasattr(given, "nodes") and hasattr(given, "is_directed") and hasattr(given, "edges")):
        return None
    package = "pgmpy" if is_of(given, "pgmpy") else "networkx"
    nodes = list(given.nodes)
    place, names = node_places(nodes, package)
    matrix = np.zeros((len(nodes), len(nodes)))
    weighted = False
    for source, target, told in given.edges(data=True):
        weight = _number(told.get("weight"))
        weighted |= weight is not None
        i, j = place[source], place[target]
        # An edge is there whatever its weight.
        matrix[i, j] = 1.0 if weight is None else (weight or np.finfo(float).tiny)
        if not given.is_directed():
            matrix[j, i] = matrix[i, j]
    for i, j in _undirected(given, place):
        matrix[i, j] = matrix[j, i] = 1.0
    for i, j, weight in _coefficients(given, place):
        matrix[i, j] = weight or np.finfo(float).tiny
        weighted = True
    return ForeignGraph(matrix, names, package, in_order=False, weighted=weighted)


def _number(weight: Any) -> float | None:
    """A weight that is one; pgmpy writes None where there is none."""
    try:
        return None if weight is None else float(weight)
    except (TypeError, ValueError):
        raise InputError(f"an edge has the weight {weight!r}, which is no number") from None


def _undirected(given: Any, place: Mapping[Any, int]) -> Sequence[tuple[int, int]]:
    """Edges without a direction of pgmpy's PDAG."""
    edges = getattr(given, "undirected_edges", None) if is_of(given, "pgmpy") else None
    return [(place[a], place[b]) for a, b in (edges or ())]


def _coefficients(given: Any, place: Mapping[Any, int]) -> list[tuple[int, int, float]]:
    """Of a linear Gaussian network of pgmpy, whose ``beta`` begins with the intercept."""
    found = []
    for cpd in getattr(given, "cpds", None) or ():
        if hasattr(cpd, "beta") and hasattr(cpd, "evidence"):
            child = place[cpd.variable]
            pairs = zip(cpd.evidence or (), np.asarray(cpd.beta)[1:], strict=True)
            found += [(place[cause], child, float(weight)) for cause, weight in pairs]
    return found


def write(
    graph: ForeignGraph,
    node_numbers: Mapping[str, NDArray[np.float64]] | None = None,
    edge_numbers: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """``networkx.DiGraph``: nodes are the names, edges have ``weight`` and what else is known.

    Parameters
    ----------
    graph
        The edges; one without a direction goes both ways.
    node_numbers, edge_numbers
        By attribute, (d,) and (d, d).
    """
    made = required_module("networkx", "networkx").DiGraph()
    names = graph.labels
    for k, name in enumerate(names):
        made.add_node(name, **{key: float(of[k]) for key, of in (node_numbers or {}).items()})
    for i, j in np.argwhere(graph.edges):
        told: dict[str, Any] = {"weight": float(graph.matrix[i, j])} if graph.weighted else {}
        for key, of in (edge_numbers or {}).items():
            told[key] = bool(of[i, j]) if of.dtype == bool else float(of[i, j])
        made.add_edge(names[i], names[j], **told)
    return made
