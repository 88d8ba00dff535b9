"""No search: solve the given order only."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.search.base import Move, Search

if TYPE_CHECKING:
    from collections.abc import Generator

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.base import Context


class NoSearch(Search):
    """Stay at the starting order: its solution and certificate, without a search."""

    name: ClassVar[str] = "none"
    finished: ClassVar[str] = "given order"

    def moves(
        self,
        fit: OrderFit,  # noqa: ARG002
        context: Context,
    ) -> Generator[Move, None, bool]:
        """None at all: the fit at the starting order is the result, if there was time for it."""
        yield from ()
        return context.deadline.passed
