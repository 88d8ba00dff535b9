"""Losses of one predictor, logistic and Poisson for instance, as losses with blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.losses.levels import BlockLoss, Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses import RowLoss

    Floats = NDArray[np.float64]


class OnePredictor(BlockLoss):
    """A :class:`~toposwap.losses.RowLoss` with its intercept as the one constant."""

    name: ClassVar[str] = "one predictor"

    def __init__(self, loss: RowLoss) -> None:
        self.loss = loss
        self._parameters = np.array(loss.parameters, dtype=np.float64)
        self.formula = loss.terms.address, self._parameters

    def predictors(self, levels: int) -> int:  # noqa: ARG002 - however many there are
        """One."""
        return 1

    def start(self, y: Any, omega: Floats) -> Floats:
        """Where fits of the loss begin."""
        return np.array([self.loss.start(y, omega)])

    def terms(self, eta: Floats, constants: Floats, y: Any, omega: Floats) -> Terms:  # noqa: ARG002
        """The terms of the loss; an overflow makes it infinite, which no step is taken to."""
        slope, curvature = np.empty_like(eta), np.empty_like(eta)
        with np.errstate(over="ignore", invalid="ignore"):
            value, size = self.loss.terms(
                eta[0], y, omega, self._parameters, slope[0], curvature[0]
            )
            return Terms(value, size, slope, curvature, slope.sum(axis=1))
