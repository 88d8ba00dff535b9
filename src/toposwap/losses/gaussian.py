"""The Gaussian likelihood with a variance for each column."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.losses.base import ColumnLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses.base import ColumnFacts


class GaussianLoss(ColumnLoss):
    """1/2 log ||x - f||^2: the negative log-likelihood over n, its variance at the optimum.

    Scaling a column adds a constant. Not convex. The intercept is the one that minimises it, which
    centring the columns amounts to.
    """

    name: ClassVar[str] = "gaussian"
    convex = False
    from_moments: ClassVar[bool] = True

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """The formula above."""
        return 0.5 * float(np.log(np.sum((x - f) ** 2)))

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """(f - x) / ||x - f||^2."""
        return (f - x) / np.sum((x - f) ** 2)

    def log_density(
        self, x: NDArray[np.float64], f: NDArray[np.float64], facts: ColumnFacts
    ) -> NDArray[np.float64]:
        """-1/2 log(2 pi v) - (x - f)^2 / (2 v), with v the variance of the residuals."""
        variance = max(facts.variance, float(np.finfo(float).tiny))
        return -0.5 * (np.log(2.0 * np.pi * variance) + (x - f) ** 2 / variance)
