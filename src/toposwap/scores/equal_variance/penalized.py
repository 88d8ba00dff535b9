r"""Equal noise variances with a penalty that has a slope: nodes that share a unit.

.. math:: Q(W) = \tfrac d2 \log \lVert X - X W \rVert_F^2 + \sum_{ij} \rho(W_{ij})

With :math:`T = \lVert X - X W \rVert_F^2 / n` the logarithm lies below its tangent, see
:mod:`~toposwap.scores.equal_variance.l0`. So while the unit :math:`\tau = T / d` is held, every
node may lower

.. math:: \tfrac 1{2n} \lVert x_j - X w_j \rVert^2 + \tau \sum_i \rho(W_{ij})

on its own, and Q goes down by more. Then the unit follows, until it is steady: that is a stationary
point of Q, because the tangent touches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.orderfit.base import OrderFit
from toposwap.orderfit.nodes import NodeFit
from toposwap.orderfit.separable import Plan, SeparableFit
from toposwap.penalties import NoPenalty
from toposwap.scores.densities import Densities
from toposwap.scores.penalized.bound import BoundPenalized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order

#: A relative error of the unit is a KKT residual; this is well below the certificate's tolerance.
_STEADY = 1e-10
_ROUNDS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class EqualVarianceNode(NodeFit):
    """A node with its two parts: ``value = variance / 2 + unit * penalty``."""

    variance: float
    penalty: float


class BoundEqualVariance(BoundPenalized):
    """One noise variance for all nodes, on given data."""

    gradient_unit = 1.0

    def fit(self, order: Order) -> EqualVarianceFit:
        """Solve all nodes for ``order`` in a common unit, until that is steady."""
        return EqualVarianceFit(self, order)

    def fit_node(
        self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None, unit: float = 1.0
    ) -> EqualVarianceNode:
        """Solve ``node`` with the penalty in units of ``unit``."""
        share = float(self.data.shares[node])
        solution, violating = self._stationary(node, allowed, warm, unit)
        penalty = self._paid(node, solution.weights)
        return EqualVarianceNode(
            value=share * solution.loss + unit * penalty,
            parameters=(solution.weights, solution.level),
            support=solution.weights != 0.0,
            violating=violating,
            variance=2.0 * share * solution.loss,
            penalty=penalty,
        )

    def densities(self, weights: NDArray[np.float64], intercepts: NDArray[np.float64]) -> Densities:  # noqa: ARG002 - those of the means
        """Normal distributions with the variance that all columns share."""
        return Densities.equal_variance(self.data.residual_variances(weights), self.data.shares)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Without a penalty the best order is that of least squares; else nothing is proven."""
        return isinstance(self.penalty, NoPenalty) and super().solve_exactly(fit)

    def _pooled(
        self,
        losses: NDArray[np.float64],
        gradient: NDArray[np.float64],
        size: NDArray[np.float64],
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """d/2 log(n T), whose derivative is that of least squares over T / d."""
        total = 2.0 * float(losses.sum())
        slope = self.counted / total
        return self.loss_of(total), slope * gradient, slope * size

    def loss_of(self, total: float) -> float:
        """D/2 log(n T), T the sum of the residual variances in the units of the data."""
        return 0.5 * self.counted * float(np.log(self.data.n) + np.log(total))

    @property
    def counted(self) -> float:
        """D: rows that count for nodes, all together, in multiples of the rows; d where all do."""
        return float(self.data.shares.sum())


class EqualVarianceFit(SeparableFit):
    """Nodes solved in a common unit, which follows the noise variance.

    A delta is the exact change of Q for nodes refitted in the current unit; when the move is made
    the unit follows, so it never costs more than that.
    """

    bound: BoundEqualVariance
    _nodes: list[EqualVarianceNode]  # type: ignore[assignment]

    def __init__(self, bound: BoundEqualVariance, order: Order) -> None:
        # From above, as if no column explained any other.
        deviations = bound.data.deviations * bound.data.scale
        self._unit = float(np.mean(np.square(deviations)))
        self._sweeping = False
        super().__init__(bound, order)
        self._retune()

    @property
    def resolution(self) -> float:
        """A logarithm is known to so many digits, whatever its value."""
        return 1e-10 * max(abs(self.value), self._d)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Sweep in the current unit, then let it follow."""
        self._sweeping = True
        try:
            moved = super().insertion_sweep(visits)
        finally:
            self._sweeping = False
        if moved:
            self._retune()
        return moved

    def snapshot(self) -> tuple[Order, list[NodeFit], float]:  # type: ignore[override]
        """Order, nodes and the unit that the nodes were solved in."""
        return *super().snapshot(), self._unit

    def restore(self, snapshot: tuple[Order, list[NodeFit], float]) -> None:  # type: ignore[override]
        """Go back to the order, its nodes and their unit, without fitting anything."""
        *rest, unit = snapshot
        if unit != self._unit:
            self._unit = unit
            self._memory.clear()
        super().restore(tuple(rest))  # type: ignore[arg-type]

    # --- inside ----------------------------------------------------------------------------------

    @property
    def _total(self) -> float:
        return sum(node.variance for node in self._nodes)

    def _solve(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> EqualVarianceNode:
        return self.bound.fit_node(v, allowed, warm, self._unit)

    def _sum(self) -> float:
        return self.bound.loss_of(self._total) + sum(node.penalty for node in self._nodes)

    def change_since(self, snapshot: Any, value: float) -> float:
        """By the totals: the nodes share a unit, and a change of that changes them all."""
        return OrderFit.change_since(self, snapshot, value)

    def _change(  # type: ignore[override]
        self,
        fits: dict[int, EqualVarianceNode],
        part: float = 0.0,  # noqa: ARG002
    ) -> float:
        now = [(fit, self._nodes[v]) for v, fit in fits.items()]
        variance = sum(fit.variance - old.variance for fit, old in now)
        penalty = sum(fit.penalty - old.penalty for fit, old in now)
        return 0.5 * self.bound.counted * float(np.log1p(variance / self._total)) + penalty

    def _carry_out(self, order: Order, plan: Plan) -> None:
        super()._carry_out(order, plan)
        if not self._sweeping:
            self._retune()

    def _retune(self) -> None:
        """Let the unit and the nodes settle; each round lowers Q."""
        for _ in range(_ROUNDS):
            unit = self._total / self.bound.counted
            if abs(unit / self._unit - 1.0) <= _STEADY:
                return
            self._unit = unit
            self._memory.clear()
            self._plans.clear()
            self._nodes = [
                self._solve(v, self.bound.candidates(self.order, v), node)
                for v, node in enumerate(self._nodes)
            ]
            self._tabulate(range(self._d))
