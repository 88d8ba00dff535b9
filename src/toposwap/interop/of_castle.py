"""gCastle: ``causal_matrix`` of zeros and ones as ours, perhaps beside the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.interop.base import ForeignGraph, as_floats, is_of

PACKAGE = "gCastle"


def read(given: Any) -> ForeignGraph | None:
    """A learner that has learned, or the matrix that it made with the names of its columns."""
    if not is_of(given, "castle"):
        return None
    learned = given if isinstance(given, np.ndarray) else getattr(given, "causal_matrix", None)
    if learned is None:
        raise InputError(
            f"this {type(given).__name__} of gCastle has learned nothing; call learn first"
        )
    edges = as_floats(learned, PACKAGE)
    columns = getattr(learned, "columns", None)
    names = None if columns is None else tuple(str(name) for name in columns)
    if names == tuple(str(k) for k in range(len(edges))):
        names = None
    weights = getattr(given, "weight_causal_matrix", None)
    if weights is None:
        return ForeignGraph(edges, names, PACKAGE, weighted=False)
    # Coefficients before the threshold; those of the edges that were kept are the graph's.
    solution = as_floats(weights, PACKAGE)
    kept = np.where(edges != 0.0, solution, 0.0)
    kept[(edges != 0.0) & (kept == 0.0)] = np.finfo(float).tiny
    return ForeignGraph(kept, names, PACKAGE, solution=solution)
