"""Squared residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.losses.base import ColumnLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses.base import ColumnFacts


class LeastSquaresLoss(ColumnLoss):
    """1/(2n) ||x - f||^2.

    The intercept is the one that minimises it, which centring the columns amounts to.
    """

    name: ClassVar[str] = "least-squares"
    convex = True
    from_moments: ClassVar[bool] = True

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """The formula above."""
        return 0.5 * float(np.mean((x - f) ** 2))

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """(f - x) / n."""
        return (f - x) / x.size

    def log_density(
        self,
        x: NDArray[np.float64],
        f: NDArray[np.float64],
        facts: ColumnFacts,  # noqa: ARG002 - no likelihood
    ) -> NDArray[np.float64]:
        """-1/2 (x - f)^2: minus the loss, which is no likelihood, since it knows no variance."""
        return -0.5 * (x - f) ** 2
