"""What goes out: any graph that is known here, as another package wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.interop import (
    of_causal_learn,
    of_dagitty,
    of_dowhy,
    of_lingam,
    of_networkx,
    of_pgmpy,
)
from toposwap.interop.base import ForeignGraph
from toposwap.interop.reading import foreign_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray


def any_graph(given: Any) -> ForeignGraph:
    """The graph in a fitted model, an object of another package, a frame or a matrix (d, d)."""
    found = foreign_graph(given)
    if found is not None:
        if found.names is None and hasattr(given, "names_"):
            return ForeignGraph(found.matrix, tuple(given.names_), found.package)
        return found
    names = None
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        names = tuple(str(name) for name in given.columns)
        if tuple(str(name) for name in getattr(given, "index", names)) != names:
            raise InputError("the rows of this frame are not called like its columns, in one order")
        given = given.to_numpy()
    try:
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"no graph is known in this {type(given).__name__}: give a fitted model, a graph of "
            "networkx, or a matrix (d, d) with W[i, j] for the edge i -> j"
        ) from None
    of_causal_learn.refuse_marks(matrix, "graph")
    return ForeignGraph(matrix, names, "NumPy")


def to_networkx(given: Any) -> Any:
    """``networkx.DiGraph`` with everything that is known as attributes of nodes and edges.

    Edges of a fitted model have ``weight``, ``standardised``, ``open`` (the data fit as well the
    other way round) and, where the model is linear, ``standard_error``; nodes have ``mean``,
    ``deviation`` and, where it is linear, ``noise_deviation``.
    """
    nodes, edges = _numbers(given)
    return of_networkx.write(any_graph(given), nodes, edges)


def to_dowhy(given: Any, data: Any, cause: str, effect: str) -> Any:
    """``dowhy.CausalModel``: identify, estimate and refute the effect there."""
    return of_dowhy.write_causal_model(any_graph(given), data, cause, effect)


def to_gcm(given: Any, data: Any = None) -> Any:
    """``dowhy.gcm.InvertibleStructuralCausalModel``, linear with additive noise, fitted to data."""
    return of_dowhy.write_gcm(any_graph(given), data)


def to_pgmpy(given: Any) -> Any:
    """``pgmpy.base.DAG``, or ``PDAG`` where directions are open."""
    return of_pgmpy.write(any_graph(given))


def to_linear_gaussian(given: Any) -> Any:
    """``pgmpy.models.LinearGaussianBayesianNetwork`` of a fitted linear model."""
    tell = getattr(given, "_linear_numbers", None)
    if tell is None:
        raise InputError(
            "a linear Gaussian network needs noise and intercepts, which a fitted Topo has: give "
            "that, or to_pgmpy(...) and pgmpy's own fit"
        )
    names, weights, intercepts, deviations = tell()
    graph = ForeignGraph(weights, tuple(names), "toposwap")
    return of_pgmpy.write_linear_gaussian(graph, intercepts, deviations)


def to_dagitty(given: Any, cause: str | None = None, effect: str | None = None) -> str:
    """Text for dagitty.net and R's dagitty, ``cause`` and ``effect`` marked."""
    return of_dagitty.write(any_graph(given), cause, effect)


def to_lingam(given: Any) -> NDArray[np.float64]:
    """Lingam's matrix, ``B[i, j]`` for the effect of j on i, (d, d)."""
    return of_lingam.write(any_graph(given))


def to_causal_learn(given: Any) -> Any:
    """causal-learn's ``GeneralGraph``; its ``graph`` holds the end marks."""
    return of_causal_learn.write(any_graph(given))


def to_marks(given: Any) -> NDArray[np.int64]:
    """causal-learn's matrix of end marks, (d, d)."""
    return of_causal_learn.marks(any_graph(given))


def _numbers(given: Any) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Attributes of nodes (d,) and of edges (d, d) that a fitted model knows."""
    tell = getattr(given, "_graph_numbers", None)
    return ({}, {}) if tell is None else tell()
