r"""Least squares where variables were set from outside: a factor pair for each group of rows.

.. math:: Q(W) = \sum_j \Bigl( \frac{1}{2n} \sum_{r \in S_j} (x_{rj} - x_r w_j)^2
          + \frac{\lambda}{2} \lVert w_j \rVert^2 \Bigr),

with the rows :math:`S_j` that count for node j. Nodes that share their rows are a group, and a
group's part of Q is least squares on its rows with costs that are zero for all other nodes. So
values, deltas and solutions are sums over the factor pairs of the groups, each exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.orderfit.base import OrderFit
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.scores.base import Point
from toposwap.scores.densities import Densities
from toposwap.scores.least_squares.score import BoundLeastSquares, LeastSquares
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.core.tables.own_rows import OwnRows


class _Part(BoundLeastSquares):
    """The nodes of one group; what others cost is not counted."""

    def __init__(self, score: LeastSquares, group: OwnRows) -> None:
        super().__init__(LeastSquares(score.ridge / group.share), group.moments)
        self.nodes, self.share = group.nodes, group.share
        counted = np.zeros(self.data.d)
        counted[group.nodes] = group.share
        self.cost = self.cost * counted
        self._ridge = score.ridge

    def value_of(self, residual_variance: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
        """Of the nodes of the group alone."""
        half = 0.5 * float(cost @ residual_variance) * self.unit * self.unit
        return half - 0.5 * self._ridge * self.nodes.size

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Regress the column on those that are allowed; nodes of other groups are worth nothing."""
        fit = super().fit_node(node, allowed, warm)
        inside = node in self.nodes
        value = fit.value + 0.5 * (self.score.ridge - self._ridge) if inside else 0.0
        return NodeFit(value, fit.parameters, support=fit.support)

    def within(self, told: Admissible) -> Self:
        """Under what is known about the nodes of the group; what others may do does not matter."""
        if told.parents is None:
            return self.under(Admissible(before=told.before))
        parents = np.ones_like(told.parents)
        parents[:, self.nodes] = told.parents[:, self.nodes]
        return self.under(Admissible(parents, told.before))


class BoundOwnRows(SeparableScore):
    """Least squares on given data with interventions."""

    score: LeastSquares

    def __init__(self, score: LeastSquares, data: Dataset) -> None:
        self.score = score
        self.data = data
        # Nodes that were set in all rows have none.
        self.parts = [_Part(score, group) for group in data.own_rows if group.share > 0.0]
        self._part_of = {int(j): part for part in self.parts for j in part.nodes}

    @property
    def gradient_unit(self) -> float:
        """The geometric mean over the groups."""
        logs = [np.log(part.gradient_unit) * part.nodes.size for part in self.parts]
        return float(np.exp(sum(logs) / sum(part.nodes.size for part in self.parts)))

    def fit(self, order: Order) -> OwnRowsFit:  # type: ignore[override]
        """A factor pair for each group."""
        return OwnRowsFit(self, order)

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Regress the column on those that are allowed, over its rows."""
        part = self._part_of.get(node)
        if part is None:
            nothing = np.zeros(self.data.d)
            return NodeFit(0.0, nothing, support=nothing != 0.0)
        return part.fit_node(node, allowed, warm)

    def assemble(self, nodes: list[NodeFit]) -> NDArray[np.float64]:
        """W (d, d): column j holds the coefficients of node j."""
        return np.column_stack([node.parameters for node in nodes])

    def weights(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the parameters themselves."""
        return parameters

    def predictor(self, parameters: NDArray[np.float64]) -> LinearModel:
        """X W with intercepts that lead through the means of each node's rows, (m, d)."""
        intercepts = self.data.intercepts(parameters)
        return LinearModel(parameters, intercepts, Densities.squares(self.data.d))

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        """Q and its gradient, each column from the rows that count for it."""
        d, weights = self.data.d, parameters
        gradient, relative = np.zeros((d, d)), np.zeros((d, d))
        column_scale = np.zeros(d)
        for part in self.parts:
            point, nodes = part.evaluate(weights), part.nodes
            unit = np.outer(point.row_scale, point.column_scale[nodes])
            gradient[:, nodes] = part.share * point.gradient[:, nodes]
            relative[:, nodes] = point.gradient[:, nodes] / unit
            column_scale[nodes] = part.share * point.column_scale[nodes]
        # Weights between columns of extreme sizes have squares that are no numbers.
        ridge = self.score.ridge
        penalty = 0.5 * ridge * float(np.sum(weights**2)) if ridge > 0.0 else 0.0
        squares = self.data.shares @ self.data.residual_variances(weights)
        return Point(
            weights=weights,
            value=0.5 * float(squares) + penalty,
            penalty=penalty,
            gradient=gradient,
            row_scale=self.data.deviations * self.data.scale,
            column_scale=column_scale,
            relative=relative,
        )


class OwnRowsFit(OrderFit):
    """The fits of all groups, at one order."""

    bound: BoundOwnRows

    def __init__(self, bound: BoundOwnRows, order: Order) -> None:
        self.bound = bound
        self._fits = [part.within(bound.admissible).fit(order) for part in bound.parts]
        for fit in self._fits:
            fit.bound.deadline = bound.deadline

    @property
    def order(self) -> Order:  # type: ignore[override]
        """Where all of them stand."""
        return self._fits[0].order

    @property
    def value(self) -> float:  # type: ignore[override]
        """The sum over the groups."""
        return sum(fit.value for fit in self._fits)

    @property
    def resolution(self) -> float:
        """A few digits above the rounding error of the sum."""
        return 1e-12 * self.value

    def delta(self, order: Order) -> float:
        """The sum over the groups."""
        return sum(fit.delta(order) for fit in self._fits)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """The sum over the groups, (d,)."""
        self.bound.deadline.check()
        return np.sum([fit.insertion_profile(variable) for fit in self._fits], axis=0)

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The sum over the groups, (m,)."""
        return np.sum([fit.swap_changes(pairs) for fit in self._fits], axis=0)

    def swap_candidates(self) -> NDArray[np.int64]:
        """Those of the group that has fewest."""
        return min((fit.swap_candidates() for fit in self._fits), key=len)

    def reorder(self, order: Order) -> None:
        """Each group."""
        for fit in self._fits:
            fit.reorder(order)

    def insert(self, variable: int, position: int) -> None:
        """In each group."""
        for fit in self._fits:
            fit.insert(variable, position)

    def swap(self, i: int, j: int) -> None:
        """In each group."""
        for fit in self._fits:
            fit.swap(i, j)

    def refresh(self) -> None:
        """Each group."""
        for fit in self._fits:
            fit.refresh()

    def parameters(self) -> NDArray[np.float64]:
        """W (d, d), each column from the group of its node."""
        weights = np.zeros((self.bound.data.d, self.bound.data.d))
        for fit, part in zip(self._fits, self.bound.parts, strict=True):
            weights[:, part.nodes] = fit.parameters()[:, part.nodes]
        return weights

    def point(self) -> Point:
        """Q and its derivatives at :meth:`parameters`."""
        return self.bound.evaluate(self.parameters())

    def copy_from(self, other: Self) -> None:
        """A copy of each group's fit; what is known and the data are shared."""
        self.bound = other.bound
        self._fits = [fit.copy() for fit in other._fits]

    def state(self) -> list[Any]:
        """Of each group's fit."""
        return [(type(fit), fit.state()) for fit in self._fits]

    @classmethod
    def resumed(cls, bound: BoundOwnRows, state: list[Any]) -> Self:  # type: ignore[override]
        """Each group's fit on its own rows."""
        fit = object.__new__(cls)
        fit.bound = bound
        fit._fits = []
        for part, (kind, kept) in zip(bound.parts, state, strict=True):
            within = part.within(bound.admissible)
            within.deadline = bound.deadline
            fit._fits.append(kind.resumed(within, kept))
        return fit

    def restore(self, snapshot: Any) -> None:
        """Each group, also where a move was cut in two."""
        self.reorder(snapshot)
