"""Sweeps that evaluate moves roughly and make them exactly, where nodes are slow to solve.

A rough solution of a node lies between its start and the exact solution that a solver would reach
from there, so its value is too high if anything: a move that lowers Q by rough deltas lowers it by
at least as much when it is carried out and its nodes are solved to the end. Some moves that would
help by little are missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.orderfit.separable import Plan, SeparableFit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.penalized.solved_nodes import SolvedNodes


class RoughFit(SeparableFit):
    """Exact deltas for whoever asks, rough ones inside a sweep."""

    bound: SolvedNodes

    def __init__(self, bound: SolvedNodes, order: Order) -> None:
        self._rough = False
        super().__init__(bound, order)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Move each of ``visits`` in turn to the place that looks best."""
        self._plans.clear()
        self._rough = True
        try:
            return super().insertion_sweep(visits)
        finally:
            self._rough = False
            self._plans.clear()

    def swap_candidates(self) -> NDArray[np.int64]:
        """None: swaps have exact deltas only."""
        return np.empty((0, 2), dtype=np.int64)

    # --- inside ----------------------------------------------------------------------------------

    def _fit_node(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        if self._rough:
            self.bound.deadline.check()
            return self.bound.rough_node(v, allowed, warm)
        return super()._fit_node(v, allowed, warm)

    def _carry_out(self, order: Order, plan: Plan) -> None:
        if self._rough:
            fits = {
                v: self.bound.fit_node(v, self.bound.candidates(order, v), fit)
                for v, fit in plan.fits.items()
            }
            plan = Plan(plan.first, plan.last, fits)
        super()._carry_out(order, plan)
