r"""Losses that are sums over rows: the columns as nodes see them, and the constants of nodes.

Columns are centred and divided by powers of two, :math:`z_u = (x_u - \bar x_u) / D_u`, and the
predictor is in the unit of its loss, so :math:`\tilde w_u = w_u D_u / \text{unit}_j` and the
intercept belongs to the mean of the table. For a loss without an intercept the columns are divided
only, and the constant is zero. Rows that occur several times are kept once, with a weight. Where
something was added to the nodes in some of the rows, an indicator of these is one more column, the
last, which every node has as a parent and pays nothing for: its coefficient is the best one for the
others wherever they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.unvarying import one_value_left
from toposwap.kernels.penalized.glm_node import loss_terms
from toposwap.losses import RowLoss
from toposwap.losses.base import rows_of
from toposwap.scores.penalized.binary_patterns import PatternSolver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses import ColumnLoss

#: Steps to the best intercept: each halves an interval, or better.
_HALVINGS = 200


class _Columns(NamedTuple):
    """The columns as a node sees them: Z = (columns - mean) / scale, (d, n).

    ``mean`` (d,) is zero for a loss without an intercept; ``deviations`` (d,) are the root mean
    squares of Z.
    """

    Z: NDArray[np.float64]
    mean: NDArray[np.float64]
    deviations: NDArray[np.float64]
    patterns: PatternSolver


class RowLosses:
    """The loss of each node at any coefficients, with its constants at their best.

    Parameters
    ----------
    data
        With its rows.
    losses
        The loss of each column; nodes whose loss is no :class:`RowLoss` are not for this class.
    tolerance
        The relative residual to solve nodes to.
    nodes
        Which columns are asked for; by default all.
    shifted
        Rows in which something was added to these nodes, (n,) of bool.
    """

    def __init__(
        self,
        data: Dataset,
        losses: Sequence[ColumnLoss],
        tolerance: float,
        nodes: NDArray[np.int64] | None = None,
        shifted: NDArray[np.bool_] | None = None,
    ) -> None:
        self.data = data
        self.losses = losses
        self.tolerance = tolerance
        whole = rows_of(data, " or ".join(_names(losses)))
        self._scale = data.scale
        if shifted is not None:
            whole = np.column_stack([whole, shifted])
            self._scale = np.append(data.scale, 1.0)
        rows, counts, back = _distinct(whole, data.row_weights)
        self._omega = counts / counts.sum()
        columns = np.ascontiguousarray(rows.T)
        self._targets = columns[: data.d].copy()
        #: Among the rows that are kept; None where nothing was added.
        self._shifted = None if shifted is None else columns[-1] == 1.0
        self._location = np.zeros(data.d)
        #: What the loss of each column measures its predictor by, (d,).
        self.units = np.ones(data.d)
        #: Address and parameters of each column's terms, as kernels take them.
        self._formulas: dict[int, tuple[int, NDArray[np.float64]]] = {}
        for j in range(data.d) if nodes is None else nodes.tolist():
            loss = losses[j]
            if isinstance(loss, RowLoss):
                # By the whole column: how often a value occurs may matter to its unit.
                with np.errstate(invalid="ignore", divide="ignore"):
                    y, self._location[j], self.units[j] = loss.target(data.all_of(j))
                if not (self.units[j] > 0.0 and np.isfinite(y).all() and _begins(loss, y)):
                    raise one_value_left(data.names[j])
                self._targets[j] = y[data.first_of_rows][back]
                parameters = np.array(loss.parameters, dtype=np.float64)
                self._formulas[j] = loss.terms.address, parameters
                self._refuse_unbounded_shift(j, loss)
        kinds = {loss.intercept for loss in losses if isinstance(loss, RowLoss)}
        self._seen = {intercept: self._columns(columns, intercept=intercept) for intercept in kinds}

    def _columns(self, columns: NDArray[np.float64], *, intercept: bool) -> _Columns:
        """The columns (d, n) for losses with an intercept, or without."""
        mean = columns @ self._omega if intercept else np.zeros(len(columns))
        # The level of a node is that of the rows to which nothing was added.
        mean[self.data.d :] = 0.0
        Z = (columns - mean[:, None]) / self._scale[:, None]
        deviations = np.sqrt(np.square(Z) @ self._omega)
        patterns = PatternSolver(
            Z,
            self._omega,
            columns,
            self._targets,
            mean,
            self._scale,
            deviations,
            intercept=intercept,
        )
        return _Columns(Z, mean, deviations, patterns)

    def _loss(self, node: int) -> RowLoss:
        loss = self.losses[node]
        assert isinstance(loss, RowLoss)
        return loss

    def _of(self, node: int) -> _Columns:
        return self._seen[self._loss(node).intercept]

    def _first(self, node: int) -> float:
        """The constant that fits begin with; without an intercept the one they keep."""
        loss = self._loss(node)
        return loss.start(self._targets[node], self._omega) if loss.intercept else 0.0

    def intercept(self, node: int, weights: NDArray[np.float64], level: float) -> float:
        """What is added to X w, for the constant ``level`` at the means, where w adds mean @ w."""
        f = float(self._location[node]) + level * float(self.units[node])
        return f - float(self._of(node).mean[: self.data.d] @ weights)

    def level(self, node: int, weights: NDArray[np.float64], intercept: float) -> float:
        """The inverse of :meth:`intercept`; where means are large it has fewer digits."""
        f = intercept + float(self._of(node).mean[: self.data.d] @ weights)
        return (f - float(self._location[node])) / float(self.units[node])

    def _terms(
        self, node: int, w: NDArray[np.float64], b: float
    ) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64]]:
        """Loss, size, slope (n,) and curvature (n,)."""
        y = self._targets[node]
        slope, curvature = np.empty(y.size), np.empty(y.size)
        Z = self._of(node).Z
        value, size = loss_terms(Z, self._omega, y, *self._formulas[node], w, b, slope, curvature)
        return value, size, slope, curvature

    def _best_constants(
        self, node: int, w: NDArray[np.float64], b: float, *, free: bool = True
    ) -> float:
        """The best intercept for coefficients ``w``, near ``b``, if there is one and it is free.

        The coefficient of the indicator, the last of ``w``, is set to its best.
        """
        rows = slice(None) if self._shifted is None else ~self._shifted
        if free and self._loss(node).intercept:
            b = self._where_flat(lambda c: self._terms(node, w, c), b, rows)
        if self._shifted is not None:

            def shifted_by(
                c: float,
            ) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64]]:
                w[-1] = c
                return self._terms(node, w, b)

            w[-1] = self._where_flat(shifted_by, float(w[-1]), self._shifted)
        return b

    def _where_flat(
        self,
        terms: Callable[[float], tuple[float, float, NDArray[np.float64], NDArray[np.float64]]],
        b: float,
        rows: NDArray[np.bool_] | slice,
    ) -> float:
        """Where the slope over ``rows`` by a constant changes its sign, looked for from ``b``.

        The slope of a convex loss rises, so that halving an interval finds it whatever its
        curvature; Newton's method is faster where there is some.
        """
        low, high, stride = -np.inf, np.inf, 1.0
        for _ in range(_HALVINGS):
            _, size, slope, curvature = terms(b)
            total, bend = float(slope[rows].sum()), float(curvature[rows].sum())
            if not abs(total) > 0.01 * self.tolerance * size:
                break
            low, high = (b, high) if total < 0.0 else (low, b)
            newton = b - total / bend if bend > 0.0 else np.nan
            stride *= 2.0
            if low < newton < high and abs(newton - b) < stride:
                b = newton
            elif np.isfinite(low) and np.isfinite(high):
                b = 0.5 * (low + high)
                if b in (low, high):
                    break
            else:
                b = b + stride if total < 0.0 else b - stride
        return b

    def _refuse_unbounded_shift(self, node: int, loss: RowLoss) -> None:
        """Refuse a column that has only one value where something was added to it."""
        if self._shifted is None or loss.separated is None:
            return
        if not _begins(loss, self._targets[node][self._shifted], self._omega[self._shifted]):
            raise InputError(
                f"interventions: column {self.data.names[node]!r} has one value only in the rows "
                "in which it was set, so that what was added to it has no finite size; use "
                "intervention_kind='perfect'"
            )


def _begins(
    loss: RowLoss, y: NDArray[np.float64], omega: NDArray[np.float64] | None = None
) -> bool:
    """Whether there is a constant to begin with; none has a number where one value is all."""
    weights = np.full(y.size, 1.0 / y.size) if omega is None else omega / omega.sum()
    try:
        with np.errstate(divide="raise"):
            return not loss.intercept or bool(np.isfinite(loss.start(y, weights)))
    except ArithmeticError:
        return False


def _names(losses: Sequence[ColumnLoss]) -> list[str]:
    """Names of the losses that need rows."""
    return sorted({loss.name for loss in losses if not loss.from_moments})


def _distinct(
    rows: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    """Rows (m, d), how often each counts (m,) and where; as they are where few occur twice."""
    n = rows.shape[0]
    once = np.ones(n) if weights is None else weights
    if (rows == np.floor(rows)).all():
        distinct, where, back = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        if len(distinct) < 0.8 * n:
            counts = np.bincount(back.ravel(), weights=once).astype(np.float64)
            return distinct, counts, where
    return rows, once, np.arange(n)
