"""From whatever the caller holds to a finite (n, d) float matrix and names, or a clear refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Squares, and sums of squares over all rows, must stay below the largest double.
LARGEST = 1e153


class InputTypeError(InputError, TypeError):
    """A value that is not a number at all."""


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Names in quotes, the tail of a long list counted instead of printed."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


def columns(count: int) -> str:
    """``column`` or ``columns``."""
    return "column" if count == 1 else "columns"


def is_frame(table: Any) -> bool:
    """Whether ``table`` is a pandas or polars DataFrame, judged without importing either."""
    return hasattr(table, "columns") and hasattr(table, "to_numpy")


def as_matrix(table: Any, names: Sequence[Any] | None) -> tuple[NDArray[np.float64], list[str]]:
    """Return the values (n, d) as float64, uncopied where they already are, and the column names."""
    if hasattr(table, "tocsr") or hasattr(table, "todense"):
        raise InputTypeError(
            "a sparse matrix was given, but dense data is required: use X.toarray()"
        )
    labels = _labels(table, names)
    if is_frame(table):
        values = _frame_values(table, labels)
    else:
        values = np.asarray(table)
    if values.ndim != 2:
        raise InputError(
            f"expected a table of two dimensions (rows, columns), got {values.ndim}. "
            "Reshape your data: X.reshape(-1, 1) for a single column, X.reshape(1, -1) for a row"
        )
    n, d = values.shape
    if n == 0:
        raise InputError("the table has 0 sample(s) (no rows), a minimum of 2 is required")
    if d == 0:
        raise InputError(
            f"0 feature(s) (shape=({n}, 0)) while a minimum of 2 is required: no columns"
        )
    if labels is None:
        labels = [f"x{j}" for j in range(d)]
    if len(labels) != d:
        raise InputError(f"names: {len(labels)} given for {d} columns")
    _refuse_duplicates(labels)
    return _as_float(values, labels), labels


def refuse_unusable(values: NDArray[np.float64], names: Sequence[str]) -> None:
    """Raise if a column holds NaN, infinity, or numbers whose squares overflow."""
    # One pass over the data in the common case: any NaN or infinity survives a sum.
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(values.sum()):
            finite = np.isfinite(values).all(axis=0)
            if not finite.all():
                bad = [names[j] for j in np.flatnonzero(~finite)]
                raise InputError(
                    f"{columns(len(bad))} {listed(bad)} contain NaN or infinity (missing values): "
                    "drop or impute those rows first, for example with DataFrame.dropna()"
                )
        largest = np.maximum(values.max(axis=0), -values.min(axis=0))
    if (largest > LARGEST).any():
        bad = [names[j] for j in np.flatnonzero(largest > LARGEST)]
        raise InputError(
            f"{columns(len(bad))} {listed(bad)} hold values above {LARGEST:.0e}, whose squares "
            "overflow: express them in a larger unit"
        )


def _labels(table: Any, names: Sequence[Any] | None) -> list[str] | None:
    if names is not None:
        return [str(name) for name in names]
    return [str(name) for name in table.columns] if is_frame(table) else None


def _refuse_duplicates(labels: list[str]) -> None:
    if len(set(labels)) < len(labels):
        twice = sorted({name for name in labels if labels.count(name) > 1})
        raise InputError(
            f"duplicate column names: {listed(twice)}; rename them so that each edge has one meaning"
        )


def _frame_values(frame: Any, labels: list[str] | None) -> NDArray[Any]:
    """Values of a frame; nullable columns become float with NaN, and text stays text."""
    values = np.asarray(frame.to_numpy())
    if values.dtype != object:
        return values
    assert labels is not None
    _refuse_duplicates(labels)
    parts = []
    for name, column in zip(labels, frame.columns, strict=True):
        part = frame[column]
        kind = getattr(part.dtype, "kind", "O")
        if kind in "biuf":
            part = part.to_numpy(dtype=np.float64, na_value=np.nan)
        parts.append(_column_as_float(np.asarray(part), name))
    return np.column_stack(parts)


def _as_float(values: NDArray[Any], labels: list[str]) -> NDArray[np.float64]:
    if values.dtype.kind == "c":
        raise InputError("Complex data not supported: give the real part or the modulus")
    if values.dtype.kind in "biuf":
        return values.astype(np.float64, copy=False)
    parts = [_column_as_float(values[:, j], name) for j, name in enumerate(labels)]
    return np.column_stack(parts)


def _column_as_float(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    if column.dtype.kind in "mM":
        raise InputTypeError(
            f"column {name!r} holds dates or durations: turn it into a number (for example days "
            "since the first one) or leave it out"
        )
    try:
        if column.dtype.kind == "c" or any(isinstance(value, complex) for value in column):
            raise InputError(
                f"column {name!r}: Complex data not supported: give the real part or the modulus"
            )
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputTypeError(
            f"column {name!r} is not numeric ({error}): encode it as numbers or leave it out"
        ) from None
