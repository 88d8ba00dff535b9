"""From whatever the caller holds to a finite (n, d) float matrix and names, or a clear refusal."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.columns import (
    Columns,
    InputTypeError,
    is_frame,
    named_columns,
    refuse_no_table,
)
from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

# Sums of squares over all columns, and ratios of two columns, must stay within a double's range.
LARGEST = 1e152
SMALLEST = 1e-152


#: What a column may hold instead of real numbers: kinds of dtype, types of value, the refusal.
_NOT_REAL: tuple[tuple[str, tuple[type, ...], type[InputError], str], ...] = (
    (
        "mM",
        (date, timedelta, np.datetime64, np.timedelta64),
        InputTypeError,
        "holds dates or durations: turn it into a number (for example days since the first one) "
        "or leave it out",
    ),
    (
        "SU",
        (str, bytes),
        InputTypeError,
        "holds text: encode it as numbers (pandas.to_numeric if these are digits) or leave it out",
    ),
    (
        "c",
        (complex, np.complexfloating),
        InputError,
        "holds complex numbers. Complex data not supported: give the real part or the modulus",
    ),
)


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Names in quotes, the tail of a long list counted instead of printed."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")


def repeated(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that occur more than once, each once, in the order given."""
    return [name for name, count in Counter(names).items() if count > 1]


def places(names: Iterable[str]) -> dict[str, int]:
    """Where each name stands."""
    return {name: k for k, name in enumerate(names)}


def columns(count: int) -> str:
    """``column`` or ``columns``."""
    return "column" if count == 1 else "columns"


def named(names: Sequence[str], chosen: ArrayLike) -> str:
    """``column 'a'`` or ``columns 'a', 'b'``: those of ``names`` that are ``chosen``, (d,)."""
    bad = [names[int(j)] for j in np.flatnonzero(chosen)]
    return f"{columns(len(bad))} {listed(bad)}"


def as_matrix(
    table: Any, names: Sequence[Any] | None, argument: str = "X"
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the values (n, d) as float64, copied only if they must be, and the names.

    ``table`` is an array, a DataFrame, an Arrow table, a dict of columns, or what NumPy makes an
    array of; ``argument`` is what the caller calls it, for the error messages.
    """
    refuse_no_table(table, argument)
    held = named_columns(table)
    labels = _labels(table, held, names)
    if held is not None:
        assert labels is not None
        _refuse_wrong_count(labels, len(held.parts))
        values = _by_columns(held.parts, labels)
    else:
        values = _frame_values(table, labels) if is_frame(table) else _array_values(table)
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
    _refuse_wrong_count(labels, d)
    _refuse_duplicates(labels)
    return _as_float(values, labels), labels


def refuse_unusable(
    values: NDArray[np.float64], names: Sequence[str], largest_allowed: float = LARGEST
) -> None:
    """Raise if a column holds NaN, infinity, or numbers whose squares overflow."""
    # One pass over the data in the common case: any NaN or infinity survives a sum.
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(values.sum()):
            broken = (~np.isfinite(values)).any(axis=0)
            if broken.any():
                raise InputError(
                    f"NaN or infinity (missing values) in {named(names, broken)}: drop or impute "
                    "those rows first, for example with DataFrame.dropna()"
                )
        largest = np.maximum(values.max(axis=0), -values.min(axis=0))
    if (largest > largest_allowed).any():
        raise InputError(
            f"values above {largest_allowed:.0e} in {named(names, largest > largest_allowed)}: "
            "their squares overflow; express them in a larger unit"
        )


def _labels(table: Any, held: Columns | None, names: Sequence[Any] | None) -> list[str] | None:
    if names is None and held is not None:
        names = held.names
    if names is not None:
        return [str(name) for name in names]
    return [str(name) for name in table.columns] if is_frame(table) else None


def _refuse_wrong_count(labels: list[str], d: int) -> None:
    if len(labels) != d:
        raise InputError(f"names: {len(labels)} given for {d} columns")


def _refuse_duplicates(labels: list[str]) -> None:
    if len(set(labels)) < len(labels):
        raise InputError(
            f"duplicate column names: {listed(sorted(repeated(labels)))}; rename them so that an "
            "edge has one meaning"
        )


def _array_values(table: Any) -> NDArray[Any]:
    """Values of anything but a frame; what a masked array hides is missing."""
    if isinstance(table, np.ma.MaskedArray) and table.dtype.kind in "biuf":
        return np.ma.filled(table.astype(np.float64), np.nan)
    try:
        return np.asarray(table)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the data do not make a table ({error}): give rows of equal length"
        ) from None


def _frame_values(frame: Any, labels: list[str] | None) -> NDArray[Any]:
    """Values of a frame; nullable columns become float with NaN, and text stays text."""
    if _hands_over_its_values(frame):
        return np.asarray(frame.to_numpy())
    assert labels is not None
    _refuse_wrong_count(labels, len(frame.columns))
    # By place where that is possible: a name may occur twice.
    if hasattr(frame, "iloc"):
        return _by_columns((frame.iloc[:, k] for k in range(len(labels))), labels)
    return _by_columns((frame[column] for column in frame.columns), labels)


def _hands_over_its_values(frame: Any) -> bool:
    """Whether the columns are of one NumPy type.

    Of several types a frame makes an array of the type that holds them all, which for a truth value
    beside a number is that of Python's objects: eight times the memory, and slow.
    """
    kinds = list(getattr(frame, "dtypes", ()))
    return not kinds or (isinstance(kinds[0], np.dtype) and len(set(kinds)) == 1)


def _series_values(part: Any) -> NDArray[Any]:
    """Values (n,) of one column; what a nullable type calls missing is NaN."""
    kind = getattr(getattr(part, "dtype", None), "kind", None)
    if kind is not None and kind in "biufO" and hasattr(part, "array"):
        part = part.to_numpy(dtype=object if kind == "O" else np.float64, na_value=np.nan)
    return np.asarray(part)


def _by_columns(parts: Iterable[Any], labels: Sequence[str]) -> NDArray[np.float64]:
    """Values (n, d) of columns that come one by one, with no more than one of them beside it."""
    values: NDArray[np.float64] | None = None
    for j, (name, part) in enumerate(zip(labels, parts, strict=True)):
        column = _array_values(_series_values(part))
        if column.ndim != 1:
            raise InputError(
                f"column {name!r} has {column.ndim} dimensions; a column is a sequence of numbers"
            )
        if values is None:
            values = np.empty((len(column), len(labels)), order="F")
        if len(column) != len(values):
            raise InputError(
                f"columns of unequal length: {labels[0]!r} has {len(values)} rows and {name!r} "
                f"has {len(column)}"
            )
        values[:, j] = _column_as_float(column, name)
    return np.empty((1, 0)) if values is None else values


def _as_float(values: NDArray[Any], labels: list[str]) -> NDArray[np.float64]:
    if values.dtype.kind in "biuf":
        return values.astype(np.float64, copy=False)
    if values.dtype.kind == "c":
        # One complex column makes the whole table complex; the others can be told by their zeros.
        imaginary = values.imag.any(axis=0)
        labels = [labels[j] for j in np.flatnonzero(imaginary)] or labels
        values = values[:, imaginary] if imaginary.any() else values
    return _by_columns(values.T, labels)


def _column_as_float(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    if column.dtype.kind in "biuf":
        return column.astype(np.float64, copy=False)
    for kinds, types, refusal, remedy in _NOT_REAL:
        if column.dtype.kind in kinds or any(isinstance(value, types) for value in column):
            raise refusal(f"column {name!r} {remedy}")
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"column {name!r} is not numeric ({error}): encode it as numbers or leave it out"
        ) from None
