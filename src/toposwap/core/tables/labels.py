"""One column of whatever holds it: numbers that stand for its values, or why none can."""

from __future__ import annotations

import re
from datetime import date, time, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.kinds.base import Declared, Labels, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Values that are looked at to tell what text is.
_FIRST = 200
#: Of the values of a column, how many are numbers before the others count as slips.
_MOSTLY = 0.8
_DATE = re.compile(
    r"\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
    r"|\d{1,2}[- ][A-Za-z]{3,9}\.?[- ,]+\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4})"
    r"(?:[T ]+\d{1,2}:\d{2}.*)?\s*"
)
_NUMBERS = Labels("numbers")


_DATES = Refused(
    "holds dates or durations",
    "turn it into a number (for example days since the first one) or leave it out",
)
_COMPLEX = Refused(
    "holds complex numbers. Complex data not supported",
    "give the real part or the modulus",
    InputError,
)
#: Values that no number stands for.
_NOT_REAL: tuple[tuple[str, tuple[type, ...], Refused], ...] = (
    ("mM", (date, time, timedelta, np.datetime64, np.timedelta64), _DATES),
    ("c", (complex, np.complexfloating), _COMPLEX),
)


def array_of(part: Any) -> NDArray[Any]:
    """Values of anything but a frame; what a masked array hides is missing."""
    if isinstance(part, np.ma.MaskedArray) and part.dtype.kind in "biuf":
        return np.ma.filled(part.astype(np.float64), np.nan)
    try:
        return np.asarray(part)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the data do not make a table ({error}): give rows of equal length"
        ) from None


def read_column(
    part: Any, levels: Sequence[Any] | None = None
) -> tuple[NDArray[Any], Labels] | Refused:
    """Numbers for the values of a column, missing ones NaN, and what they stand for.

    Parameters
    ----------
    part
        An array, list, or column of a frame.
    levels
        What 0, 1, 2, ... stand for, where that is settled.
    """
    kind = getattr(part, "dtype", None)
    if hasattr(kind, "categories") and hasattr(kind, "ordered"):
        numbers, labels = _categories(part, kind)
        if labels is not None and levels is None:
            return numbers, labels
        part = _values_of_categories(part, kind)
        if labels is not None and levels is not None:
            return _coded(part, levels)
    column = array_of(_series_values(part))
    if column.ndim != 1:
        return column, _NUMBERS
    if column.dtype.kind == "b":
        return column.astype(np.float64), Labels("truth values")
    if column.dtype.kind in "iuf":
        return column.astype(np.float64, copy=False), _NUMBERS
    return _read_objects(column, levels)


def _series_values(part: Any) -> Any:
    """Values (n,) of one column; what a nullable type calls missing is NaN."""
    dtype = getattr(part, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind is not None and kind in "biufO" and hasattr(part, "array"):
        nullable = kind != "O" and not isinstance(dtype, np.dtype) and part.isna().any()
        if kind == "b" and not nullable:
            return part.to_numpy(dtype=bool)
        return part.to_numpy(dtype=object if kind == "O" else np.float64, na_value=np.nan)
    return part


def _codes_of_categories(part: Any) -> NDArray[Any]:
    """The places among the declared categories, negative where missing, (n,)."""
    return np.asarray(part.cat.codes if hasattr(part, "cat") else part.codes)


def _values_of_categories(part: Any, kind: Any) -> NDArray[Any]:
    """What the codes stand for, None where missing, (n,)."""
    codes = _codes_of_categories(part)
    values = np.full(codes.size, None, dtype=object)
    values[codes >= 0] = _names_of_categories(kind)[codes[codes >= 0]]
    return values


def _names_of_categories(kind: Any) -> NDArray[Any]:
    """The declared categories; intervals, as pandas cuts numbers into, by what they are called."""
    names = np.array(kind.categories, dtype=object)
    for k, name in enumerate(names):
        if _is_a(name, "Interval"):
            names[k] = str(name)
    return names


def _categories(part: Any, kind: Any) -> tuple[NDArray[np.float64], Labels | None]:
    """Numbers of a pandas category, and labels; None where its values have to be looked at."""
    codes = _codes_of_categories(part)
    missing = codes < 0
    count = np.bincount(codes[~missing], minlength=len(kind.categories))
    used = np.flatnonzero(count)
    names = _names_of_categories(kind)[used]
    declared: Declared = "ordered categories" if kind.ordered else "categories"
    # One more place, the last, is for the missing ones, whose code is -1.
    numbers = np.full(count.size + 1, np.nan)
    if _all_numbers(names):
        rising = bool((np.diff(names.astype(np.float64)) > 0.0).all())
        if rising or not kind.ordered:
            numbers[used] = names.astype(np.float64)
            return numbers[codes], Labels(declared)
    elif not all(isinstance(name, str | bool | np.bool_) for name in names):
        return numbers[codes], None
    numbers[used] = np.arange(used.size)
    return numbers[codes], Labels(declared, tuple(names))


def _all_numbers(values: Any) -> bool:
    real = (int, float, np.integer, np.floating)
    return all(isinstance(v, real) and not isinstance(v, bool) for v in values)


def _read_objects(
    column: NDArray[Any], levels: Sequence[Any] | None
) -> tuple[NDArray[Any], Labels] | Refused:
    """Text, truth values among gaps, dates, and objects that know to be numbers."""
    if column.dtype.kind == "O" and any(_is_a(value, "Period") for value in column):
        return _DATES
    for kinds, types, refused in _NOT_REAL:
        if column.dtype.kind in kinds or any(isinstance(value, types) for value in column):
            return refused
    if column.dtype.kind == "S":
        column = np.char.decode(column, "latin-1")
    if column.dtype.kind == "O":
        column = np.array([_plain(value) for value in column], dtype=object)
        known = np.array([not _is_missing(value) for value in column], dtype=bool)
    else:
        known = np.ones(column.size, dtype=bool)
    given = column[known]
    if levels is not None and given.size and isinstance(given[0], str):
        return _coded(column, levels)
    if given.size and all(isinstance(value, str) for value in given):
        return _read_text(column, known)
    numbers = np.full(column.size, np.nan)
    if given.size and all(isinstance(value, bool | np.bool_) for value in given):
        numbers[known] = given.astype(np.float64)
        return numbers, Labels("truth values")
    if any(isinstance(value, str) for value in given):
        words = [value for value in given if isinstance(value, str)]
        return _slips(words, given.size)
    try:
        numbers[known] = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        return Refused(f"is not numeric ({error})", "encode it as numbers or leave it out")
    return numbers, _NUMBERS


def _is_a(value: Any, name: str) -> bool:
    """Whether a value is of one of pandas' types, which need not be loaded."""
    return type(value).__name__ == name


def _plain(value: Any) -> Any:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _read_text(
    column: NDArray[Any], known: NDArray[np.bool_]
) -> tuple[NDArray[Any], Labels] | Refused:
    """Text of few different values is a category; what it is otherwise is said."""
    given = column[known].astype(object)
    names = sorted(set(given))
    numbers = [_is_number(name) for name in names]
    if all(numbers):
        return Refused(
            "holds text, all of it numbers",
            "make numbers of it with pandas.to_numeric; if --decimal was given, it may be wrong",
        )
    slips = {name for name, number in zip(names, numbers, strict=True) if not number}
    wrong = [value for value in given if value in slips]
    # Two values of which one is a number are no yes and no.
    if len(wrong) < (1.0 - _MOSTLY) * given.size or len(slips) == 1 < len(names) == 2:
        return _slips(wrong, given.size)
    if all(_DATE.fullmatch(value) for value in given[:_FIRST]):
        return _DATES
    if len(names) == given.size > 2:
        return Refused(
            "holds text, another in every row, as names and identifiers are", "leave it out"
        )
    if len(names) > max(2, given.size // 2):
        return Refused(
            f"holds text, {len(names)} different ones in {given.size} rows",
            "make numbers or few categories of it, or leave it out",
        )
    return _coded(column, names)


def _coded(column: NDArray[Any], levels: Sequence[Any]) -> tuple[NDArray[Any], Labels] | Refused:
    """The places of the values among ``levels``."""
    place = {level: float(k) for k, level in enumerate(levels)}
    strange = {value for value in column if value not in place and not _is_missing(value)}
    if strange:
        return Refused(
            f"holds {min(map(str, strange))!r}",
            f"its values are {', '.join(map(repr, list(levels)[:8]))}",
            InputError,
        )
    codes = np.array([place.get(value, np.nan) for value in column], dtype=np.float64)
    return codes, Labels("text", tuple(levels))


def _slips(words: Sequence[str], rows: int) -> Refused:
    """A column of numbers but for some words."""
    shown = ", ".join(repr(word) for word in sorted(set(words))[:3])
    return Refused(
        f"holds numbers, but in {len(words)} of {rows} rows text ({shown})",
        "make numbers of it with pandas.to_numeric, or the text missing (--na on the command line)",
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
