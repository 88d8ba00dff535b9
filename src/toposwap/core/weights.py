"""Weight matrices that come from outside: checked, in the order of the data's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import consistent_extension, topological_order
from toposwap.core.tables.columns import is_frame
from toposwap.core.validation import listed, numbered, places
from toposwap.interop import ForeignGraph, foreign_graph, refuse_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: By how much the mean log-likelihood of a row must be better with the transpose to be told.
_FAR_BETTER = 0.1


def as_weights(weights: Any, names: Sequence[str], argument: str = "W") -> NDArray[np.float64]:
    """Return ``weights`` as a fresh (d, d) float matrix, ``W[i, j]`` for the edge i -> j.

    A DataFrame whose rows and columns carry names is put in the order of ``names``, and so is an
    object of another package (:mod:`toposwap.interop`).
    """
    d = len(names)
    held = foreign_graph(weights)
    if held is not None:
        weights = foreign_weights(held, names, argument)
    elif is_frame(weights):
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
    if held is None:
        refuse_marks(matrix, argument)
    return matrix


def foreign_weights(
    held: ForeignGraph, names: Sequence[str], argument: str = "W"
) -> NDArray[np.float64]:
    """The weights (d, d) in an object of another package, in the order of ``names``.

    Those before pruning where the object tells; ones for a graph alone. A class of DAGs becomes one
    of its members. Nodes of a graph of networkx that has no others may be missing: nobody adds
    nodes without edges.
    """
    matrix = held.matrix if held.solution is None else held.solution
    known = list(held.names or ())
    if held.names is not None and set(known) <= set(names):
        missing = [name for name in names if name not in set(known)]
        if missing and held.in_order:
            raise InputError(_other_nodes(held, known, names, argument))
        whole = np.zeros((len(names), len(names)))
        place = places(list(names))
        at = [place[name] for name in known]
        whole[np.ix_(at, at)] = matrix
        matrix = whole
    elif held.names is not None and not held.in_order:
        order = numbered(known)
        if order is None or len(order) != len(names):
            raise InputError(_other_nodes(held, known, names, argument))
        matrix = matrix[np.ix_(order, order)]
    elif held.names is not None and not _made_up(names):
        raise InputError(_other_nodes(held, known, names, argument))
    both = (matrix != 0.0) & (matrix.T != 0.0)
    if both.any() and not held.weighted:
        dag, _ = consistent_extension(matrix != 0.0)
        return dag.astype(np.float64)
    return matrix.copy()


def _made_up(names: Sequence[str]) -> bool:
    """Whether the data have the names that columns without any are given."""
    return numbered(names) is not None


def _other_nodes(
    held: ForeignGraph, known: Sequence[str], names: Sequence[str], argument: str
) -> str:
    return (
        f"{argument}: the nodes of this object of {held.package} ({listed(known)}) are not the "
        f"columns of the data ({listed(names)})"
    )


def transposed_in_words(weights: NDArray[np.float64], data: Dataset) -> str | None:
    r"""A remark if ``weights`` (d, d) fit ``data`` far better transposed, None if not.

    .. math:: L(W) = \tfrac12 \sum_j \log \frac{\lVert x_j - X w_j \rVert^2}{\lVert x_j \rVert^2}

    is minus the mean Gaussian log-likelihood of a row, 0 without edges, for every acyclic W. It is
    said where the transpose is better than no edges, and W is worse than these.
    """
    if (weights == weights.T).all() or np.isin(weights, (0.0, 1.0)).all():
        return None  # a graph alone has nothing to fit
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        alone = np.log(data.residual_variances(np.zeros_like(weights)))
        given, turned = (
            0.5 * float(np.sum(np.log(data.residual_variances(W)) - alone))
            for W in (weights, weights.T)
        )
    if not (np.isfinite(turned) and turned < -_FAR_BETTER and given > 0.0):
        return None
    return (
        "the weights explain the data far better transposed, and worse than no edges as they are: "
        "is this lingam's matrix, whose rows are effects? Then give the fitted model itself, or "
        "the transpose; W[i, j] is the edge from column i to column j here"
    )


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
