"""A good order for scores that are expensive to search with: that of an additive model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.order import Order
from toposwap.scores.additive.score import Basis

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit

#: Enough to tell a curve from a line; the surrogate need not be exact.
_FUNCTIONS = 8
#: Of coefficients in units of the columns' deviations.
RIDGE = 1e-3


def surrogate_order(
    data: Dataset, rng: np.random.Generator | None = None, n_starts: int = 1
) -> Order:
    """The order of a local minimum of :class:`~toposwap.scores.Basis` on ``data``.

    No insertion and no swap lowers the score from there. The first search starts from the order of
    smallest conditional variances, further ones (``n_starts``, which need ``rng``) from random
    orders; the best order is returned.
    """
    size = min(_FUNCTIONS, max(1, int(0.8 * data.n / data.d)))
    # A ridge, so that columns which others determine and too few rows are no obstacle.
    bound = Basis(n_functions=size, ridge=RIDGE).bind(data)
    fit = bound.fit(bound.good_order())
    descend(fit)
    best, lowest = fit.order, fit.value
    for _ in range(n_starts - 1):
        assert rng is not None
        fit.reorder(Order(rng.permutation(data.d)))
        descend(fit)
        if fit.value < lowest - fit.resolution:
            best, lowest = fit.order, fit.value
    return best


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
