"""Columns that no score can use: which they are, why, and what to do about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.kinds import Column, Kind, Refused, recognise
from toposwap.core.tables.labels import read_column
from toposwap.core.tables.notices import is_running_number, names_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONSTANT = Refused("is constant", "what does not vary has no causes or effects; leave it out")
_EMPTY = Refused("has no values", "leave it out")
_NAMES = Refused("is an identifier by its name", "leave it out, unless it is meant as a variable")
_RUNNING = Refused("is a running number", "leave it out, unless it is meant as a variable")


def unusable(table: Any, kinds: Mapping[str, Kind], *, thorough: bool = True) -> dict[str, Refused]:
    """The columns of a frame or a :class:`~.table.NumberTable` that cannot be used.

    ``kinds`` are those that the user has named, by column; ``thorough`` also finds what may be used
    but hardly is meant, and what is refused later by itself: running numbers, columns called ``id``
    and constants.
    """
    refused = {}
    for name, part in _columns(table):
        why = _why(name, part, kinds.get(name), thorough=thorough)
        if why is not None:
            refused[name] = why
    return refused


def _columns(table: Any) -> Iterator[tuple[str, Any]]:
    names = [str(name) for name in table.columns]
    if hasattr(table, "iloc"):
        return ((name, table.iloc[:, k]) for k, name in enumerate(names))
    return zip(names, table.to_numpy().T, strict=True)


def _why(name: str, part: Any, given: Kind | None, *, thorough: bool) -> Refused | None:
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
    if thorough and given is None and names_rows(name, known):
        return _NAMES
    if given is not None or labels.declared != "numbers":
        return recognise(column, given).kind.refusal(column)
    if thorough and is_running_number(known):
        return _RUNNING
    return None
