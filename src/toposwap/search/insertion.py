"""Local search by insertions alone: one variable at a time to its best place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.search.base import Move, Search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.base import Context


class InsertionSearch(Search):
    """Sweeps that move each variable to its best place, until none moves.

    Variables are visited in the order they stand in at the beginning of the sweep, so the search
    depends on the starting order and not on the labels of the columns.
    """

    name: ClassVar[str] = "insertion"

    def moves(self, fit: OrderFit, context: Context) -> Iterator[Move]:  # type: ignore[override]
        """Sweep until nothing moves, and once more after rounding errors have been cleared."""
        d = len(context.names)
        fresh = False
        while True:
            moved = fit.insertion_sweep(fit.order.variables)
            if moved:
                fresh = False
                yield Move("insertion", d * (d - 1), f"moved {moved} of {d} variables")
                context.keep()
            elif fresh:
                return
            else:
                fit.refresh()
                fresh = True
