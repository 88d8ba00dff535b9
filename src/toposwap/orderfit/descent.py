"""Downhill from an order to where neither an insertion nor a swap helps, with nothing recorded.

For the cheap models that a score looks at before it is searched itself: a noise level, a starting
order. What a user watches is a :class:`~toposwap.search.base.Search`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from toposwap.orderfit.base import OrderFit


def descend(fit: OrderFit) -> None:
    """Insertions while they help, then the best swap, and again."""
    pairs = fit.all_pairs()
    while True:
        before = np.inf
        # Until nothing moves, or a move's gain was rounding error.
        while fit.value < before:
            before = fit.value
            fit.insertion_sweep(fit.order.variables)
        fit.refresh()
        changes = fit.swap_changes(pairs)
        best = int(changes.argmin())
        if not changes[best] < -fit.resolution:
            return
        fit.swap(*map(int, pairs[best]))
