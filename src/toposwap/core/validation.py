"""From whatever the caller holds to a finite (n, d) float matrix and names, or a clear refusal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.kinds import Column, Labels, Refused, kinds_by_name, recognise
from toposwap.core.tables.columns import (
    Columns,
    InputTypeError,
    is_frame,
    named_columns,
    refuse_no_table,
)
from toposwap.core.tables.held_rows import HeldRows, extremes, held_column
from toposwap.core.tables.labels import array_of, read_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

# Sums of squares over all columns, and ratios of two columns, must stay within a double's range.
LARGEST = 1e152
SMALLEST = 1e-152


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


class Table(NamedTuple):
    """Numbers (n, d) as float64, their names, and what those of each column stand for."""

    values: NDArray[np.float64]
    names: list[str]
    labels: tuple[Labels, ...]


class HeldTable(NamedTuple):
    """The same with numbers as the caller holds them."""

    values: NDArray[np.float64] | HeldRows
    names: list[str]
    labels: tuple[Labels, ...]


def as_matrix(
    table: Any, names: Sequence[Any] | None, argument: str = "X"
) -> tuple[NDArray[np.float64], list[str]]:
    """The values (n, d) and the names of a table whose numbers stand for themselves."""
    values, labels, meanings = as_table(table, names, argument)
    coded = [name for name, m in zip(labels, meanings, strict=True) if m.levels is not None]
    if coded:
        raise InputTypeError(f"{argument}: {listed(coded)} hold text, where numbers belong")
    return values, labels


def as_table(
    table: Any,
    names: Sequence[Any] | None,
    argument: str = "X",
    *,
    levels: Mapping[str, Sequence[Any]] | None = None,
    kinds: Any = None,
) -> Table:
    """The numbers in a table, copied only if they must be, and what they stand for.

    Parameters
    ----------
    table
        An array, a DataFrame, an Arrow table, a dict of columns, or what NumPy makes an array of.
    names
        Of its columns, if not its own.
    argument
        What the caller calls it, for the error messages.
    levels
        What 0, 1, 2, ... stand for in some columns, where that is settled.
    kinds
        What the user says about columns; those that cannot be of their kind are refused.
    """
    values, labels, meanings = as_held(table, names, argument, levels=levels, kinds=kinds)
    return Table(values.matrix if isinstance(values, HeldRows) else values, labels, meanings)


def as_held(
    table: Any,
    names: Sequence[Any] | None,
    argument: str = "X",
    *,
    levels: Mapping[str, Sequence[Any]] | None = None,
    kinds: Any = None,
) -> HeldTable:
    """The same, numbers that are not of double precision left where they are."""
    refuse_no_table(table, argument)
    held = named_columns(table)
    labels = _labels(table, held, names)
    meanings: list[Labels] | None = None
    settled = levels or {}
    values: Any
    if held is not None:
        assert labels is not None
        _refuse_wrong_count(labels, len(held.parts))
        values, meanings = _by_columns(held.parts, labels, settled)
    elif is_frame(table) and not _hands_over_its_values(table):
        assert labels is not None
        _refuse_wrong_count(labels, len(table.columns))
        values, meanings = _by_columns(_frame_columns(table), labels, settled)
    else:
        values = array_of(table.to_numpy() if is_frame(table) else table)
    if values.ndim == 1 and values.size and isinstance(values[0], dict):
        raise InputError("a list of records is no table yet: give pandas.DataFrame(X)")
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
    if meanings is None:
        values, meanings = _as_float(values, labels, settled)
    if levels is None:
        # New rows are what the others were, however few there are.
        _refuse_wrong_kinds(values, labels, meanings, kinds)
    return HeldTable(values, labels, tuple(meanings))


def _refuse_wrong_kinds(
    values: NDArray[np.float64] | HeldRows, names: list[str], meanings: list[Labels], kinds: Any
) -> None:
    """Raise where a column cannot be of the kind that its dtype or the user says."""
    given = kinds_by_name(kinds, names)
    refused = {}
    for j, (name, labels) in enumerate(zip(names, meanings, strict=True)):
        if name not in given and labels.declared == "numbers":
            continue
        x = values[:, j]
        x = x[~np.isnan(x)]
        if not x.size:
            continue
        column = Column(x, labels)
        kind = recognise(column, given.get(name)).kind
        why = kind.refusal(column)
        if why is not None:
            refused[name] = why
    raise_refused(refused)


def raise_refused(refused: Mapping[str, Refused]) -> None:
    """Raise one error that names all columns that are ``refused``, each with its remedy."""
    if not refused:
        return
    groups: dict[Refused, list[str]] = {}
    for name, why in refused.items():
        groups.setdefault(why, []).append(name)
    raise next(iter(groups)).error("; ".join(in_words(why, who) for why, who in groups.items()))


def in_words(refused: Refused, names: Sequence[str]) -> str:
    """Which columns are refused, why, and what to do."""
    verb, _, rest = refused.what.partition(" ")
    if len(names) > 1:
        verb = {"holds": "hold", "is": "are", "has": "have"}.get(verb, verb)
    return f"{columns(len(names))} {listed(names)} {verb} {rest}: {refused.remedy}"


def refuse_unusable(
    values: NDArray[np.float64] | HeldRows,
    names: Sequence[str],
    largest_allowed: float = LARGEST,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest value of each column, (d,) each.

    Raises
    ------
    InputError
        If a column holds NaN, infinity, or numbers whose squares overflow.
    """
    # One pass over the data in the common case: any NaN or infinity survives a sum.
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(values.sum()):
            whole = np.asarray(values)
            broken = (~np.isfinite(whole)).any(axis=0)
            if broken.any():
                raise InputError(_missing(whole, names, broken))
        low, high = extremes(values)
        largest = np.maximum(high, -low)
    if (largest > largest_allowed).any():
        raise InputError(
            f"values above {largest_allowed:.0e} in {named(names, largest > largest_allowed)}: "
            "their squares overflow; express them in a larger unit"
        )
    return low, high


def _missing(values: NDArray[np.float64], names: Sequence[str], broken: ArrayLike) -> str:
    """What is not finite, where, and what to do."""
    rows = int((~np.isfinite(values)).any(axis=1).sum())
    where = f"in {rows} of {len(values)} rows, in {named(names, broken)}"
    if np.isnan(values).any():
        infinite = " or infinity" if np.isinf(values).any() else ""
        remedy = (
            "DataFrame.replace([inf, -inf], nan).dropna()" if infinite else "DataFrame.dropna()"
        )
        return (
            f"NaN{infinite} (missing values) {where}: drop or impute those rows first, for example "
            f"with {remedy}"
        )
    return (
        f"infinity {where}: drop or impute those rows first, for example with "
        "DataFrame.replace([inf, -inf], nan).dropna()"
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


def _frame_columns(frame: Any) -> Iterator[Any]:
    """The columns of a frame; by place where that is possible, since a name may occur twice."""
    if hasattr(frame, "iloc"):
        return (part for _, part in frame.items())
    return (frame[column] for column in frame.columns)


def _hands_over_its_values(frame: Any) -> bool:
    """Whether the columns are of one NumPy type.

    Of several types a frame makes an array of the type that holds them all, which for a truth value
    beside a number is that of Python's objects: eight times the memory, and slow.
    """
    kinds = list(getattr(frame, "dtypes", ()))
    return not kinds or (isinstance(kinds[0], np.dtype) and len(set(kinds)) == 1)


def _by_columns(
    parts: Iterable[Any], names: Sequence[str], levels: Mapping[str, Sequence[Any]]
) -> tuple[NDArray[np.float64] | HeldRows, list[Labels]]:
    """Values (n, d) of columns that come one by one; plain numbers stay where they are."""
    held: list[list[NDArray[Any]]] = []
    meanings: list[Labels] = []
    refused: dict[str, Refused] = {}
    first = ""
    length = 0
    for name, part in zip(names, parts, strict=True):
        pieces = None if name in levels else held_column(part)
        if pieces is None:
            read = read_column(part, levels.get(name))
            if isinstance(read, Refused):
                refused[name] = read
                continue
            column, meaning = read
            if column.ndim != 1:
                raise InputError(
                    f"column {name!r} has {column.ndim} dimensions; a column is a sequence of "
                    "numbers"
                )
            pieces = [column]
        else:
            meaning = Labels("numbers")
        rows = sum(len(piece) for piece in pieces)
        if not held:
            length, first = rows, name
        if rows != length:
            raise InputError(
                f"columns of unequal length: {first!r} has {length} rows and {name!r} has {rows}"
            )
        held.append(pieces)
        meanings.append(meaning)
    raise_refused(refused)
    return (HeldRows(held) if held else np.empty((1, 0))), meanings


def _as_float(
    values: NDArray[Any], names: list[str], levels: Mapping[str, Sequence[Any]]
) -> tuple[NDArray[np.float64] | HeldRows, list[Labels]]:
    if values.dtype.kind in "biuf":
        # Truth values of an array are numbers like any others: it has one type for all columns.
        numbers = [Labels("numbers")] * len(names)
        if values.dtype.itemsize > 8 or values.dtype == np.float64:
            return values.astype(np.float64, copy=False), numbers
        return HeldRows(values), numbers
    if values.dtype.kind == "c":
        # One complex column makes the whole table complex; the others can be told by their zeros.
        imaginary = values.imag.any(axis=0)
        names = [names[j] for j in np.flatnonzero(imaginary)] or names
        values = values[:, imaginary] if imaginary.any() else values
    return _by_columns(values.T, names, levels)


def numbered(names: Sequence[str]) -> list[int] | None:
    """Where the nodes 0, 1, ... (or x0, x1, ...) stand in ``names``; None if they are not these."""
    for prefix in ("", "x"):
        wanted = [f"{prefix}{k}" for k in range(len(names))]
        if set(wanted) == set(names):
            place = places(names)
            return [place[node] for node in wanted]
    return None


def column_place(names: Sequence[str], argument: str, given: int | str) -> int:
    """The position of a column that is given by name or position."""
    if isinstance(given, str):
        if given not in names:
            raise InputError(
                f"{argument}: no column is called {given!r}; there are {listed(names)}"
            )
        return list(names).index(given)
    whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not (whole and 0 <= given < len(names)):
        raise InputError(
            f"{argument}: must be the name of a column or its position, 0 to {len(names) - 1}, "
            f"got {given!r}"
        )
    return int(given)
