"""From what a user calls columns to their positions: names, patterns, positions, loose words.

A name that exists stands for itself, whatever characters it has. Anything else may be a pattern
with the wildcards of file names, ``*``, ``?`` and ``[abc]``.
"""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import listed, places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WILD = frozenset("*?[")
#: Stands for all columns that nothing else in the same list stands for.
REST = "*"


class Quoted(str):
    """A word that is a name by itself, whatever stands beside it."""

    __slots__ = ()


class Words(tuple[str, ...]):
    """Words of a line of text that may hold names with spaces: which words make a name is open."""

    __slots__ = ()

    def __str__(self) -> str:
        return " ".join(self)


class ColumnNames:
    """The columns of a table, found by whatever they are called.

    Parameters
    ----------
    names
        The names of the columns, in their order; each occurs once.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._places = places(self.names)

    def find(self, word: Any, where: str) -> list[int]:
        """The columns that a name, a pattern or a position stands for; ``where`` it was said.

        Raises
        ------
        InputError
            If there is no such column, with the nearest name.
        """
        if isinstance(word, int | np.integer) and not isinstance(word, bool):
            if not -len(self.names) <= word < len(self.names):
                raise InputError(
                    f"knowledge: {where} has the position {word}, and there are "
                    f"{len(self.names)} columns"
                )
            return [int(word) % len(self.names)]
        if not isinstance(word, str):
            raise InputError(
                f"knowledge: {where} has {word!r}, which is neither the name of a column nor its "
                "position"
            )
        found = self.matching(word)
        if not found:
            raise InputError(f"knowledge: {where} has {self._unknown(word)}")
        return found

    def matching(self, word: str) -> list[int]:
        """The column of this name, or all that match this pattern; empty if none does."""
        found = self.exactly(word)
        if found is not None:
            return [found]
        return [k for k, name in enumerate(self.names) if fnmatchcase(name, word)]

    def exactly(self, word: Any) -> int | None:
        """The column that is called ``word``, also with spaces about it; None if none is."""
        if not isinstance(word, str):
            return None
        return self._places.get(word, self._places.get(word.strip()))

    def is_pattern(self, word: Any) -> bool:
        """Whether ``word`` stands for whatever matches it."""
        return isinstance(word, str) and self.exactly(word) is None and bool(_WILD & set(word))

    def joined(self, words: Words, where: str, count: int | None = None) -> list[str]:
        """The names that ``words`` make, the longest first where several do; ``count`` of them.

        Raises
        ------
        InputError
            If some word belongs to no name.
        """
        ways = self._ways(words, count)
        found = next(ways, None)
        if found is not None:
            return found
        if count is not None and len(words) == count:
            return list(words)
        left = [word for word in words if self.exactly(word) is None and not _WILD & set(word)]
        if count is not None and not left:
            raise InputError(
                f"knowledge: {where} has {str(words)!r}, which should be {count} names; quote names"
                " with spaces"
            )
        raise InputError(f"knowledge: {where} has {self._unknown(left[0] if left else words[0])}")

    def _ways(self, words: Words, count: int | None) -> Iterator[list[str]]:
        """The ways to join ``words`` to names, without running into a dead end twice."""
        dead: set[tuple[int, int]] = set()

        def ways(start: int, names: list[str]) -> Iterator[list[str]]:
            if start == len(words):
                if count is None or len(names) == count:
                    yield list(names)
                return
            if (start, len(names)) in dead or len(names) == count:
                return
            hopeless = True
            for stop in range(len(words), start, -1):
                name = " ".join(words[start:stop])
                if stop > start + 1 and any(isinstance(w, Quoted) for w in words[start:stop]):
                    continue
                if self.exactly(name) is None and not (stop == start + 1 and _WILD & set(name)):
                    continue
                for way in ways(stop, [*names, name]):
                    hopeless = False
                    yield way
            if hopeless:
                dead.add((start, len(names)))

        return ways(0, [])

    def _unknown(self, word: str) -> str:
        if _WILD & set(word):
            return f"the pattern {word!r}, and no column matches it; there are {listed(self.names)}"
        near = get_close_matches(word, self.names, 1)
        by_case = [name for name in self.names if name.casefold() == word.strip().casefold()]
        hint = f"did you mean {(by_case or near)[0]!r}?" if by_case or near else None
        return f"{word!r}, and no column is called that; " + (
            hint or f"there are {listed(self.names)}"
        )
