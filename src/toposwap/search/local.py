"""Local searches over the exact neighbourhoods: insertions, and insertions with swaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.certificate import violations
from toposwap.search.base import Move, Search
from toposwap.search.disjoint import disjoint_swaps
from toposwap.search.repair import repair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposwap.scores.base import OrderFit


class InsertionSearch(Search):
    """Sweeps that move each variable to its best place, until none moves.

    Variables are visited in the order they stand in at the beginning of the sweep, so the search
    depends on the starting order and not on the labels of the columns.
    """

    name: ClassVar[str] = "insertion"

    def moves(
        self,
        fit: OrderFit,
        names: Sequence[str],
        rng: np.random.Generator,  # noqa: ARG002 - deterministic
    ) -> Iterator[Move]:
        """Sweep, and believe in an optimum only when rounding errors have been cleared."""
        d = len(names)
        fresh = False
        while True:
            moved = fit.insertion_sweep(fit.order.variables)
            if moved:
                fresh = False
                yield Move("insertion", d * (d - 1), f"moved {moved} of {d} variables")
            elif fresh:
                return
            else:
                fit.refresh()
                fresh = True


class AutoSearch(Search):
    """Insertion sweeps, then swaps, in turn: a local optimum of both neighbourhoods.

    For a score that sets edges to zero it may still violate the KKT conditions; then the move that
    Lemma 3 promises comes next, so that the end is always a KKT point.
    """

    name: ClassVar[str] = "auto"

    def moves(
        self, fit: OrderFit, names: Sequence[str], rng: np.random.Generator
    ) -> Iterator[Move]:
        """Swaps are priced only where no insertion helps any more."""
        insertion = InsertionSearch()
        while True:
            yield from insertion.moves(fit, names, rng)
            pairs = fit.all_pairs()
            swaps = disjoint_swaps(fit, pairs, fit.swap_changes(pairs))
            if swaps:
                for i, j in swaps:
                    fit.swap(i, j)
                fit.refresh()
                yield Move("swap", len(pairs), describe_swaps(swaps, names))
                continue
            failing = violations(fit.point(), fit.bound.tolerance)
            move = repair(fit, failing, names)
            if move is None:
                return
            yield move


def describe_swaps(swaps: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """A swap by the names of its variables, several by their number."""
    if len(swaps) == 1:
        i, j = swaps[0]
        return f"swapped {names[i]!r} and {names[j]!r}"
    return f"swapped {len(swaps)} pairs"
