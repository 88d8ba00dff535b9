r"""Equal noise variances with an L0 penalty: one variance for all nodes.

.. math:: Q(W) = \tfrac d2 \log \lVert X - X W \rVert_F^2 + \lambda \lVert W \rVert_0

Q does not separate, but its logarithm is concave: with :math:`T` the current total of the residual
variances,

.. math:: \tfrac d2 \log T' \le \tfrac d2 \log T + \tfrac{d}{2T} (T' - T),

so least squares in units of :math:`T / d`, with the same L0 penalty, bounds the change of Q
from above. Where variables were set from outside, :math:`d` is the number of values that count over
that of the rows, and :math:`T` the sum over the rows that count for each node. Every move that pays
there pays here, and more; the units follow after each sweep. An edge that would pay by less than
the tangent's error, about :math:`\lambda^2 / d`, is not taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.kernels.l0 import moves
from toposwap.kernels.l0.partial_covariance import DEPENDENT
from toposwap.scores.densities import Densities
from toposwap.scores.l0.bound import BoundL0
from toposwap.scores.l0.fit import L0Fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.base import Score

# Units are brought up to date until the total residual variance is steady to this many digits.
_STEADY = 1e-9
_ROUNDS = 1000
# Below this share of the noise no edge to a column pays, and above it squares are numbers.
_NEGLIGIBLE = 1e-150


class BoundEqualVarianceL0(BoundL0):
    """One noise variance for all nodes, on given data."""

    def __init__(
        self, score: Score, data: Dataset, weight: float, max_parents: int | None = None
    ) -> None:
        super().__init__(score, data, False, weight, max_parents)

    def fit(self, order: Order) -> EqualVarianceL0Fit:
        """Choose every node's parents among its predecessors."""
        return EqualVarianceL0Fit(self, order)

    def solve_exactly(self, fit: OrderFit) -> bool:  # noqa: ARG002
        """The nodes share a variance, so nothing can be put together set by set."""
        return False

    def densities(self, weights: NDArray[np.float64]) -> Densities:
        """Normal distributions with the variance that all columns share."""
        return Densities.equal_variance(self.data.residual_variances(weights), self.shares)

    def total(self, variance: NDArray[np.float64]) -> float:
        """The sum of the residual variances in the units of the data.

        At least DEPENDENT of that of the columns: correlations tell no less.
        """
        squares = self.shares * self.deviations**2
        return max(float(variance @ squares), DEPENDENT * float(squares.sum()))

    def _share_left(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the variances of all columns together, (d,)."""
        squares = self.shares * self.deviations**2
        return np.full_like(variance, float(variance @ squares) / float(squares.sum()))

    def loss_of(self, variance: NDArray[np.float64]) -> float:
        """D/2 log(n T), T = :meth:`total` of the scaled residual variances (d,)."""
        return 0.5 * self.counted * float(np.log(self.data.n * self.total(variance)))

    def slope_of(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """D / T, for each column in its own units; more than nothing."""
        relative = self.deviations / np.sqrt(self.total(variance) / self.counted)
        return np.maximum(np.sqrt(self.shares) * relative, np.sqrt(_NEGLIGIBLE)) ** 2

    @property
    def counted(self) -> float:
        """D: rows that count for nodes, all together, in multiples of the rows; d where all do."""
        return float(self.shares.sum())


class EqualVarianceL0Fit(L0Fit):
    """Least squares with an L0 penalty, in units that follow the noise variance."""

    bound: BoundEqualVarianceL0

    def reorder(self, order: Order) -> None:
        """Fit ``order`` from scratch, in units that suit the result."""
        super().reorder(order)
        self._retune()

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Sweep in the current units, then bring these up to date."""
        moved = super().insertion_sweep(visits)
        if moved:
            self._retune()
        return moved

    def insert(self, variable: int, position: int) -> None:
        """Move in the current units, then bring these up to date."""
        super().insert(variable, position)
        self._retune()

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Carry out each swap and take it back."""
        before, pending = self.value, self._nodes.pending.copy()
        here = self.snapshot()
        changes = np.empty(len(pairs))
        for index, (i, j) in enumerate(pairs.tolist()):
            if not self.bound.admissible.obeys(self.order.swap(i, j)):
                changes[index] = np.inf
                continue
            self.bound.deadline.check()
            self.swap(i, j)
            changes[index] = self.value - before
            self.restore(here)
        self._nodes.pending[:] = pending
        return changes

    def improve_single_edges(self) -> int:
        """Change edges in the current units, then bring these up to date."""
        made = super().improve_single_edges()
        if made:
            self._retune()
        return made

    def refresh(self) -> None:
        """Look at all nodes again in the current units, then bring these up to date."""
        super().refresh()
        self._retune()

    def parent_sets(self, *_: Any) -> None:
        """None: the nodes share a variance."""

    def least_parents(self) -> None:
        """None: the nodes share a variance."""

    def restore(self, snapshot: Any) -> None:
        """Go back to the order and the parents, in the units of that time."""
        super().restore(snapshot)
        self._retune()

    def rebuild(self, snapshot: Any) -> None:
        """From the units of nodes without parents."""
        self._rule.unit[:] = self.bound.slope_of(np.ones(self.bound.data.d))
        super().rebuild(snapshot)

    def _retune(self) -> None:
        """Let the units and the parents settle; each round lowers Q."""
        unit = self._rule.unit
        for _ in range(_ROUNDS):
            wanted = self.bound.slope_of(self._variance)
            if not np.abs(wanted / unit - 1.0).max() > _STEADY:
                return
            unit[:] = wanted
            moves.settle_all(self._nodes, self._rule, False)
