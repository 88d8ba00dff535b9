"""What a user knows about the columns of a table: by positions, with nothing derived yet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.core.printable import printable
from toposwap.knowledge.names import REST, ColumnNames, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposwap.knowledge.knowledge import Knowledge

Edge = tuple[int, int]


@dataclass(frozen=True)
class Resolved:
    """The parameters of :class:`~toposwap.knowledge.knowledge.Knowledge`, by position.

    ``names`` are for sentences alone: what shows nothing is written out in them.
    """

    names: tuple[str, ...]
    tiers: tuple[tuple[int, ...], ...]
    closed_tiers: frozenset[int]
    forbidden: frozenset[Edge]
    required: frozenset[Edge]
    roots: frozenset[int]
    leaves: frozenset[int]
    ancestors: frozenset[Edge]
    not_ancestors: frozenset[Edge]
    allowed: frozenset[Edge] | None

    @property
    def d(self) -> int:
        """How many columns there are."""
        return len(self.names)

    def tier_of(self) -> dict[int, int]:
        """The tier of each column that has one."""
        return {v: k for k, tier in enumerate(self.tiers) for v in tier}


def resolve(knowledge: Knowledge, names: Sequence[str]) -> Resolved:
    """Find every column that is spoken of, or say which is not there."""
    columns = ColumnNames(names)
    edges = {
        name: _edges(columns, getattr(knowledge, name), name)
        for name in ("forbidden", "required", "ancestors", "not_ancestors")
    }
    allowed = knowledge.allowed
    return Resolved(
        names=tuple(map(printable, columns.names)),
        tiers=_tiers(columns, knowledge.tiers),
        closed_tiers=frozenset(knowledge.closed_tiers),
        roots=_columns(columns, knowledge.roots, "roots"),
        leaves=_columns(columns, knowledge.leaves, "leaves"),
        allowed=None if allowed is None else _edges(columns, allowed, "allowed"),
        **edges,
    )


def _columns(columns: ColumnNames, given: Iterable[Any], where: str) -> frozenset[int]:
    return frozenset(v for word in given for v in columns.find(word, where))


def _edges(columns: ColumnNames, given: Iterable[Any], where: str) -> frozenset[Edge]:
    found: set[Edge] = set()
    for edge in given:
        ends = columns.joined(edge, where, 2) if isinstance(edge, Words) else edge
        causes, effects = (_end(columns, end, where) for end in ends)
        pairs = {(i, j) for i, j in product(causes, effects) if i != j}
        if not pairs:
            raise InputError(
                f"knowledge: {where} has {ends[0]} -> {ends[1]}: a column is not its own cause"
            )
        found |= pairs
    return frozenset(found)


def _end(columns: ColumnNames, end: Any, where: str) -> list[int]:
    """The columns at one end of an edge, which a file may name as a group."""
    words = columns.joined(end, where) if isinstance(end, Words) else [end]
    return [v for word in words for v in columns.find(word, where)]


def _tiers(columns: ColumnNames, given: Sequence[Sequence[Any]]) -> tuple[tuple[int, ...], ...]:
    """Names first, then patterns, and what is left for the rest; a column stands in one tier."""
    spoken = [
        columns.joined(tier, f"tier {k}") if isinstance(tier, Words) else tier
        for k, tier in enumerate(given)
    ]
    turns: tuple[list[tuple[int, Any]], ...] = ([], [], [])
    for k, tier in enumerate(spoken):
        for word in tier:
            turns[_turn(columns, word)].append((k, word))
    said: dict[int, tuple[int, Any]] = {}
    for words in turns:
        before = set(said)
        for k, word in words:
            for v in columns.find(word, f"tier {k}"):
                if v not in before and said.setdefault(v, (k, word))[0] != k:
                    first, by = said[v]
                    raise InputError(
                        f"knowledge: {printable(columns.names[v])} stands in tier {first} "
                        f"({by}) and in tier {k} ({word}): a column has one tier"
                    )
    tiers: list[list[int]] = [[] for _ in spoken]
    for v in sorted(said):
        tiers[said[v][0]].append(v)
    return tuple(map(tuple, tiers))


def _turn(columns: ColumnNames, word: Any) -> int:
    """When a word of a tier has its turn: names are 0, patterns 1, the rest is 2."""
    if not columns.is_pattern(word):
        return 0
    return 2 if word == REST else 1
