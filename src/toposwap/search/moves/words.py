"""Moves in the words of histories and progress lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def swaps_in_words(swaps: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """A swap by the names of its variables, several by their number."""
    if len(swaps) == 1:
        i, j = swaps[0]
        return f"swapped {names[i]!r} and {names[j]!r}"
    return f"swapped {len(swaps)} pairs"
