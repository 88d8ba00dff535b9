"""Graphs in whatever form they are held: matrices, DataFrames, fitted models of any package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import square_matrix
from toposwap.core.tables.columns import is_frame
from toposwap.core.validation import listed, numbered, places
from toposwap.interop import foreign_graph, refuse_marks

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
    held = foreign_graph(given)
    if held is not None:
        names = None if held.names is None else list(held.names)
        return HeldGraph(square_matrix(held.matrix, name), names, held.in_order)
    if hasattr(given, "get_params") and hasattr(given, "fit"):
        raise InputError(f"{name}: this {type(given).__name__} is not fitted; fit it first")
    graph = (
        _of_frame(given, name) if is_frame(given) else HeldGraph(square_matrix(given, name), None)
    )
    refuse_marks(graph.matrix, name)
    return graph


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


def graph_on(given: Any, names: Sequence[str], name: str = "graph") -> NDArray[np.bool_]:
    """The edges (d, d) of ``given`` in the order of the columns ``names``.

    Matched by name where the graph has names, which may leave out columns without edges if it is a
    graph of networkx.
    """
    held = held_graph(given, name)
    d = len(names)
    if held.names is not None and set(held.names) <= set(names):
        if len(held.names) < d and held.in_order:
            missing = [one for one in names if one not in set(held.names)]
            raise InputError(f"{name}: {listed(missing)} of the data is missing from it")
        at = [list(names).index(one) for one in held.names]
        edges = np.zeros((d, d), dtype=bool)
        edges[np.ix_(at, at)] = held.matrix != 0.0
    elif held.names is not None and numbered(names) is None:
        raise InputError(
            f"{name}: its nodes ({listed(held.names)}) are not the columns of the data "
            f"({listed(names)})"
        )
    else:
        edges = _by_place(held, name, "X") != 0.0
    if edges.shape != (d, d):
        raise InputError(f"{name}: {len(edges)} nodes for {d} columns of the data")
    if np.diagonal(edges).any():
        raise InputError(f"{name}: has an edge from a node to itself; set its diagonal to 0")
    return edges


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
