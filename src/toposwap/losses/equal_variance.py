"""The Gaussian likelihood with one variance for all columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.losses.base import Loss
from toposwap.losses.least_squares import LeastSquaresLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses.base import ColumnLoss


class EqualVarianceLoss(Loss):
    """d/2 log ||X - F||_F^2 for a table X and predictors F, (n, d) each.

    The negative log-likelihood over n, its variance at the optimum. It identifies every direction
    and, like least squares, trusts the units of the columns. Not convex, and not a sum over
    columns: they share the variance.
    """

    name: ClassVar[str] = "equal-variance"
    convex = False
    separable: ClassVar[bool] = False
    has_units = True
    from_moments = True

    def columns(self, data: Dataset) -> tuple[ColumnLoss, ...]:
        """Squared residuals, of which the total counts."""
        return LeastSquaresLoss().columns(data)

    def value(self, X: NDArray[np.float64], F: NDArray[np.float64]) -> float:
        """d/2 log ||X - F||_F^2, for (n, d) each."""
        return 0.5 * X.shape[1] * float(np.log(np.sum((X - F) ** 2)))

    def slope(self, X: NDArray[np.float64], F: NDArray[np.float64]) -> NDArray[np.float64]:
        """(F - X) d / ||X - F||_F^2, (n, d)."""
        return X.shape[1] * (F - X) / np.sum((X - F) ** 2)
