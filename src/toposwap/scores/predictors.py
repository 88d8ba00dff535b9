"""Fitted models without their data: what each column would be, given the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.basis import Expansion
    from toposwap.losses import ColumnLoss
    from toposwap.scores.densities import Densities


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel:
    """The mean of column j at f_j = b_j + X w_j, by the loss of the column.

    Attributes
    ----------
    weights, intercepts
        (d, d) and (d,).
    densities
        The columns' distributions at f.
    losses
        One for each column, or None where the mean is f itself.
    """

    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    densities: Densities
    losses: Sequence[ColumnLoss] | None = None

    def linear(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """F = b + X W for rows ``X`` (m, d), (m, d): the predictors, not yet means."""
        return X @ self.weights + self.intercepts

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d) at F = b + X W, (m,)."""
        return self.densities(X, self.linear(X))

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The means of the columns at F for rows ``X`` (m, d), (m, d)."""
        f = self.linear(X)
        if self.losses is None:
            return f
        return np.column_stack([loss.mean(f[:, j]) for j, loss in enumerate(self.losses)])

    def standardised(
        self, weights: NDArray[np.float64], deviations: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """w_ij sd_i / sd_j, (d, d); w_ij sd_i where f_j is a logarithm, of odds or of a mean."""
        effects = deviations.copy()
        for j, loss in enumerate(self.losses or ()):
            if loss.discrete:
                effects[j] = 1.0
        return weights * deviations[:, None] / effects


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveModel:
    """mean_j + sum_i Phi_i(x_i) theta_ij.

    Attributes
    ----------
    expansions
        The functions of each column.
    theta
        (d, m, d).
    means
        (d,).
    densities
        The columns' distributions at these sums.
    """

    expansions: Sequence[Expansion]
    theta: NDArray[np.float64]
    means: NDArray[np.float64]
    densities: Densities

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d) at the fitted sums, (m,)."""
        return self.densities(X, self(X))

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums of functions at rows ``X`` (m, d), about the means, (m, d)."""
        fitted = np.tile(self.means, (len(X), 1))
        for x, expansion, block in zip(X.T, self.expansions, self.theta, strict=True):
            fitted += expansion(x) @ block[: expansion.size]
        return fitted

    def standardised(
        self, weights: NDArray[np.float64], deviations: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """sd(f_ij(x_i)) / sd_j, (d, d): the functions are orthonormal, so it is ||theta_ij||_2.

        For a straight line that is |w_ij| sd_i / sd_j.
        """
        curves = np.sqrt(np.square(self.theta).sum(axis=1))
        return np.where(weights != 0.0, curves, 0.0) / deviations
