"""Where the KKT conditions fail there is a way down: Lemma 3 as a move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.search.base import Move
from toposwap.search.moves.update_sort import with_edge

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


#: At a violation Q is sure to fall, by about its square, so a move counts as an improvement from
#: this part of the resolution on.
_BELIEVED = 1e-3


def repair(
    fit: OrderFit, violations: NDArray[np.int64], names: Sequence[str], *, greedy: bool = False
) -> Move | None:
    """Go to the best of the orders that UpdateSort makes of Y(Theta, 0, 0), by its option 2.

    ``violations`` holds the pairs (i, j), (m, 2). With ``greedy`` the first order that helps is
    taken. None if none helps, which for a separable score only rounding error can bring about.
    """
    weights = fit.point().weights if len(violations) else None
    lowest, chosen = -_BELIEVED * fit.resolution, None
    for i, j in violations.tolist():
        assert weights is not None
        order = with_edge(fit.order, weights, i, j, fit.bound.admissible)
        change = fit.fine_delta(order)
        if change < lowest:
            lowest, chosen = change, (order, i, j)
            if greedy:
                break
    if chosen is None:
        return None
    order, i, j = chosen
    fit.reorder(order)
    return Move("small", len(violations), f"put {names[i]!r} before {names[j]!r}")
