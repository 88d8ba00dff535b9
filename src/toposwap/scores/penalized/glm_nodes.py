"""The nodes of a penalised score whose loss is a sum over rows: solved and evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER
from toposwap.kernels.penalized.glm_node import (
    MOST_STEPS,
    curvature_matrix,
    curvature_rows,
    solve_glm,
)
from toposwap.scores.penalized.gaussian_nodes import Solution
from toposwap.scores.penalized.row_losses import RowLosses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.losses import RowLoss
    from toposwap.penalties import ProximalPenalty

#: A curvature this small, relative to that of the columns themselves, has no minimum to belong to.
_FLAT = 1e-7
#: Logarithms of odds from which on a prediction counts as certain.
_CERTAIN = 12.0
#: Steps times columns squared times rows and columns between two looks at the clock.
_STAGE = 1_000_000


class GLMNodes(RowLosses):
    """Solves nodes to their KKT conditions, and evaluates them, from the rows."""

    def solve(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        start: tuple[NDArray[np.float64], float] | None,
        penalty: ProximalPenalty,
        required: NDArray[np.bool_] | None = None,
        *,
        weight: float = 1.0,
        deadline: Deadline = NEVER,
    ) -> Solution:
        """Minimise loss + weight * penalty of ``node`` from ``start``, coefficients (d,) and level.

        Coefficients of ``required`` parents (d,) bear no penalty that would hold them at zero. The
        level is the best one for the coefficients also where a solution cannot be brought further,
        or is not: after ``deadline`` the coefficients stay as they are.
        """
        d, loss, columns = self._scale.size, self._loss(node), self._of(node)
        own = self.data.d
        units = self.units[node] / self._scale
        w, b = np.zeros(d), self._first(node)
        if start is not None:
            w[:own] = np.where(allowed, start[0] / units[:own], 0.0)
            b = start[1]
        gradient, size = np.empty(d), np.empty(d)
        rho = penalty.rho()
        inner, weights = penalty.in_units(units[:own], weight, required=required)
        if self._shifted is not None:
            allowed = np.append(allowed, True)
            inner, weights = np.append(inner, 0.0), np.append(weights, 0.0)
        solved = False
        if rho.kink > 0.0 and loss.canonical and not deadline.passed:
            b, value, solved = columns.patterns.solve(
                node,
                *self._formulas[node],
                allowed,
                w,
                b,
                rho,
                inner,
                weights,
                self.tolerance,
                gradient,
                size,
            )
        progress = np.array([np.inf, np.inf, 0.0])
        stage = _STAGE // (d * d * (d + self._omega.size))
        for first, end in () if solved else deadline.stages(MOST_STEPS, stage):
            b, value, solved, over = solve_glm(
                columns.Z,
                self._omega,
                self._targets[node],
                *self._formulas[node],
                columns.deviations,
                allowed,
                w,
                b,
                rho,
                inner,
                weights,
                self.tolerance,
                gradient,
                size,
                loss.intercept,
                first,
                end,
                progress,
            )
            if over:
                break
        if not solved:
            b = self._best_constants(node, w, b)
            value, total, slope, _ = self._terms(node, w, b)
            gradient, size = columns.Z @ slope, columns.deviations * total
        free = penalty.lifted(required)
        if loss.separated is not None and (free is not None or not penalty.unbounded):
            self._refuse_separated(node, loss, w, b)
        kinks = rho.kink * inner * weights
        coefficients = (w * units)[:own]
        return Solution(coefficients, b, value, w, gradient[:own], size[:own], kinks[:own])

    def evaluate(
        self, node: int, weights: NDArray[np.float64], level: float | None
    ) -> tuple[float, NDArray[np.float64], float, float, float]:
        """Loss, gradient (d,), column scale, relative residual of the level, and the level.

        Without a level, the best one for ``weights`` (d,). The gradient is that of centred
        columns, which is the same wherever the level is stationary; without an intercept that of
        the columns as they are, and nothing is asked of the level.
        """
        loss, unit, Z = self._loss(node), float(self.units[node]), self._of(node).Z
        d, scale = self.data.d, self.data.scale
        w = np.zeros(self._scale.size)
        w[:d] = weights * scale / unit
        if level is None or not loss.intercept:
            near = self._first(node)
            near -= float(self._omega @ (w @ Z)) if loss.intercept else 0.0
            b = self._best_constants(node, w, near)
        else:
            b = self._best_constants(node, w, level, free=False)
        value, size, slope, _ = self._terms(node, w, b)
        gradient = (Z @ slope)[:d] * (scale / unit)
        rest = abs(float(slope.sum())) / size if loss.intercept else 0.0
        return value, gradient, size / unit, rest, b

    def curvature(
        self, node: int, solution: Solution, index: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rows ``index`` (k,), (k, d), and diagonal (d,) of the second derivative of the loss.

        In scaled units, with the intercept, if there is one, at its best.
        """
        *_, curvature = self._terms(node, solution.scaled, solution.level)
        d, k = self._scale.size, index.size
        asked = index if self._shifted is None else np.append(index, d - 1)
        rows, diagonal = np.empty((asked.size + 1, d)), np.empty(d)
        curvature_rows(self._of(node).Z, curvature, asked, rows, diagonal)
        found, last, total = rows[:k], rows[-1], float(curvature.sum())
        # Coefficients on their way to infinity overflow here, and are refused by whoever asks next.
        with np.errstate(over="ignore", invalid="ignore"):
            if self._loss(node).intercept:
                found, diagonal = _at_best(found, diagonal, last, total, index)
            if self._shifted is not None:
                # The indicator, and then the intercept, at their best.
                along, own = rows[k], float(diagonal[-1])
                if self._loss(node).intercept:
                    along = along - last[-1] * last / max(total, np.finfo(float).tiny)
                found, diagonal = _at_best(found, diagonal, along, own, index)
        return found[:, : self.data.d], diagonal[: self.data.d]

    def _curvature(self, node: int, w: NDArray[np.float64], b: float) -> NDArray[np.float64]:
        *_, curvature = self._terms(node, w, b)
        d = self._scale.size
        H = curvature_matrix(self._of(node).Z, curvature, np.arange(d), d)
        if not self._loss(node).intercept:
            return np.asarray(H[:-1, :-1])
        total = max(float(H[-1, -1]), np.finfo(float).tiny)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(H[:-1, :-1] - np.outer(H[-1, :-1], H[-1, :-1] / total))

    def _refuse_separated(self, node: int, loss: RowLoss, w: NDArray[np.float64], b: float) -> None:
        """Refuse coefficients that are on their way to infinity.

        Then some row's prediction is certain, and the loss flat along a combination of parents.
        """
        active, columns = np.flatnonzero(w), self._of(node)
        eta = b + w[active] @ columns.Z[active]
        if active.size == 0 or loss.extreme(eta) < _CERTAIN:
            return
        H = self._curvature(node, w, b)[np.ix_(active, active)]
        *_, alone = self._terms(node, np.zeros_like(w), self._first(node))
        spread = columns.deviations[active] * np.sqrt(alone.sum())
        relative = H / spread[:, None] / spread
        if not np.isfinite(relative).all() or np.linalg.eigvalsh(relative)[0] < _FLAT:
            raise InputError(
                f"column {self.data.names[node]!r}: its {loss.separated} are told apart perfectly "
                "by other columns, so its coefficients have no finite value; use an l1 or ridge "
                f"penalty (score='{loss.name}-l1', Penalized(loss, Ridge(0.01)))"
            )


def _at_best(
    rows: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    along: NDArray[np.float64],
    total: float,
    index: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``rows`` (k, d) and diagonal (d,) with one more coefficient at its best for all others.

    ``along`` (d,) are its mixed derivatives with the others, ``total`` its own.
    """
    total = max(total, np.finfo(float).tiny)
    rest = np.outer(along[index], along / total)
    return rows - rest, diagonal - along * along / total
