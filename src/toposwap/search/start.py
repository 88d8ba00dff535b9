"""Where a search begins: orders that are read off the data, and the first fit."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from toposwap.core.order import Order
from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.ctrl_c import CtrlC
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.orderfit.descent import descend
from toposwap.orderfit.starts import (
    least_correlated_order,
    smallest_entropy_order,
    smallest_variance_order,
)
from toposwap.search.base import Context, Step
from toposwap.search.screened import ScreenedSearch, through_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit
    from toposwap.pruning.base import Pruner
    from toposwap.scores.base import BoundScore
    from toposwap.search.base import Progress


def surrogate_order(
    data: Dataset, rng: np.random.Generator | None = None, n_starts: int = 1
) -> Order:
    """The order of a local minimum of :class:`~toposwap.scores.Basis` on ``data``.

    A good order for scores that are expensive to search with. No insertion and no swap lowers the
    score of the additive model from there. The first descent starts from the order of smallest
    conditional variances, further ones (``n_starts``, which need ``rng``) from random orders; the
    best order is returned.
    """
    from toposwap.scores.additive.score import surrogate

    fit = surrogate(data).fit(smallest_variance_order(data))
    descend(fit)
    best, lowest = fit.order, fit.value
    for _ in range(n_starts - 1):
        assert rng is not None
        fit.reorder(Order(rng.permutation(data.d)))
        descend(fit)
        if fit.value < lowest - fit.resolution:
            best, lowest = fit.order, fit.value
    return best


#: Orders by name, for ``init`` and for the ``start`` of a strategy.
STARTS: dict[str, Callable[[Dataset], Order]] = {
    "variance": smallest_variance_order,
    "correlation": least_correlated_order,
    "additive": surrogate_order,
    "entropy": smallest_entropy_order,
}
#: What the user may call a start; "auto" is what suits the score.
INITS = ("auto", *STARTS, "random")


#: The part of the whole time after which surrogates leave the rest to the score itself.
_COARSE = 0.2


class FirstFit(NamedTuple):
    """The fit that a search begins with, and how it came about."""

    fit: OrderFit
    surrogates_followed: bool
    interrupted: bool = False


def _downhill(bound: BoundScore, order: Order) -> Order:
    """Where insertions lead from ``order``."""
    fit = bound.fit(order)
    value = inf
    # What sweeps move for rounding error alone lowers nothing, and would never end.
    while fit.value < value and not bound.deadline.passed:
        value = fit.value
        if not fit.insertion_sweep(fit.order.variables):
            break
    return fit.order


def automatic_fit(
    bound: BoundScore,
    rng: np.random.Generator,
    deadline: Deadline = NEVER,
    *,
    progress: Progress | None = None,
    pruner: Pruner | None = None,
) -> FirstFit:
    """What ``init="auto"`` begins with: the start of the score's strategy, or what follows from it.

    Where deltas are expensive, so is the first fit, which should not be spent on an order that is
    to be left soon: there the surrogates are followed before it. Ctrl-C ends that.
    """
    strategy, began, interrupted = bound.strategy, clock(), False
    order = bound.admissible.nearest(STARTS[strategy.start](bound.data))
    relaxed = bound.relaxed()
    if relaxed is not None:
        order = _downhill(relaxed, order)
    if strategy.search != ScreenedSearch.name:
        return FirstFit(bound.fit(order), surrogates_followed=False)
    context = Context(bound.data.names, rng, deadline, pruner)
    with CtrlC() as ctrl_c:
        try:
            for step in through_surrogates(bound, order, context, deadline.part(_COARSE)):
                order, seconds = step.order, clock() - began
                if progress is not None:
                    move = step.move
                    progress(Step(0, step.value, "coarse", move.candidates, move.text, seconds))
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
            interrupted = True
    return FirstFit(bound.fit(order), surrogates_followed=True, interrupted=interrupted)
