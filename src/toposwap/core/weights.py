"""Weight matrices that come from outside: checked, in the order of the data's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.columns import is_frame
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.validation import listed, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def as_weights(weights: Any, names: Sequence[str], argument: str = "W") -> NDArray[np.float64]:
    """Return ``weights`` as a fresh (d, d) float matrix, ``W[i, j]`` for the edge i -> j.

    A DataFrame whose rows and columns carry names is put in the order of ``names``.
    """
    d = len(names)
    if is_frame(weights):
        weights = _aligned(weights, names, argument)
    if isinstance(weights, np.ma.MaskedArray):
        weights = np.ma.filled(weights.astype(np.float64), np.nan)
    try:
        values = np.asarray(weights)
        if values.shape != (d, d):
            raise InputError(
                f"{argument}: shape {values.shape} does not fit data with {d} columns; it must be "
                f"({d}, {d}) with W[i, j] for the edge from column i to column j"
            )
        if values.dtype.kind not in "biufO":
            raise InputError(f"{argument}: real numbers are needed, got {values.dtype}")
        matrix = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{argument}: not a matrix of numbers ({error})") from None
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise InputError(
            f"{argument}: NaN or infinity at the edge {names[i]!r} -> {names[j]!r}; "
            "set absent edges to 0"
        )
    return matrix


def _aligned(frame: Any, names: Sequence[str], argument: str) -> NDArray[Any]:
    """Rows and columns by name if the frame has them, else as they stand."""
    columns = [str(name) for name in frame.columns]
    rows = [str(name) for name in getattr(frame, "index", columns)]
    unnamed = [str(k) for k in range(len(columns))]
    wanted = list(names)
    if set(columns) != set(names):
        if columns != unnamed:
            raise InputError(
                f"{argument}: its columns ({listed(columns)}) are not those of the data "
                f"({listed(names)})"
            )
        wanted = columns
    if set(rows) != set(columns):
        if rows != unnamed:
            raise InputError(
                f"{argument}: its rows ({listed(rows)}) are not called like its columns "
                f"({listed(columns)})"
            )
        rows = columns
    row, column = places(rows), places(columns)
    by_row, by_column = [row[name] for name in wanted], [column[name] for name in wanted]
    return np.asarray(frame.to_numpy())[np.ix_(by_row, by_column)]


def without_weakest(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Drop the edges of smallest |weight| until no cycle is left; the rest and how many went.

    The number to drop is found by bisection: a graph with fewer edges has no more cycles.
    """
    weights = weights.copy()
    loops = np.count_nonzero(np.diag(weights))
    np.fill_diagonal(weights, 0.0)
    edges = np.flatnonzero(weights)
    weakest_first = edges[np.argsort(np.abs(weights.flat[edges]), kind="stable")]
    enough, too_few = len(edges), -1
    while enough - too_few > 1:
        tried = (enough + too_few) // 2
        rest = weights.copy()
        rest.flat[weakest_first[:tried]] = 0.0
        if topological_order(rest != 0.0) is None:
            too_few = tried
        else:
            enough = tried
    weights.flat[weakest_first[:enough]] = 0.0
    return weights, enough + int(loops)
