"""The Gaussian likelihood with a variance for each column."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.kernels.compiled import variance_terms
from toposwap.losses.moments import MomentLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses.base import ColumnFacts


@variance_terms
def terms(s: float, n: float, scale: float) -> tuple[float, float, float]:
    """1/2 log(n s scale^2), in parts that do not overflow."""
    value = 0.5 * (math.log(s) + 2.0 * math.log(scale) + math.log(n))
    return value, 0.5 / s, -0.5 / (s * s)


class GaussianLoss(MomentLoss):
    """1/2 log ||x - f||^2: the negative log-likelihood over n, its variance at the optimum.

    Scaling a column adds a constant. Not convex. The intercept is the one that minimises it, which
    centring the columns amounts to.
    """

    name: ClassVar[str] = "gaussian"
    convex = False
    bounded: ClassVar[bool] = False
    equivalent: ClassVar[bool] = True
    terms = terms

    def decrease(self, foretold: NDArray[np.float64]) -> NDArray[np.float64]:
        """That of the logarithm, whose tangent foretells too little."""
        return np.asarray(-0.5 * np.log1p(-np.minimum(2.0 * foretold, 1.0 - 1e-15)))

    def log_density(
        self, x: NDArray[np.float64], f: NDArray[np.float64], facts: ColumnFacts
    ) -> NDArray[np.float64]:
        """-1/2 log(2 pi v) - (x - f)^2 / (2 v), with v the variance of the residuals."""
        variance = max(facts.variance, float(np.finfo(float).tiny))
        return -0.5 * (np.log(2.0 * np.pi * variance) + (x - f) ** 2 / variance)
