r"""Gaussian scores with an L0 penalty: which edges there are is part of the solution.

.. math:: Q(W) = \tfrac12 \sum_j \log \lVert x_j - X w_j \rVert^2 + \lambda \lVert W \rVert_0
          \qquad\text{or}\qquad
          Q(W) = \tfrac{1}{2n} \lVert X - X W \rVert_F^2 + \lambda \lVert W \rVert_0

With :math:`\lambda = \text{factor} \log n / 2n` the first is the Bayesian information criterion:
:math:`2 n Q = \sum_j n \log \lVert x_j - X w_j \rVert^2 + \text{factor} \log n \cdot \text{edges}`.
Where variables were set from outside, the sums of node j are over its own :math:`n_j` rows: its
part of Q is :math:`\tfrac{n_j}{n}` times the loss over them. For an order each node has parents
among its predecessors such that no single addition or removal lowers Q; see
:mod:`~toposwap.kernels.l0.node` and :mod:`~toposwap.kernels.l0.insertion_deltas`.

A residual variance below :math:`10^{-8}` of the column's own counts as that: correlations tell no
less, and where other columns determine one exactly the likelihood has no bound.

Memory is a few numbers for each pair of columns, however many parents there may be.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.parents_at_once import parents_at_once
from toposwap.core.runtime.memory import refuse_beyond_memory
from toposwap.kernels.l0.partial_covariance import DEPENDENT
from toposwap.scores.base import BoundScore, Point, Score
from toposwap.scores.densities import Densities
from toposwap.scores.dependence import determined_remarks
from toposwap.scores.l0.fit import L0Fit
from toposwap.scores.predictors import LinearModel
from toposwap.scores.strategy import Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit


#: Numbers that are held for each pair of columns, besides correlations.
_PAIRS = 8
#: What counts of a node that was set in all rows: nothing, where that could divide.
_NEXT_TO_NOTHING = 1e-150


def checked_max_parents(most: object) -> int | None:
    """Return ``most`` if it is None or a whole number of at least 1."""
    if most is None:
        return None
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise InputError(f"max_parents: must be a whole number >= 1, got {most!r}")
    return int(most)


class BoundL0(BoundScore):
    """A Gaussian loss with an L0 penalty, on given data.

    Parameters
    ----------
    score, data
        What is bound to what.
    logarithmic
        The likelihood (True) or least squares (False).
    weight
        lambda.
    max_parents
        The most parents a node may have; by default what memory and sense allow.
    """

    def __init__(
        self,
        score: Score,
        data: Dataset,
        logarithmic: bool,
        weight: float,
        max_parents: int | None = None,
    ) -> None:
        self.score = score
        self.data = data
        self.logarithmic = logarithmic
        self.weight = weight
        self.strategy = Strategy(
            # Variances say nothing about a score that no units enter.
            start="correlation" if logarithmic else "variance",
            search="chains",
            restarts=20,
            # Two chains from the first optimum, another start, and two from there.
            resample_restarts=61,
        )
        groups = data.own_rows
        #: Rows of the node that has fewest.
        self.fewest_rows = min(group.moments.n for group in groups)
        # More parents than rows can tell apart are never needed, and few nodes have dozens.
        most = min(data.d - 1, self.fewest_rows - 2, 50)
        self.max_parents = max(1, most if max_parents is None else min(max_parents, data.d - 1))
        refuse_beyond_memory(
            8.0 * data.d * data.d * (_PAIRS + len(groups)),
            f"{data.d} columns",
            "give fewer columns",
        )
        #: Of node j over its rows, (d,), and of every column i over the rows of j, [i, j] (d, d).
        self.deviations, self.spread = np.empty(data.d), np.empty((1, 1))
        if len(groups) > 1:
            self.spread = np.empty((data.d, data.d))
        #: What counts of a node, (d,); more than nothing, for the sake of quotients.
        self.shares = np.maximum(data.shares, _NEXT_TO_NOTHING)
        self.rows = np.empty(data.d)
        #: Correlations over the rows of each group, (g, d, d), and the group of each node, (d,).
        self.correlation = np.empty((len(groups), data.d, data.d))
        self.own = np.empty(data.d, dtype=np.int64)
        for k, group in enumerate(groups):
            moments, nodes = group.moments, group.nodes
            # Of few rows the factor has no more.
            unit = moments.factor[: min(moments.n, data.d)] / moments.deviations
            self.correlation[k] = unit.T @ unit
            np.fill_diagonal(self.correlation[k], 1.0)
            spread = moments.deviations * data.scale
            self.deviations[nodes] = spread[nodes]
            if len(groups) > 1:
                self.spread[:, nodes] = spread[:, None]
            else:
                # The same for all nodes, without a number for each pair.
                self.spread = np.broadcast_to(spread[:, None], (data.d, data.d))
            self.own[nodes], self.rows[nodes] = k, moments.n

    def fit(self, order: Order) -> L0Fit:
        """Choose every node's parents among its predecessors."""
        return L0Fit(self, order)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Dynamic programming over sets of variables; see :mod:`toposwap.kernels.l0.exact`."""
        assert isinstance(fit, L0Fit)
        fit.take_exact_solution()
        return True

    def loss_of(self, variance: NDArray[np.float64]) -> float:
        """The loss for residual variances (d,) of the columns scaled to unit variance."""
        if self.logarithmic:
            logs = np.log(np.maximum(variance, DEPENDENT)) + self._sizes
            return 0.5 * float(np.sum(self.shares * logs))
        return 0.5 * float(np.sum(self.shares * variance * self.deviations**2))

    @cached_property
    def _sizes(self) -> NDArray[np.float64]:
        """Logarithms of the columns' sums of squares, (d,)."""
        return np.log(self.deviations) * 2.0 + np.log(self.rows)

    def slope_of(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Twice the derivative of the loss by each residual variance, (d,)."""
        if self.logarithmic:
            return self.shares / np.maximum(variance, DEPENDENT)
        return self.shares * self.deviations**2

    def weights(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the parameters themselves."""
        return parameters

    def predictor(self, parameters: NDArray[np.float64]) -> LinearModel:
        """X W with intercepts that lead through the means, (m, d)."""
        intercepts = self.data.intercepts(parameters)
        return LinearModel(parameters, intercepts, self.densities(parameters))

    def densities(self, weights: NDArray[np.float64]) -> Densities:
        """A normal distribution for each column where the loss is a likelihood."""
        if self.logarithmic:
            return Densities.normal(self.data.residual_variances(weights))
        return Densities.squares(self.data.d)

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        """Q and its gradient on the edges there are; an absent edge would cost lambda at once."""
        weights, d = parameters, self.data.d
        present = weights != 0.0
        if self.admissible.required is not None:
            present |= self.admissible.required
        penalty = self.weight * int(present.sum())
        np.fill_diagonal(present, False)
        variance, column_scale = np.empty(d), np.ones(d)
        slope = np.zeros((d, d))
        for group in self.data.own_rows:
            for nodes, used in parents_at_once(present, group.nodes):
                F = group.moments.factor[:, used] / group.moments.deviations[used]
                at = np.ix_(used, nodes)
                scaled = weights[at] * self.spread[at] / self.deviations[nodes]
                residual = F @ ((used[:, None] == nodes) - scaled)
                variance[nodes] = np.einsum("ij,ij->j", residual, residual)
                column_scale[nodes] += np.abs(scaled).sum(axis=0)
                slope[at] = np.where(present[at], np.abs(F.T @ residual), 0.0)
        size = self.slope_of(variance)
        relative = slope / column_scale if len(self.correlation) > 1 else None
        # In this order no product leaves the range of numbers in units of 1e-150 to 1e150.
        slope *= size / self.deviations
        slope *= self.spread
        return Point(
            weights=weights,
            value=self.loss_of(variance) + penalty,
            penalty=penalty,
            gradient=slope,
            row_scale=self.data.deviations * self.data.scale,
            column_scale=column_scale * size / self.deviations,
            relative=relative,
            remarks=determined_remarks(self.data, self._share_left(variance), DEPENDENT),
        )

    def _share_left(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Residual variances (d,) that count as DEPENDENT where they are less, one where not."""
        return variance if self.logarithmic else np.ones_like(variance)
