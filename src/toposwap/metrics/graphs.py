"""Graphs in whatever form they are held: matrices, DataFrames, networkx graphs, fitted models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.columns import is_frame
from toposwap.core.errors import InputError
from toposwap.core.graph import square_matrix
from toposwap.core.validation import listed, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class HeldGraph:
    """A matrix (d, d) and what is known about its nodes.

    Attributes
    ----------
    matrix
        Non-zero entries are edges i -> j.
    names
        The nodes, None if nothing names them.
    in_order
        Whether the nodes stand in the order of the data's columns, as they do in a matrix; a
        networkx graph has its nodes in the order in which they were added.
    """

    matrix: NDArray[np.float64]
    names: list[str] | None
    in_order: bool = True


def held_graph(given: Any, name: str) -> HeldGraph:
    """What ``given`` holds, or an error that says what is wrong with ``name``."""
    if hasattr(given, "adjacency_matrix_") and hasattr(given, "names_"):
        # Names that were made up for the columns of an array match nothing.
        names = list(given.names_) if hasattr(given, "feature_names_in_") else None
        return HeldGraph(square_matrix(given.adjacency_matrix_, name), names)
    if hasattr(given, "get_params") and hasattr(given, "fit"):
        raise InputError(f"{name}: this {type(given).__name__} is not fitted; fit it first")
    if hasattr(given, "nodes") and hasattr(given, "is_directed"):
        return _of_networkx(given, name)
    if is_frame(given):
        return _of_frame(given, name)
    return HeldGraph(square_matrix(given, name), None)


def same_nodes(true: Any, estimate: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Matrices (d, d) of two graphs on the same nodes in the same order.

    Nodes are matched by their names where both graphs have names, and by their places otherwise,
    as far as these mean anything.
    """
    first, second = held_graph(true, "true"), held_graph(estimate, "estimate")
    if first.names is not None and second.names is not None:
        if set(first.names) != set(second.names):
            only = sorted(set(first.names) ^ set(second.names))
            raise InputError(
                f"true and estimate are graphs on other nodes: {listed(only)} in one of them only; "
                "call the nodes alike, or give both as arrays in the same order"
            )
        place = places(second.names)
        order = [place[node] for node in first.names]
        return first.matrix, second.matrix[np.ix_(order, order)]
    return _by_place(first, "true", "estimate"), _by_place(second, "estimate", "true")


def _by_place(graph: HeldGraph, name: str, other: str) -> NDArray[np.float64]:
    """The matrix in the order of the columns, if the graph knows it."""
    if graph.in_order:
        return graph.matrix
    assert graph.names is not None
    order = numbered(graph.names)
    if order is None:
        raise InputError(
            f"{other} has no names, and the nodes of {name} ({listed(graph.names)}) do not say "
            f"which of its rows they are: give {other} as a DataFrame with these names, or {name} "
            "as a matrix (adjacency_matrix_ of a fitted model)"
        )
    return graph.matrix[np.ix_(order, order)]


def numbered(names: Sequence[str]) -> list[int] | None:
    """Where the nodes 0, 1, ... (or x0, x1, ...) stand in ``names``; None if they are not these."""
    for prefix in ("", "x"):
        wanted = [f"{prefix}{k}" for k in range(len(names))]
        if set(wanted) == set(names):
            place = places(names)
            return [place[node] for node in wanted]
    return None


def _of_networkx(graph: Any, name: str) -> HeldGraph:
    """Edges of a networkx graph, whatever their weights; undirected ones both ways."""
    nodes = list(graph.nodes)
    names = [str(node) for node in nodes]
    if len(set(names)) < len(names):
        raise InputError(f"{name}: two nodes are called alike ({listed(names)}); rename them")
    place = {node: k for k, node in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)))
    for edge in graph.edges():
        i, j = place[edge[0]], place[edge[1]]
        matrix[i, j] = 1.0
        if not graph.is_directed():
            matrix[j, i] = 1.0
    return HeldGraph(square_matrix(matrix, name), names, in_order=False)


def _of_frame(frame: Any, name: str) -> HeldGraph:
    """Rows and columns by name if the frame names both, else as they stand."""
    columns = [str(node) for node in frame.columns]
    matrix = square_matrix(frame.to_numpy(), name)
    count = [str(k) for k in range(len(columns))]
    if columns == count:
        return HeldGraph(matrix, None)
    rows = [str(node) for node in getattr(frame, "index", columns)]
    if set(rows) == set(columns):
        place = places(rows)
        matrix = matrix[[place[node] for node in columns]]
    elif rows != count:
        raise InputError(
            f"{name}: its rows ({listed(rows)}) are not called like its columns ({listed(columns)})"
        )
    return HeldGraph(matrix, columns)
