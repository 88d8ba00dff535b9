r"""The nodes of a penalised score whose loss is logistic or Poisson.

Columns are centred and divided by powers of two, :math:`z_u = (x_u - \bar x_u) / D_u`, so
:math:`\tilde w_u = w_u D_u` exactly and the intercept belongs to the mean of the table. Rows that
occur several times are kept once, with a weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.penalized.glm_node import LOGISTIC, POISSON, loss_terms, solve_glm
from toposwap.losses import LogisticLoss
from toposwap.losses.base import rows_of
from toposwap.losses.logistic import zeros_and_ones
from toposwap.scores.penalized.binary_patterns import PatternSolver
from toposwap.scores.penalized.gaussian_nodes import Solution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses import ColumnLoss
    from toposwap.penalties import Shape

KINDS = {"logistic": LOGISTIC, "poisson": POISSON}
#: A curvature this small, relative to that of the columns themselves, has no minimum to belong to.
_FLAT = 1e-7


class GLMNodes:
    """Solves and evaluates nodes from the rows.

    Parameters
    ----------
    data
        With its rows.
    losses
        The loss of each column.
    tolerance
        The relative residual to solve nodes to.
    """

    def __init__(self, data: Dataset, losses: Sequence[ColumnLoss], tolerance: float) -> None:
        self.data = data
        self.tolerance = tolerance
        rows, counts = _distinct(rows_of(data, "logistic or Poisson"))
        self._omega = counts / counts.sum()
        columns = np.ascontiguousarray(rows.T)
        self._targets = columns.copy()
        for j, loss in enumerate(losses):
            if isinstance(loss, LogisticLoss):
                self._targets[j] = zeros_and_ones(columns[j])
        self._mean = columns @ self._omega
        self._scale = data.scale
        self._Z = (columns - self._mean[:, None]) / self._scale[:, None]
        self._deviations = np.sqrt(np.square(self._Z) @ self._omega)
        self._patterns = PatternSolver(
            self._Z,
            self._omega,
            columns,
            self._targets,
            self._mean,
            self._scale,
            self._deviations,
        )

    @property
    def row_scale(self) -> NDArray[np.float64]:
        """Standard deviations in the units of the data, (d,)."""
        return self._deviations * self._scale

    def solve(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        start: tuple[NDArray[np.float64], float] | None,
        shape: Shape,
        kind: int,
    ) -> Solution:
        """Minimise loss + penalty of ``node`` from ``start``, coefficients (d,) and intercept."""
        d = self.data.d
        if start is None:
            w, b = np.zeros(d), self._empty_intercept(node, kind)
        else:
            w = np.where(allowed, start[0] * self._scale, 0.0)
            b = start[1] + float(self._mean @ start[0])
        gradient, size = np.empty(d), np.empty(d)
        kinks = shape.kink / self._scale
        bends, ridges = shape.concavity / self._scale**2, shape.ridge / self._scale**2
        solved = False
        if shape.kink > 0.0:
            b, loss, solved = self._patterns.solve(
                node, kind, allowed, w, b, kinks, bends, ridges, self.tolerance, gradient, size
            )
        if not solved:
            b, loss, _ = solve_glm(
                self._Z,
                self._omega,
                self._targets[node],
                kind,
                self._deviations,
                allowed,
                w,
                b,
                kinks,
                bends,
                ridges,
                self.tolerance,
                gradient,
                size,
            )
        # A ridge, or a kink that never fades, keeps coefficients finite.
        if shape.ridge == 0.0 and (shape.kink == 0.0 or shape.concavity > 0.0):
            self._refuse_separated(node, w, b, kind)
        weights = w / self._scale
        return Solution(weights, b - float(self._mean @ weights), loss, w, gradient, size, kinks)

    def evaluate(
        self, node: int, weights: NDArray[np.float64], intercept: float | None, kind: int
    ) -> tuple[float, NDArray[np.float64], float, float, float]:
        """Loss, gradient (d,), column scale, relative residual of the intercept, and the intercept.

        Without an intercept, the best one for ``weights`` (d,). The gradient is that of centred
        columns, which is the same wherever the intercept is stationary.
        """
        y = self._targets[node]
        w = weights * self._scale
        if intercept is None:
            nothing = np.zeros(w.size)
            b, _, _ = solve_glm(
                self._Z,
                self._omega,
                y,
                kind,
                self._deviations,
                np.zeros(w.size, dtype=bool),
                w,
                self._empty_intercept(node, kind) - float(self._omega @ (w @ self._Z)),
                nothing,
                nothing,
                nothing,
                self.tolerance,
                np.empty(w.size),
                np.empty(w.size),
            )
        else:
            b = intercept + float(self._mean @ weights)
        residual, curvature = np.empty(y.size), np.empty(y.size)
        loss, squares = loss_terms(self._Z, self._omega, y, kind, w, b, residual, curvature)
        size = float(np.sqrt(squares) + np.sqrt(self._omega @ np.square(y)))
        gradient = (self._Z @ residual) * self._scale
        rest = abs(float(residual.sum())) / size
        return loss, gradient, size, rest, b - float(self._mean @ weights)

    def curvature(self, node: int, solution: Solution, kind: int) -> NDArray[np.float64]:
        """Second derivative of the loss in scaled units with the intercept at its best, (d, d)."""
        b = solution.intercept + float(self._mean @ solution.weights)
        return self._curvature(node, solution.scaled, b, kind)

    def _curvature(
        self, node: int, w: NDArray[np.float64], b: float, kind: int
    ) -> NDArray[np.float64]:
        y = self._targets[node]
        residual, curvature = np.empty(y.size), np.empty(y.size)
        loss_terms(self._Z, self._omega, y, kind, w, b, residual, curvature)
        along = self._Z @ curvature
        total = max(float(curvature.sum()), np.finfo(float).tiny)
        return (self._Z * curvature) @ self._Z.T - np.outer(along, along) / total

    def _empty_intercept(self, node: int, kind: int) -> float:
        mean = float(self._targets[node] @ self._omega)
        return float(np.log(mean / (1.0 - mean)) if kind == LOGISTIC else np.log(mean))

    def _refuse_separated(self, node: int, w: NDArray[np.float64], b: float, kind: int) -> None:
        """Refuse coefficients that are on their way to infinity.

        Then some row's prediction is certain, and the loss flat along a combination of parents.
        """
        active = np.flatnonzero(w)
        eta = b + w[active] @ self._Z[active]
        certain = np.abs(eta).max() if kind == LOGISTIC else -eta.min()
        if certain < 12.0 or active.size == 0:
            return
        H = self._curvature(node, w, b, kind)[np.ix_(active, active)]
        spread = self._deviations[active] * np.sqrt(self._mean_curvature(node, kind))
        relative = np.linalg.eigvalsh(H / spread[:, None] / spread)
        if relative[0] < _FLAT:
            names = self.data.names
            what = "classes" if kind == LOGISTIC else "zeros"
            raise InputError(
                f"column {names[node]!r}: its {what} are told apart perfectly by other columns, so "
                "its coefficients have no finite value; use an l1 or ridge penalty "
                "(score='logistic-l1', 'poisson-l1', Penalized(loss, Ridge(0.01)))"
            )

    def _mean_curvature(self, node: int, kind: int) -> float:
        mean = float(self._targets[node] @ self._omega)
        return mean * (1.0 - mean) if kind == LOGISTIC else mean


def _distinct(
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows (m, d) and how often each occurs (m,); as they are where few occur twice."""
    n = rows.shape[0]
    if (rows == np.floor(rows)).all():
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        if len(distinct) < 0.8 * n:
            return distinct, counts.astype(float)
    return rows, np.ones(n)
