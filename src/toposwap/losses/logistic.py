"""The likelihood of 0/1 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.errors import InputError
from toposwap.losses.base import ColumnLoss, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.dataset import Dataset


class LogisticLoss(ColumnLoss):
    """1/n sum(log(1 + exp f) - x f) with x in {0, 1}, and an intercept in f."""

    name: ClassVar[str] = "logistic"
    convex = True
    from_moments: ClassVar[bool] = False

    def check(self, data: Dataset, column: int) -> None:
        """Zeros and ones only."""
        x = rows_of(data, self.name)[:, column]
        strange = x[(x != 0.0) & (x != 1.0)]
        if strange.size:
            raise InputError(
                f"column {data.names[column]!r} holds {strange[0]:.6g}, and the logistic loss is "
                "for 0 and 1 only: recode the column, or choose the loss by column (loss='auto')"
            )

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """The formula above, without overflow."""
        return float(np.mean(np.logaddexp(0.0, f) - x * f))

    def mean(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chance of a one, 1 / (1 + exp(-f))."""
        return np.exp(-np.logaddexp(0.0, -f))

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1 / (1 + exp(-f)) - x) / n."""
        return (self.mean(f) - x) / x.size
