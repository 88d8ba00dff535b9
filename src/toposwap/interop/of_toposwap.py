"""Fitted models of this package, which are taken wherever a graph of another one is."""

from __future__ import annotations

from typing import Any

from toposwap.interop.base import ForeignGraph, as_floats

PACKAGE = "toposwap"


def read(given: Any) -> ForeignGraph | None:
    """Whatever has ``adjacency_matrix_`` and ``names_``."""
    if not (hasattr(given, "adjacency_matrix_") and hasattr(given, "names_")):
        return None
    # Names that were made up for the columns of an array match nothing.
    names = tuple(given.names_) if hasattr(given, "feature_names_in_") else None
    matrix = as_floats(given.adjacency_matrix_, PACKAGE)
    solution = getattr(given, "weights_", None)
    return ForeignGraph(
        matrix, names, PACKAGE, solution=None if solution is None else as_floats(solution, PACKAGE)
    )
