"""lingam: ``adjacency_matrix_[i, j]`` is the effect of column j on column i, our transpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.interop.base import ForeignGraph, as_floats, is_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE = "lingam"


def read(given: Any) -> ForeignGraph | None:
    """A fitted model of lingam; one for each lag or group of rows is refused."""
    if not is_of(given, PACKAGE):
        return None
    if hasattr(given, "adjacency_matrices_"):
        raise InputError(
            f"this {type(given).__name__} of lingam holds several matrices, one for each lag or "
            "group: give one of adjacency_matrices_, transposed (theirs are effect by cause)"
        )
    matrix = getattr(given, "adjacency_matrix_", None)
    if matrix is None:
        raise InputError(f"this {type(given).__name__} of lingam is not fitted; fit it first")
    return ForeignGraph(as_floats(matrix, PACKAGE).T.copy(), None, PACKAGE)


def write(graph: ForeignGraph) -> NDArray[np.float64]:
    """``B[i, j]`` for the effect of j on i, (d, d), as lingam's functions take it."""
    return graph.matrix.T.copy()
