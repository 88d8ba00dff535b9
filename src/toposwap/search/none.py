"""No search: solve the given order only."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.search.base import Move, Search

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from toposwap.orderfit.base import OrderFit


class NoSearch(Search):
    """Stay at the starting order."""

    name: ClassVar[str] = "none"
    finished: ClassVar[str] = "given order"

    def moves(
        self,
        fit: OrderFit,  # noqa: ARG002
        names: Sequence[str],  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Iterator[Move]:
        """Make none."""
        yield from ()
