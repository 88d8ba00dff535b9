"""All edges, or those whose weight is large enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.pruning.base import Pruned, Pruner, predictor_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.scores.base import BoundScore

#: The threshold on |weight| that the field uses.
USUAL_THRESHOLD = 0.3


class KeepAll(Pruner):
    """Every edge of the solution: for scores that choose edges themselves."""

    name: ClassVar[str] = "none"

    def prune(
        self,
        bound: BoundScore,
        parameters: Any,
        order: Order,
        *,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
        deadline: Deadline = NEVER,  # noqa: ARG002 - takes no time
    ) -> Pruned:
        """W(theta) with all its edges, at the order of the solution; nothing is fitted."""
        return Pruned(
            bound.admissible.with_required(bound.weights(parameters).copy()),
            order,
            parameters,
            predictor_of(bound, parameters),
            "",
            bound.score.equivalent,
        )


class Threshold(Pruner):
    """|W_ij| >= at_least, in the units of the data; nothing is fitted again.

    Parameters
    ----------
    at_least
        The smallest |weight| that is kept.
    """

    name: ClassVar[str] = "threshold"

    def __init__(self, at_least: float = USUAL_THRESHOLD) -> None:
        number = not isinstance(at_least, bool) and isinstance(at_least, int | float | np.number)
        if not number or not 0.0 <= float(at_least) < np.inf:
            raise InputError(f"prune: a threshold must be a number >= 0, got {at_least!r}")
        self.at_least = float(at_least)

    def prune(
        self,
        bound: BoundScore,
        parameters: Any,
        order: Order,
        *,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
        deadline: Deadline = NEVER,  # noqa: ARG002 - takes no time
    ) -> Pruned:
        """The larger weights; predictions remain those of the solution."""
        return Pruned(
            threshold(bound.weights(parameters), self.at_least, bound.admissible),
            order,
            parameters,
            predictor_of(bound, parameters),
            f"|weight| >= {self.at_least:g}",
            bound.score.equivalent,
            threshold=self.at_least,
        )


def threshold(
    weights: NDArray[np.float64], at_least: float | None, admissible: Admissible = EVERYTHING
) -> NDArray[np.float64]:
    """Keep the weights with |W_ij| >= ``at_least`` and those of required edges, (d, d)."""
    if at_least is None:
        return admissible.with_required(weights.copy())
    kept = np.abs(weights) >= at_least
    if admissible.required is not None:
        kept |= admissible.required
    return admissible.with_required(np.where(kept, weights, 0.0))
