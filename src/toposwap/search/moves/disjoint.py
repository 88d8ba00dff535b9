"""Several swaps at once: the best ones that do not get into each other's way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


def disjoint_swaps(
    fit: OrderFit,
    pairs: NDArray[np.int64],
    changes: NDArray[np.float64],
    limit: int | None = None,
) -> list[tuple[int, int]]:
    """Improving ``pairs`` from the best down, each on a stretch of the order of its own.

    A swap changes only the nodes between its two positions, so for a separable score the gains of
    swaps on disjoint stretches add up exactly. For any other score only the best is returned.
    There are at most ``limit`` of them.
    """
    improving = np.flatnonzero(changes < -fit.resolution)
    if not improving.size:
        return []
    improving = improving[np.argsort(changes[improving], kind="stable")]
    if limit == 1 or not fit.bound.score.separable:
        return [(int(i), int(j)) for i, j in pairs[improving[:1]]]
    positions = np.sort(fit.order.positions[pairs], axis=1)
    free = np.ones(len(fit.order), dtype=bool)
    chosen = []
    for index in improving:
        first, last = positions[index]
        if free[first : last + 1].all():
            free[first : last + 1] = False
            chosen.append((int(pairs[index, 0]), int(pairs[index, 1])))
    return chosen[:limit]
