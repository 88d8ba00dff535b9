"""Numbers that arrive as text: thousands apart (160,000), decimal commas, signs of money."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, NamedTuple

from toposwap.core.errors import ToposwapWarning
from toposwap.core.validation import listed

if TYPE_CHECKING:
    import pandas as pd

_SIGN = r"\s*(?:[+-]?\s*[$€£¥]?|[$€£¥]\s*[+-])\s*"
_END = r"\s*[%€£¥]?\s*"


class Style(NamedTuple):
    """A way to write numbers.

    Attributes
    ----------
    pattern
        What every value looks like.
    odd
        What at least one value looks like, or nothing would be gained.
    thousands, decimal
        What stands between groups of digits, and the decimal mark.
    """

    pattern: re.Pattern[str]
    odd: re.Pattern[str]
    thousands: str
    decimal: str


def _style(thousands: str, decimal: str) -> Style:
    apart, mark = re.escape(thousands), re.escape(decimal)
    whole = rf"(?:\d{{1,3}}(?:{apart}\d{{3}})+|\d+)" if thousands else r"\d+"
    number = rf"{_SIGN}(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?{_END}"
    return Style(re.compile(number), re.compile(r".*[^\d\s.+-].*"), thousands, decimal)


#: In the order in which they are tried: 160,000 is a hundred and sixty thousand.
STYLES = (
    _style(",", "."),
    _style("", ","),
    _style(".", ","),
    _style("'", "."),
    _style(" ", "."),
    _style("\u00a0", ","),
)
#: Values looked at before all are.
_FIRST = 50


def as_numbers(frame: pd.DataFrame, shown: str) -> pd.DataFrame:
    """``frame`` with its columns of numbers written as text read as numbers, told in a note."""
    read: list[tuple[str, str, float]] = []
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if column.dtype.kind in "biufcmM" or not len(column):
            continue
        given = column.dropna()
        style = _style_of(given)
        if style is None:
            continue
        read_as = {value: _number(value, style) for value in given.unique()}
        frame[frame.columns[place]] = column.map(read_as).astype(float)
        example = next(value for value in read_as if style.odd.fullmatch(value))
        read.append((str(frame.columns[place]), example, read_as[example]))
    if read:
        _, text, number = read[0]
        warnings.warn(
            f"{shown}: {text!r} was read as {number:.10g}, and so were the others in "
            f"{listed(name for name, _, _ in read)}",
            ToposwapWarning,
            stacklevel=4,
        )
    return frame


def _number(text: str, style: Style) -> float:
    """The number that ``text`` is in a ``style``."""
    plain = re.sub(r"[\s$€£¥%]", "", text).replace(style.thousands.strip(), "")
    return float(plain.replace(style.decimal, "."))


def _style_of(column: pd.Series) -> Style | None:
    """The first style that all of ``column`` is written in."""
    first = list(column.iloc[:_FIRST])
    if not first or not all(isinstance(value, str) for value in first):
        return None
    for style in STYLES:
        if not all(style.pattern.fullmatch(value) for value in first):
            continue
        values = column.unique()
        if not all(isinstance(value, str) and style.pattern.fullmatch(value) for value in values):
            continue
        if any(style.odd.fullmatch(value) for value in values):
            return style
    return None
