"""What a user knows about a graph, as it is said: by names, before any table is seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.errors import InputError
from toposwap.knowledge.names import Words

if TYPE_CHECKING:
    import os

    from toposwap.core.admissible import Admissible

#: Between the two ends of an edge that is said in one piece: "a -> b".
ARROW = "->"
#: What is a list of edges, and what a list of columns.
EDGES = ("forbidden", "required", "ancestors", "not_ancestors")
COLUMNS = ("roots", "leaves")


@dataclass(frozen=True)
class Knowledge:
    """What cannot be, what must be, and in which order.

    Columns are called by name, by a pattern (``"gene_*"``), or by position. Edges are pairs
    ``(cause, effect)`` or texts ``"cause -> effect"``; with patterns, all pairs that match.

    Parameters
    ----------
    tiers
        Groups of columns from early to late. No edge, and no path of edges, leads to an earlier
        tier. Columns that are not named may stand anywhere; ``"*"`` stands for all that no tier
        names otherwise.
    closed_tiers
        The numbers, from 0, of tiers without edges inside.
    forbidden, required
        Edges that are not there, and that are, whatever the data say. No penalty that shrinks is
        asked of a required edge, and no pruning drops it.
    roots, leaves
        Columns without causes, and without effects.
    ancestors, not_ancestors
        Pairs with a directed path from the first to the second, and without any.
    allowed
        If given, the only edges there may be besides the required ones.

    Examples
    --------
    >>> import toposwap as ts
    >>> k = ts.Knowledge(tiers=[["age", "sex"], ["income", "rent"]], required=["income -> rent"])
    >>> ts.Topo(knowledge=k).fit(table)                                # doctest: +SKIP
    """

    tiers: Sequence[Sequence[Any]] = ()
    closed_tiers: Sequence[int] = ()
    forbidden: Sequence[Any] = ()
    required: Sequence[Any] = ()
    roots: Sequence[Any] = ()
    leaves: Sequence[Any] = ()
    ancestors: Sequence[Any] = ()
    not_ancestors: Sequence[Any] = ()
    allowed: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "tiers", tuple(_words(tier, "a tier") for tier in _several(self, "tiers")))
        put(self, "closed_tiers", _numbers(_several(self, "closed_tiers"), len(self.tiers)))
        for name in EDGES:
            put(self, name, _edges(_several(self, name), name))
        for name in COLUMNS:
            put(self, name, tuple(_several(self, name)))
        if self.allowed is not None:
            put(self, "allowed", _edges(_several(self, "allowed"), "allowed"))

    def __bool__(self) -> bool:
        said = (getattr(self, field.name) for field in fields(self))
        return any(bool(part) for part in said) or self.allowed is not None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """What a file says: Tetrad's text format, .json, or .csv with a row for each edge.

        Parameters
        ----------
        path
            A ``.json`` file holds the parameters of this class. A ``.csv`` file has columns for
            cause, effect and kind, which is allowed, required or forbidden; as soon as one edge is
            "allowed", all others but the required ones are forbidden. Anything else is Tetrad's.
        """
        from toposwap.knowledge.reading import read_knowledge

        return cls(**read_knowledge(path))

    @classmethod
    def of(cls, given: Any) -> Self:
        """``given`` itself, or what a mapping of parameters or the name of a file says."""
        if given is None:
            return cls()
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            unknown = sorted(map(str, set(given) - {field.name for field in fields(cls)}))
            if unknown:
                known = ", ".join(field.name for field in fields(cls))
                raise InputError(f"knowledge: {unknown[0]!r} is not one of {known}")
            return cls(**given)
        raise InputError(
            "knowledge: must be a toposwap.Knowledge or a dict of its parameters, got "
            f"{type(given).__name__}; toposwap.Knowledge.read(path) reads a file"
        )

    def and_also(self, other: Knowledge) -> Knowledge:
        """All that either says; only one of the two may have tiers."""
        if self.tiers and other.tiers:
            raise InputError("knowledge: tiers are given twice; leave one of the two out")
        tiers = self if self.tiers else other
        lists = [self.allowed, other.allowed]
        allowed = [edge for part in lists if part is not None for edge in part]
        return Knowledge(
            tiers=tiers.tiers,
            closed_tiers=tiers.closed_tiers,
            allowed=None if all(part is None for part in lists) else allowed,
            **{k: (*getattr(self, k), *getattr(other, k)) for k in (*EDGES, *COLUMNS)},
        )

    def among(self, names: Sequence[str], left_out: Sequence[str]) -> Knowledge:
        """The same about columns ``names``; what it says about those ``left_out`` is dropped."""
        from toposwap.knowledge.resolved import resolve

        known, kept = resolve(self, [*names, *left_out]), len(names)

        def pairs(edges: Iterable[tuple[int, int]]) -> list[tuple[str, str]]:
            return [(names[i], names[j]) for i, j in sorted(edges) if max(i, j) < kept]

        def columns(some: Iterable[int]) -> list[str]:
            return [names[v] for v in sorted(some) if v < kept]

        return Knowledge(
            tiers=[columns(tier) for tier in known.tiers],
            closed_tiers=sorted(known.closed_tiers),
            allowed=None if known.allowed is None else pairs(known.allowed),
            **{kind: pairs(getattr(known, kind)) for kind in EDGES},
            **{kind: columns(getattr(known, kind)) for kind in COLUMNS},
        )

    def as_dict(self) -> dict[str, Any]:
        """What is said, as JSON can hold it; :meth:`read` understands it."""
        said: dict[str, Any] = {
            "tiers": [list(tier) for tier in self.tiers],
            "closed_tiers": list(self.closed_tiers),
            "allowed": self.allowed,
            **{kind: getattr(self, kind) for kind in (*EDGES, *COLUMNS)},
        }
        return {
            kind: [_plain(part) for part in parts]
            for kind, parts in said.items()
            if parts or (kind == "allowed" and parts is not None)
        }

    def on(self, names: Sequence[str]) -> Admissible:
        """The edges and orders that are left on columns of these names.

        Parameters
        ----------
        names
            The d columns, in their order.

        Raises
        ------
        InputError
            If a column is not there, or if nothing satisfies all that is said; then with the
            sentences that contradict each other.
        """
        from toposwap.knowledge.contradictions import refuse_contradictions
        from toposwap.knowledge.resolved import resolve
        from toposwap.knowledge.tables import admissible

        # Fits to resampled rows, of which there may be hundreds, ask the same again.
        names = tuple(names)
        last: tuple[tuple[str, ...], Admissible] | None = vars(self).get("_last")
        if last is None or last[0] != names:
            resolved = resolve(self, names)
            refuse_contradictions(resolved)
            last = vars(self)["_last"] = (names, admissible(resolved))
        return last[1]


def _plain(part: Any) -> Any:
    """A column, a tier or an edge without types that JSON lacks."""
    if isinstance(part, Words):
        return str(part)
    if isinstance(part, tuple | list):
        return [_plain(inner) for inner in part]
    return int(part) if isinstance(part, np.integer) else part


def _several(knowledge: Knowledge, name: str) -> Iterable[Any]:
    """A parameter that is a list; text alone is a mistake."""
    given = getattr(knowledge, name)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"knowledge: {name} must be a list, got {given!r}")
    return given


def _words(given: Any, what: str) -> tuple[Any, ...]:
    if isinstance(given, Words):
        return given
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"knowledge: {what} must be a list of columns, got {given!r}")
    return tuple(given)


def _numbers(given: Iterable[Any], count: int) -> tuple[int, ...]:
    numbers = tuple(given)
    for number in numbers:
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 0 <= number < count:
            there_are = f"tiers 0 to {count - 1}" if count else "no tiers"
            raise InputError(f"knowledge: closed_tiers has {number!r}, and there are {there_are}")
    return tuple(int(number) for number in numbers)


def _edges(given: Iterable[Any], name: str) -> tuple[Any, ...]:
    return tuple(_edge(edge, name) for edge in given)


def _edge(given: Any, name: str) -> Any:
    if isinstance(given, Words):
        return given
    if isinstance(given, str):
        ends = [part.strip() for part in given.split(ARROW)]
        if len(ends) == 2 and all(ends):
            return tuple(ends)
        raise InputError(
            f"knowledge: {name} has {given!r}, which is not of the form 'cause -> effect'"
        )
    if not isinstance(given, Iterable) or len(pair := tuple(given)) != 2:
        raise InputError(f"knowledge: {name} has {given!r}, which is no pair (cause, effect)")
    return pair
