"""The global minimum, by dynamic programming over sets of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.core.errors import InputError
from toposwap.search.base import Move, Search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.base import Context

_LARGEST = 22


class ExactSearch(Search):
    """B(S) = min_{v in S} B(S - v) + Q_v(S - v): every order is covered, the result proven."""

    name: ClassVar[str] = "exact"
    finished: ClassVar[str] = "global minimum"

    def moves(self, fit: OrderFit, context: Context) -> Iterator[Move]:  # type: ignore[override]
        """At most one move, to the global minimum; refused where that is out of reach."""
        d = len(context.names)
        if d > _LARGEST:
            raise InputError(
                f"search='exact' goes through 2^d sets of variables: {d} columns are too many "
                f"(at most {_LARGEST}); use search='auto'"
            )
        before = fit.value
        if not fit.bound.solve_exactly(fit):
            raise InputError(
                f"search='exact' needs a score that is a sum over variables, and "
                f"{fit.bound.score!r} is not; use search='auto'"
            )
        if fit.value < before:
            yield Move("exact", 2**d, "took the best of all orders")
