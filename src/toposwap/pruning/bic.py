"""Edges that are worth BIC's L0 penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.pruning.base import Pruned, Pruner, predictor_of
from toposwap.search.auto import AutoSearch
from toposwap.search.base import run

if TYPE_CHECKING:
    from toposwap.core.order import Order
    from toposwap.scores.base import BoundScore


class BICPruner(Pruner):
    """The same loss with BIC's L0 penalty in place of the score's own, minimised downhill.

    The way begins at the order of the solution, and edges may be turned along it.
    """

    name: ClassVar[str] = "bic"

    def check(self, bound: BoundScore) -> None:
        """The score must have a counterpart with an L0 penalty."""
        if bound.score.with_l0() is None:
            own = ", which has a rule of its own: prune='auto'" if bound.strategy.pruner else ""
            raise InputError(f"prune: no L0 penalty goes with the score {bound.score.name}{own}")

    def prune(
        self,
        bound: BoundScore,
        parameters: Any,  # noqa: ARG002 - only the order counts
        order: Order,
        *,
        rng: np.random.Generator,
        deadline: Deadline = NEVER,
    ) -> Pruned:
        """Search from ``order`` without restarts, and keep what is there at the end."""
        score = bound.score.with_l0()
        assert score is not None
        sparse = score.bind(bound.data)
        sparse.within_limits_of(bound)
        fit = sparse.fit(order)
        run(AutoSearch(n_restarts=0), fit, bound.data.names, rng=rng, deadline=deadline)
        found = fit.parameters()
        return Pruned(
            np.ascontiguousarray(sparse.admissible.with_required(sparse.evaluate(found).weights)),
            fit.order,
            found,
            predictor_of(sparse, found),
            f"BIC's L0 penalty ({sparse.score.name}), which may turn edges",
            sparse.score.equivalent,
            refitted=True,
        )
