r"""Draws of what is missing from a fitted model, column by column (Gibbs sampling).

.. math:: p(x_j \mid \text{rest of the row}) \;\propto\; p(x_j \mid \text{parents of } j)
          \prod_{k:\, j \to k} p(x_k \mid \text{parents of } k) .

A column of few whole numbers draws among the values it has. Any other column proposes values from
its own distribution given its parents, to which the one it has is added, and draws among these in
proportion to what its children make of them; that leaves the distribution above as it is, however
few are proposed (iterated sampling importance resampling).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.kinds.base import is_whole
from toposwap.core.runtime.deadline import NEVER
from toposwap.losses import LeastSquaresLoss
from toposwap.missing.normal import Normal, Patterns, any_covariance, start
from toposwap.scores.categorical.model import CategoricalModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.tables.gaps import Incomplete

#: Values among which one is drawn where there are few, and that are proposed where there are many.
_MOST_LEVELS, _PROPOSED = 60, 8
#: Rows times candidates that are looked at together.
_BLOCK = 100_000


class Chains:
    """Several completed copies of a table, one below the other.

    Parameters
    ----------
    table
        Rows with gaps, (n, d).
    draws
        How many copies.
    rng
        Of all draws.
    """

    def __init__(self, table: Incomplete, draws: int, rng: np.random.Generator) -> None:
        self.table, self.draws, self.rng = table, draws, rng
        self.gaps = np.tile(table.gaps, (draws, 1))
        self.weights = np.tile(table.weights / draws, draws)
        self.levels = [_levels(table.column(j).values) for j in range(table.d)]
        self.whole = [is_whole(table.column(j).values) for j in range(table.d)]
        self.rows = np.tile(table.values, (draws, 1))
        self._begin()

    def copies(self) -> list[NDArray[np.float64]]:
        """The completed tables, (n, d) each."""
        return list(np.split(self.rows, self.draws))

    def _begin(self) -> None:
        """Draw from the normal distribution that fits best, at the values that a column has."""
        table, rng = self.table, self.rng
        patterns = Patterns(table)
        begun = start(patterns, NEVER, tolerance=1e-3)
        variances = np.diag(begun.moments.covariance)
        try:
            model = any_covariance(begun.moments)
            spread = np.linalg.cholesky(np.linalg.inv(model.precision))
        except (InputError, np.linalg.LinAlgError):
            # Columns that others determine, or nearly so, are drawn each for itself.
            model = Normal(begun.moments.mean, np.diag(1.0 / variances))
            spread = np.diag(np.sqrt(variances))
        for copy in self.copies():
            # A draw given what is there: a free draw, corrected by what it has in place of that.
            free = rng.standard_normal(patterns.rows.shape) @ spread.T
            ahead = patterns.rows.copy()
            patterns.rows = ahead - free
            drawn = patterns.completed(Normal(model.mean, model.precision))
            patterns.rows = ahead
            drawn += free * patterns.unit
            filled = table.values.copy()
            filled[patterns.places] = drawn
            copy[table.gaps] = filled[table.gaps]
        nothing = np.isnan(self.rows).any(axis=1)
        for j in range(table.d):
            there = table.column(j).values
            empty = nothing & self.gaps[:, j]
            self.rows[empty, j] = rng.choice(there, int(empty.sum()))
            self.rows[:, j] = np.where(
                self.gaps[:, j], self._snapped(j, self.rows[:, j]), self.rows[:, j]
            )

    def _snapped(self, j: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The nearest values that column ``j`` may have."""
        levels = self.levels[j]
        if levels is not None:
            right = np.clip(np.searchsorted(levels, x), 1, levels.size - 1)
            nearer = x - levels[right - 1] < levels[right] - x
            return np.where(nearer, levels[right - 1], levels[right])
        if self.whole[j]:
            there = self.table.column(j).values
            return np.clip(np.round(x), there.min(), there.max())
        return x

    def sweep(self, predictor: Any) -> None:
        """Draw every gap once, given all else, from the model of ``predictor``."""
        model = RowModel(predictor, self.rows, self.weights)
        for j in np.flatnonzero(self.gaps.any(axis=0)):
            rows = np.flatnonzero(self.gaps[:, j])
            levels = self.levels[j]
            width = _PROPOSED if levels is None else levels.size
            for block in np.array_split(rows, 1 + rows.size * width // _BLOCK):
                self._draw(model, int(j), block)

    def _draw(self, model: RowModel, j: int, rows: NDArray[np.int64]) -> None:
        """New values of column ``j`` in ``rows``."""
        m, levels, rng = rows.size, self.levels[j], self.rng
        now = self.rows[rows]
        if levels is not None:
            proposed = np.tile(levels, (m, 1))
            own = np.zeros_like(proposed)
        else:
            mean, deviation = model.mean(now)[:, j], model.deviations[j]
            proposed = mean[:, None] + deviation * rng.standard_normal((m, _PROPOSED))
            proposed = self._snapped(j, proposed)
            proposed[:, 0] = now[:, j]
            own = -0.5 * np.square((proposed - mean[:, None]) / deviation)
        wide = np.repeat(now, proposed.shape[1], axis=0)
        wide[:, j] = proposed.ravel()
        with np.errstate(over="ignore", invalid="ignore"):
            logs = model.log_density(wide).reshape(proposed.shape) - own
        logs = np.where(np.isnan(logs), -np.inf, logs)
        logs -= np.maximum(logs.max(axis=1), -1e300)[:, None]
        chances = np.cumsum(np.exp(logs), axis=1)
        total = chances[:, -1]
        chosen = (chances < (rng.random(m) * total)[:, None]).sum(axis=1)
        chosen = np.where(total > 0.0, np.minimum(chosen, proposed.shape[1] - 1), 0)
        self.rows[rows, j] = np.where(total > 0.0, proposed[np.arange(m), chosen], now[:, j])


class RowModel:
    """How likely whole rows are under a fitted model.

    A score that is no likelihood is taken as normal, with the residual variances of the rows.

    Parameters
    ----------
    predictor
        Of the score.
    rows, weights
        Completed rows (m, d) and how often they count, for the residual variances.
    """

    def __init__(
        self, predictor: Any, rows: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> None:
        self.mean = predictor
        residual = rows - predictor(rows)
        variances = np.average(np.square(residual), axis=0, weights=weights)
        #: Of the residuals, (d,).
        self.deviations = np.sqrt(np.maximum(variances, np.finfo(float).tiny))
        densities = getattr(predictor, "densities", None)
        normal = densities is None or any(
            isinstance(loss, LeastSquaresLoss) for loss in densities.losses
        )
        self._normal = normal and not isinstance(predictor, CategoricalModel)

    def log_density(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of rows (m, d), (m,), up to a constant."""
        if self._normal:
            return -0.5 * np.square((rows - self.mean(rows)) / self.deviations).sum(axis=1)
        return np.asarray(self.mean.log_density(rows))


def _levels(x: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The values of a column of few whole numbers, or of two values; None for others."""
    levels = np.unique(x)
    few = levels.size <= _MOST_LEVELS and (levels.size == 2 or is_whole(levels))
    return levels if few and levels.size > 1 else None
