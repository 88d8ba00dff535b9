"""Columns that no score can use: which they are, why, and what to do about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.kinds import Column, Kind, Refused, recognise
from toposwap.core.labels import read_column
from toposwap.core.notices import is_running_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONSTANT = Refused("is constant", "what does not vary has no causes or effects; leave it out")
_EMPTY = Refused("has no values", "leave it out")
_NUMBERS = ("continuous", "count")
_BESIDE_NUMBERS = Refused(
    "holds categories of more than two values beside columns of numbers",
    "leave it out, or encode it as columns of 0 and 1 (pandas.get_dummies)",
)
_RUNNING = Refused("is a running number", "leave it out, unless it is meant as a variable")


def unusable(table: Any, kinds: Mapping[str, Kind], *, thorough: bool = True) -> dict[str, Refused]:
    """The columns of a frame or a :class:`~toposwap.core.table.NumberTable` that cannot be used.

    ``kinds`` are those that the user has named, by column; ``thorough`` also finds what may be used
    but hardly is meant, and what is refused later by itself: running numbers and constants.
    """
    refused = {}
    nominal: list[str] = []
    others: list[tuple[Column, Kind | None]] = []
    for name, part in _columns(table):
        why = _why(part, kinds.get(name), thorough=thorough)
        if isinstance(why, Refused):
            refused[name] = why
        elif why is not None and _is_nominal(why, kinds.get(name)):
            nominal.append(name)
        elif why is not None:
            others.append((why, kinds.get(name)))
    if nominal and any(recognise(*other).kind.name in _NUMBERS for other in others):
        refused |= dict.fromkeys(nominal, _BESIDE_NUMBERS)
    return refused


def _is_nominal(column: Column, given: Kind | None) -> bool:
    """Whether it holds categories of more than two values, which numbers alone never tell."""
    if given is None and column.labels.declared == "numbers":
        return False
    return recognise(column, given).kind.name == "categorical"


def _columns(table: Any) -> Iterator[tuple[str, Any]]:
    names = [str(name) for name in table.columns]
    if hasattr(table, "iloc"):
        return ((name, table.iloc[:, k]) for k, name in enumerate(names))
    return zip(names, table.to_numpy().T, strict=True)


def _why(part: Any, given: Kind | None, *, thorough: bool) -> Refused | Column | None:
    """Why a column is refused, or its known values; None where it has none, or only one."""
    read = read_column(part)
    if isinstance(read, Refused):
        return read
    values, labels = read
    known = values[np.isfinite(values)]
    if not known.size:
        return _EMPTY if thorough else None
    if known.min() == known.max():
        return _CONSTANT if thorough else None
    column = Column(known, labels)
    if given is not None or labels.declared != "numbers":
        return recognise(column, given).kind.refusal(column) or column
    if thorough and is_running_number(known):
        return _RUNNING
    return column
