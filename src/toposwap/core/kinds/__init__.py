"""Kinds of columns, and how a column's is found: from its dtype, its values, or the user."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.core.kinds.base import Column, Kind, Labels, Recognised, Refused
from toposwap.core.kinds.binary import Binary
from toposwap.core.kinds.categorical import Categorical
from toposwap.core.kinds.continuous import Continuous
from toposwap.core.kinds.count import Count
from toposwap.core.kinds.ordinal import Ordinal

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Kinds by name, in the order in which a column is asked whether it is one; the last is any.
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Binary(), Categorical(), Count(), Ordinal(), Continuous())
}

#: Of a column with fractions.
FRACTIONS = Recognised(KINDS[Continuous.name], "fractions")

__all__ = [
    "KINDS",
    "FRACTIONS",
    "Column",
    "Kind",
    "Labels",
    "Recognised",
    "Refused",
    "recognise",
    "kinds_by_name",
]


def recognise(column: Column, given: Kind | None = None) -> Recognised:
    """The kind of a column: ``given``, or the first that it looks like."""
    levels = column.labels.levels
    if given is not None:
        # Two categories are two values.
        if given.name == Categorical.name and column.two_valued:
            given = KINDS[Binary.name]
        return Recognised(given, "given", True, levels)
    for kind in KINDS.values():
        reason = kind.reason(column)
        if reason is not None:
            return Recognised(kind, reason, False, levels)
    raise AssertionError("the last kind takes every column")


def kinds_by_name(kinds: Any, names: Sequence[str]) -> dict[str, Kind]:
    """What the user says about columns: kinds by the names of columns.

    Parameters
    ----------
    kinds
        None, or a mapping from names of columns to kinds; a name may be a pattern with ``*`` and
        ``?``, of which the last that fits counts, and a name itself before any pattern.
    names
        Of the columns there are.
    """
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise InputError(
            "kinds: must be a mapping from names of columns to kinds, such as "
            f"{{'origin': 'categorical'}}, got {kinds!r}"
        )
    there = set(names)
    found: dict[str, Kind] = {}
    for pattern, value in kinds.items():
        kind = value if isinstance(value, Kind) else KINDS.get(value) if _text(value) else None
        if kind is None:
            raise InputError(
                f"kinds: {value!r} is not one of {', '.join(map(repr, KINDS))} (for {pattern!r})"
            )
        exact = str(pattern) in there
        fitting = [str(pattern)] if exact else _fitting(str(pattern), names)
        if not fitting:
            from toposwap.core.validation import listed

            raise InputError(
                f"kinds: no column is called {str(pattern)!r}; there are {listed(names)}"
            )
        for name in fitting:
            if exact or name not in kinds:
                found[name] = kind
    return found


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _fitting(pattern: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if fnmatchcase(name, pattern)]
