"""Rows as a caller holds them, as columns of numbers with names and a place to point at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.columns import InputTypeError, is_frame, named_columns
from toposwap.core.validation import listed, repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Consecutive rows: names, a column (m,) of numbers each, and where they were found.

    Attributes
    ----------
    names, columns
        d of each; numbers of any type, missing ones NaN.
    source
        What a message calls the place they came from.
    first
        The number of the first row there, from 1.
    """

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    source: str
    first: int

    def __len__(self) -> int:
        return len(self.columns[0])

    def chosen(self, names: Sequence[str]) -> Batch:
        """The same rows of the columns called ``names``, in that order."""
        if tuple(names) == self.names:
            return self
        place = {name: k for k, name in enumerate(self.names)}
        columns = tuple(self.columns[place[name]] for name in names)
        return Batch(tuple(names), columns, self.source, self.first)

    def rows(self, which: Any) -> Batch:
        """Those of the rows that ``which`` picks, a slice or a mask (m,)."""
        columns = tuple(column[which] for column in self.columns)
        start = which.start or 0 if isinstance(which, slice) else 0
        return Batch(self.names, columns, self.source, self.first + start)

    def finite(self) -> NDArray[np.bool_]:
        """Which rows have no missing or infinite value, (m,)."""
        good = np.ones(len(self), dtype=bool)
        for column in self.columns:
            if column.dtype.kind == "f":
                good &= np.isfinite(column)
        return good


def batches_of(given: Iterable[Any], names: Sequence[Any] | None = None) -> Iterator[Batch]:
    """Batches of arrays (m, d), frames, dicts of columns or Arrow batches, one by one.

    Those after the first are matched to its names; arrays have the names ``names`` or x0, x1, ...
    """
    if isinstance(given, np.ndarray) or is_frame(given) or named_columns(given) is not None:
        # Iterating over a table gives its rows or its names.
        given = [given]
    labels = None if names is None else tuple(str(name) for name in names)
    first = 1
    for number, table in enumerate(given, 1):
        if isinstance(table, Batch):
            batch = table
        else:
            found, columns = _columns(table, number)
            if found is None:
                found = labels or tuple(f"x{j}" for j in range(len(columns)))
            batch = Batch(tuple(found), columns, f"batch {number}", first)
        if labels is None:
            labels = batch.names
            refuse_names(labels, batch.source)
        if len(batch) == 0:
            continue
        yield matched(batch, labels)
        first += len(batch)


def matched(batch: Batch, names: tuple[str, ...]) -> Batch:
    """``batch`` with its columns in the order of ``names``; refused where they are others."""
    if batch.names == names:
        return batch
    missing = [name for name in names if name not in batch.names]
    more = [name for name in batch.names if name not in names]
    if missing or more or len(names) != len(batch.names):
        told = " and ".join(
            text
            for text in (
                f"has no column {listed(missing)}" if missing else "",
                f"has the further column {listed(more)}" if more else "",
            )
            if text
        )
        raise InputError(
            f"{batch.source} {told or 'has other columns'}: all parts of a table have the same ones"
        )
    return batch.chosen(names)


def refuse_names(names: tuple[str, ...], source: str) -> None:
    """Raise where a table cannot have these columns."""
    twice = repeated(names)
    if twice:
        raise InputError(
            f"{source}: duplicate column names: {listed(twice)}; rename them so that an edge has "
            "one meaning"
        )
    if len(names) == 1:
        raise InputError("1 feature(s) (one column) leaves no edge to learn: give at least 2")


def _columns(table: Any, number: int) -> tuple[tuple[str, ...] | None, tuple[NDArray[Any], ...]]:
    """Names, if it has any, and columns of one piece of a table."""
    held = named_columns(table)
    if held is not None:
        names, parts = held.names, list(held.parts)
    elif is_frame(table):
        names = list(table.columns)
        parts = [table[name] for name in table.columns]
    else:
        values = np.asarray(table)
        if values.ndim != 2:
            raise InputError(
                f"batch {number}: expected two dimensions (rows, columns), got {values.ndim}"
            )
        return None, tuple(
            numbers(values[:, j], f"column {j + 1}", "") for j in range(values.shape[1])
        )
    shown = tuple(str(name) for name in names)
    source = f"batch {number}"
    return shown, tuple(
        numbers(part, repr(name), source) for name, part in zip(shown, parts, strict=True)
    )


def numbers(part: Any, name: str, source: str) -> NDArray[Any]:
    """The numbers of one column (m,), copied only where they must be; what is missing is NaN."""
    if hasattr(part, "to_numpy"):
        kind = getattr(part, "type", None)
        if kind is not None:
            return _from_arrow(part, name, source)
        dtype = getattr(part, "dtype", None)
        nullable = not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "O") in "biuf"
        part = part.to_numpy(dtype=np.float64, na_value=np.nan) if nullable else part.to_numpy()
    column = np.asarray(part)
    if column.dtype.kind not in "biuf":
        raise not_numbers(name, source)
    return column


def _from_arrow(part: Any, name: str, source: str) -> NDArray[Any]:
    import pyarrow as pa

    kind = part.type
    if pa.types.is_boolean(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        part = part.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise not_numbers(name, source)
    elif part.null_count and pa.types.is_integer(kind):
        part = part.cast(pa.float64())
    chunked = isinstance(part, pa.ChunkedArray)
    return np.asarray(part.to_numpy() if chunked else part.to_numpy(zero_copy_only=False))


def not_numbers(name: str, source: str) -> InputTypeError:
    """What is said of a column that only rows could tell the kind of."""
    where = f"{source}: " if source else ""
    return InputTypeError(
        f"{where}column {name} does not hold numbers, and a stream keeps sums of numbers alone: "
        "leave it out (--exclude), or learn from a sample of the rows (--sample 100000, "
        "streams.sampled_rows)"
    )
