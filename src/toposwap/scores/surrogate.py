"""A good order for scores that are expensive to search with: that of an additive model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels import pivoted
from toposwap.order import Order
from toposwap.scores.basis import Basis

if TYPE_CHECKING:
    from toposwap.dataset import Dataset
    from toposwap.scores.base import OrderFit

#: Enough to tell a curve from a line; the surrogate need not be exact.
_FUNCTIONS = 8


def surrogate_order(
    data: Dataset, rng: np.random.Generator | None = None, n_starts: int = 1
) -> Order:
    """The order of a local minimum of :class:`~toposwap.scores.Basis` on ``data``.

    No insertion and no swap lowers the score from there. The first search starts from the order of
    smallest conditional variances, further ones (``n_starts``, which need ``rng``) from random
    orders; the best order is returned.
    """
    size = min(_FUNCTIONS, max(1, int(0.8 * data.n / data.d)))
    # Where there are fewer rows than columns only a ridge determines the lines.
    bound = Basis(n_functions=size, ridge=0.0 if data.n > data.d else 0.1).bind(data)
    cost = (data.scale / data.scale.max()) ** 2
    fit = bound.fit(Order(pivoted.smallest_variance_order(data.factor.T.copy(), cost)))
    _descend(fit)
    best, lowest = fit.order, fit.value
    for _ in range(n_starts - 1):
        assert rng is not None
        fit.reorder(Order(rng.permutation(data.d)))
        _descend(fit)
        if fit.value < lowest - fit.resolution:
            best, lowest = fit.order, fit.value
    return best


def _descend(fit: OrderFit) -> None:
    """Insertions while they help, then the best swap, and again."""
    pairs = fit.all_pairs()
    while True:
        while fit.insertion_sweep(fit.order.variables):
            pass
        fit.refresh()
        changes = fit.swap_changes(pairs)
        best = int(changes.argmin())
        if not changes[best] < -fit.resolution:
            return
        fit.swap(*map(int, pairs[best]))
