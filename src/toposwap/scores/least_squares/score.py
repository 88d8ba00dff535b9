r"""Linear least squares: every delta exact, from the triangular factor.

.. math:: Q(W) = \frac{1}{2n} \lVert X - X W \rVert_F^2 + \frac{\lambda}{2} \lVert W \rVert_F^2,
          \qquad X \in \mathbb R^{n \times d} \text{ (centred)},\; W \in \mathbb R^{d \times d}.

With the columns in an order :math:`\pi` and :math:`X_\pi / \sqrt n = Q R`,

.. math:: Q(\pi) = \tfrac12 \sum_k R_{kk}^2, \qquad I - W = R^{-1} \operatorname{diag}(R), \qquad
          \nabla Q = -R^\top \operatorname{diag}(R),

so value, solution and gradient are read off the factor pair of
:mod:`~toposwap.kernels.least_squares.factor_pair` without solving anything. A ridge adds
:math:`\lambda I` to the covariance: rows :math:`\sqrt\lambda\, e_i` appended to the data raise
each node's residual by the constant :math:`\lambda / 2`, which is taken off again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.linalg import blas

from toposwap.core.admissible import Admissible
from toposwap.core.errors import InputError
from toposwap.core.factor import power_of_two, retriangularise
from toposwap.core.order import Order
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.kernels.least_squares import exact
from toposwap.orderfit.exact import go_to
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.scores.base import Point, Score
from toposwap.scores.densities import Densities
from toposwap.scores.dependence import refuse_dependent
from toposwap.scores.least_squares.fit import LeastSquaresFit
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.least_squares.own_rows import BoundOwnRows

# Below this relative residual rotations lose so many digits of the inverse in one sweep that it is
# computed afresh after each.
_DELICATE = 1e-5


class LeastSquares(Score):
    r"""Q(W) = 1/(2n) ||X - XW||_F^2 + ridge/2 ||W||_F^2, convex and separable.

    Right when all noise variances are equal and the units of the columns are meaningful: scaling a
    column changes the answer.

    Parameters
    ----------
    ridge
        Weight of the squared coefficients, in squared units of the data. Needed when there are no
        more rows than columns.
    """

    weighs_rows: ClassVar[bool] = True
    of_moments: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True
    name: ClassVar[str] = "least-squares"
    convex: ClassVar[bool] = True
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False
    scale_dependent: ClassVar[bool] = True

    def __init__(self, ridge: float = 0.0) -> None:
        self.ridge = ridge

    def bind(self, data: Dataset) -> BoundLeastSquares | BoundOwnRows:
        """Refuse dependent columns, unless the ridge takes care of them."""
        number = isinstance(self.ridge, int | float | np.number) and not isinstance(
            self.ridge, bool
        )
        if not (number and 0.0 <= self.ridge < np.inf):
            raise InputError(f"ridge: must be a number >= 0, got {self.ridge!r}")
        n = min(group.moments.n for group in data.own_rows)
        if self.ridge == 0.0 and n <= data.d:
            raise InputError(
                f"{n} rows are too few for least squares on {data.d} columns "
                f"(n_samples={n} must be larger). Use a ridge (score=LeastSquares(ridge=0.1), "
                "--ridge 0.1), fewer columns, or more rows"
            )
        if data.interventions is not None:
            from toposwap.scores.least_squares.own_rows import BoundOwnRows

            return BoundOwnRows(self, data)
        return BoundLeastSquares(self, data)

    def with_l0(self) -> Score:
        """The likelihood of one variance for all columns: squares alone have no such penalty."""
        from toposwap.scores.penalized.score import Penalized

        return Penalized("equal-variance", "bic")


class BoundLeastSquares(SeparableScore):
    """Least squares on given data, through the factor of the (augmented) data.

    The algebra of the factor has every predecessor as a parent, or all but a few; where many edges
    to a node are ruled out, nodes are solved one by one.
    """

    def __init__(self, score: LeastSquares, data: Dataset) -> None:
        self.score: LeastSquares = score
        self.data = data
        factor, scale = _augmented(data, score.ridge)
        self.deviations = np.sqrt(np.einsum("ij,ij->j", factor, factor))
        residuals = refuse_dependent(
            data,
            factor,
            # The ridge's rows are exact, so only the data themselves are known to so many digits.
            data.rounding if score.ridge == 0.0 else np.zeros(data.d),
            "use a ridge (score=LeastSquares(ridge=...), --ridge)",
        )
        self.factor = factor
        self.scale = scale
        # Deltas are computed in units of the largest column, where nothing overflows.
        self.unit = float(scale.max())
        self.cost = (scale / self.unit) ** 2
        self.delicate = bool(residuals.min() < _DELICATE)

    @cached_property
    def gradient_unit(self) -> float:
        """The geometric mean of the residual variances, which no order changes: det(C)^(1/d)."""
        logs = np.log(np.abs(np.diag(self.factor))) + np.log(self.scale)
        return float(np.exp(2.0 * logs.mean()))

    def fit(self, order: Order) -> OrderFit:  # type: ignore[override]
        """A factor pair where nodes do without no or few predecessors, else node by node."""
        from toposwap.scores.least_squares.masked_fit import (
            MOST,
            MaskedLeastSquaresFit,
            banned_parents,
        )

        if self.admissible.only_orders:
            return LeastSquaresFit(self, order)
        banned = banned_parents(self.admissible, self.data.d)
        if banned.sum(axis=1).max() <= MOST:
            return MaskedLeastSquaresFit(self, order)
        return super().fit(order)

    def relaxed(self) -> BoundLeastSquares | None:
        """With every predecessor as a parent, where single ones are ruled out."""
        told = self.admissible
        return None if told.only_orders else self.under(Admissible(before=told.before))

    def fit_node(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        warm: NodeFit | None,  # noqa: ARG002 - there is one solution
    ) -> NodeFit:
        """Regress the column on those that are allowed."""
        scaled = np.zeros(self.data.d)
        chosen = self.factor[:, allowed]
        scaled[allowed] = np.linalg.lstsq(chosen, self.factor[:, node], rcond=None)[0]
        residual = self.factor[:, node] - self.factor @ scaled
        variance = float(residual @ residual) * float(self.cost[node]) * self.unit * self.unit
        weights = scaled * (self.scale[node] / self.scale)
        return NodeFit(0.5 * variance - 0.5 * self.score.ridge, weights, support=weights != 0.0)

    def assemble(self, nodes: list[NodeFit]) -> NDArray[np.float64]:
        """W (d, d): column j holds the coefficients of node j."""
        return np.column_stack([node.parameters for node in nodes])

    def predictor(self, parameters: NDArray[np.float64]) -> LinearModel:
        """X W with intercepts that lead through the means, (m, d)."""
        intercepts = self.data.intercepts(parameters)
        return LinearModel(parameters, intercepts, Densities.squares(self.data.d))

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Dynamic programming over sets of variables, O(2^d d^2) time and 9 * 2^d bytes."""
        if not self.admissible.only_orders:
            return super().solve_exactly(fit)
        before = precedence_table(self.admissible.before)
        go_to(fit, Order(exact.exact_order(self.factor.T.copy(), self.cost, before)))
        return True

    def weights(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the parameters themselves."""
        return parameters

    def value_of(self, residual_variance: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
        """1/2 sum_v cost_v var_v in the units of the data, less what the ridge's rows add."""
        half = 0.5 * float(cost @ residual_variance) * self.unit * self.unit
        return half - 0.5 * self.score.ridge * self.data.d

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        r"""Q, :math:`-R_0^\top R_0 (I - W)` off the diagonal, and what rounding is relative to."""
        weights = parameters
        d = self.data.d
        # Scaled coefficients have the size of correlations whatever the units are.
        with np.errstate(over="ignore", under="ignore"):
            scaled = weights * self.scale[:, None]
            scaled /= self.scale
        column_scale = self.deviations + self.deviations @ np.abs(scaled)
        np.negative(scaled, out=scaled)
        scaled[np.diag_indices(d)] += 1.0
        residual = blas.dtrmm(1.0, self.factor, scaled)
        variance = np.einsum("ij,ij->j", residual, residual)
        gradient = blas.dtrmm(1.0, self.factor, residual, trans_a=1, overwrite_b=1)
        gradient = np.abs(np.ascontiguousarray(gradient), out=scaled)
        np.fill_diagonal(gradient, 0.0)
        gradient *= self.scale[:, None]
        gradient *= self.scale
        value, penalty = self.value_of(variance, self.cost), 0.0
        residual_variances = variance * self.scale**2 if self.score.ridge == 0.0 else None
        if self.score.ridge > 0.0:
            # What the ridge's rows add may be all that the digits of their sum tell.
            penalty = 0.5 * self.score.ridge * float(np.sum(weights**2))
            value = 0.5 * float(self.data.residual_variances(weights).sum()) + penalty
        return Point(
            weights=weights,
            value=value,
            penalty=penalty,
            gradient=gradient,
            row_scale=self.deviations * self.scale,
            column_scale=column_scale * self.scale,
            residual_variances=residual_variances,
        )


def _augmented(data: Dataset, ridge: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Factor and scale of the data with the rows sqrt(ridge) e_i appended."""
    if ridge == 0.0:
        return data.factor, data.scale
    root = np.sqrt(ridge)
    scale = power_of_two(np.hypot(data.deviations * data.scale, root))
    stacked = np.vstack([data.factor * (data.scale / scale), np.diag(root / scale)])
    return retriangularise(stacked), scale
