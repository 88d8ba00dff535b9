"""A loss and a penalty on given data: value, certificate and predictions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.losses import MomentLoss
from toposwap.scores.base import Point
from toposwap.scores.densities import Densities
from toposwap.scores.penalized.solved_nodes import MOST_EXACT_DELTAS, Coefficients, SolvedNodes
from toposwap.scores.predictors import LinearModel
from toposwap.scores.strategy import (
    MOST_RESTARTS,
    Strategy,
    Surrogate,
    few_restarts,
    patience,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses.base import ColumnFacts
    from toposwap.scores.base import Score


class BoundPenalized(SolvedNodes):
    """Loss + penalty on given data, for any W or W and b."""

    @cached_property
    def gradient_unit(self) -> float:
        """For least squares alone, the geometric mean of the columns' variances; else 1."""
        if not all(loss.has_units for loss in self.losses):
            return 1.0
        logs = np.log(self.data.deviations) + np.log(self.data.scale)
        return float(np.exp(2.0 * logs.mean()))

    @cached_property
    def strategy(self) -> Strategy:  # type: ignore[override]
        """Restarts where nodes or edges are chosen; BIC leads the way where it may.

        Where the loss is a likelihood, no units enter: variances say nothing about the order, and
        BIC of Gaussian columns chooses edges in microseconds.
        """
        d, sparse = self.data.d, self.penalty.selects_edges
        restarts, patient = 0, None
        if not self.penalty.convex and all(self._moments) and d <= MOST_EXACT_DELTAS:
            # Nodes have many local minima, and so have orders.
            restarts = 10
        elif sparse and not all(self._moments):
            restarts = few_restarts(d)
            if np.isinf(self.penalty.threshold):
                restarts, patient = MOST_RESTARTS, patience(self.data.n, d)
        free_of_units = not any(loss.has_units for loss in self.losses)
        bic = free_of_units and sparse and self.data.n > d
        return Strategy(
            start="correlation" if free_of_units and all(self._moments) else "variance",
            restarts=restarts,
            patience=patient,
            surrogates=(Surrogate(self._bic()),) if bic else (),
        )

    @staticmethod
    def _bic() -> Score:
        from toposwap.scores.penalized.score import Penalized

        return Penalized("gaussian", "bic")

    def evaluate(self, parameters: NDArray[np.float64] | Coefficients) -> Point:
        """Q and the distance of zero from its subdifferential, at W or at W and b.

        Without intercepts they are the best ones for W; those of Gaussian columns always are.
        """
        W, _, losses, gradient, size, rest = self._derivatives(parameters)
        shares = self.data.shares
        losses, gradient, size = losses * shares, gradient * shares, size * shares
        loss, gradient, size = self._pooled(losses, gradient, size)
        required = self.admissible.required
        present = np.abs(gradient + self.penalty.slope(W))
        if np.isinf(self.penalty.threshold):
            absent = np.zeros_like(gradient)
        else:
            absent = np.maximum(np.abs(gradient) - self.penalty.threshold, 0.0)
        distance = np.where(W != 0.0, present, absent)
        if required is not None and self.penalty.threshold > 0.0:
            distance = np.where(required, np.abs(gradient), distance)
        np.fill_diagonal(distance, 0.0)
        penalty = self.penalty.total(W, required)
        return Point(
            weights=W,
            value=loss + penalty,
            penalty=penalty,
            gradient=distance,
            row_scale=self.data.deviations * self.data.scale,
            column_scale=size,
            rest=rest,
            relative=self._relative(distance, size),
        )

    def _relative(
        self, distance: NDArray[np.float64], size: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """``distance`` (d, d) over the size of the columns in the rows of each node.

        None where all nodes have the same rows.
        """
        if self.data.interventions is None:
            return None
        relative = distance.copy()
        for group in self.data.own_rows:
            spread = group.moments.deviations * self.data.scale
            for j in group.nodes:
                unit = spread * size[j]
                np.divide(distance[:, j], unit, out=relative[:, j], where=distance[:, j] != 0.0)
        return relative

    def _pooled(
        self,
        losses: NDArray[np.float64],
        gradient: NDArray[np.float64],
        size: NDArray[np.float64],
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """The loss of all columns, its gradient (d, d) and column scales (d,)."""
        return float(losses.sum()), gradient, size

    def weights(self, parameters: NDArray[np.float64] | Coefficients) -> NDArray[np.float64]:
        """W (d, d), with or without the intercepts."""
        return parameters.weights if isinstance(parameters, Coefficients) else parameters

    def predictor(self, parameters: NDArray[np.float64] | Coefficients) -> LinearModel:
        """The mean of each column by its loss."""
        W, b, *_ = self._derivatives(parameters)
        return LinearModel(W, b, self.densities(W, b), None if all(self._moments) else self.losses)

    def densities(self, weights: NDArray[np.float64], intercepts: NDArray[np.float64]) -> Densities:
        """The distribution of each column by its loss."""
        if all(self._moments):
            return Densities.of_moments(self.losses, self.data.residual_variances(weights))
        data = self.data
        assert data.rows is not None
        units = np.array([1.0 if of is None else of.units[j] for j, of in enumerate(self._glm)])
        facts: list[ColumnFacts] = [None] * data.d  # type: ignore[list-item]
        for group in data.own_rows:
            rows = data.rows[group.unset]
            counts = None if data.row_weights is None else data.row_weights[group.unset]
            found = Densities.of_rows(self.losses, rows, rows @ weights + intercepts, counts, units)
            for j in group.nodes:
                facts[j] = found.facts[j]
        return Densities(self.losses, facts)

    def intercepts(self, parameters: NDArray[np.float64] | Coefficients) -> NDArray[np.float64]:
        """The intercepts, (d,): as given, or the best ones for W."""
        return self._derivatives(parameters)[1]

    def _derivatives(
        self, parameters: NDArray[np.float64] | Coefficients
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        float,
    ]:
        """W, b, losses (d,), their gradients (d, d), column scales (d,), residual of b."""
        given = isinstance(parameters, Coefficients)
        W: NDArray[np.float64] = parameters.weights if given else parameters  # type: ignore[union-attr, assignment]
        d = self.data.d
        levels, losses, size, gradient = np.zeros(d), np.empty(d), np.empty(d), np.empty((d, d))
        worst = 0.0
        for j, loss in enumerate(self.losses):
            if isinstance(loss, MomentLoss):
                losses[j], gradient[:, j], size[j] = self._gaussian[j].evaluate(j, W[:, j], loss)
            else:
                level = self._given_level(parameters, j) if given else None  # type: ignore[arg-type]
                losses[j], gradient[:, j], size[j], rest, levels[j] = self._rows_of(j).evaluate(
                    j, W[:, j], level
                )
                worst = max(worst, rest)
        return W, self._intercepts(W, levels), losses, gradient, size, worst

    def _given_level(self, parameters: Coefficients, node: int) -> float:
        if parameters.levels is not None:
            return float(parameters.levels[node])
        return self._rows_of(node).level(
            node, parameters.weights[:, node], float(parameters.intercepts[node])
        )
