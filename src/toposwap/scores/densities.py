"""How likely new rows are under a fitted model: the columns' distributions given their parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.losses.base import ColumnFacts
from toposwap.losses.gaussian import GaussianLoss
from toposwap.losses.least_squares import LeastSquaresLoss
from toposwap.losses.rows import RowLoss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.losses import ColumnLoss


@dataclass(frozen=True, eq=False, repr=False)
class Densities:
    """log p(x) = sum_j log p(x_j | f_j): a distribution for each column at its predictor.

    Attributes
    ----------
    losses
        Which distributions, (d,).
    facts
        What they took from the data besides the predictors, (d,).
    """

    losses: Sequence[ColumnLoss]
    facts: Sequence[ColumnFacts]

    def __call__(self, X: NDArray[np.float64], F: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m,), for rows X and their predictors F, (m, d) each."""
        total = np.zeros(len(X))
        for x, f, loss, facts in zip(X.T, F.T, self.losses, self.facts, strict=True):
            total += loss.log_density(x, f, facts)
        return total

    @classmethod
    def normal(cls, variances: NDArray[np.float64]) -> Densities:
        """Normal distributions with residual variances (d,)."""
        return cls.of_moments((GaussianLoss(),) * len(variances), variances)

    @classmethod
    def equal_variance(
        cls, variances: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> Densities:
        """Normal distributions that share the mean of the residual variances (d,).

        Each counts by its share of the rows, (d,).
        """
        return cls.normal(np.full_like(variances, np.average(variances, weights=shares)))

    @classmethod
    def squares(cls, d: int) -> Densities:
        """Minus half the squared residuals, of ``d`` columns."""
        return cls.of_moments((LeastSquaresLoss(),) * d, np.full(d, np.nan))

    @classmethod
    def of_moments(cls, losses: Sequence[ColumnLoss], variances: NDArray[np.float64]) -> Densities:
        """Of losses that know of the data no more than the residual variances (d,)."""
        return cls(losses, [ColumnFacts(float(v), np.nan, np.nan) for v in variances])

    @classmethod
    def of_rows(
        cls,
        losses: Sequence[ColumnLoss],
        X: NDArray[np.float64],
        F: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        units: NDArray[np.float64] | None = None,
    ) -> Densities:
        """With what the columns of the data X (n, d) add to their predictors F (n, d).

        ``weights`` (n,) say how often each row counts, ``units`` (d,) what losses measure residuals
        by, where that is settled.
        """
        facts = []
        for j, (x, f, loss) in enumerate(zip(X.T, F.T, losses, strict=True)):
            unit = loss.target(x).unit if units is None and isinstance(loss, RowLoss) else 1.0
            unit = unit if units is None else float(units[j])
            left = float(np.average((x - f) ** 2, weights=weights))
            facts.append(ColumnFacts(left, float(x.min()), float(x.max()), unit))
        return cls(losses, facts)
