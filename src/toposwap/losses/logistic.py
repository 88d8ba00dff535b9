"""The likelihood of columns with two values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.losses.base import ColumnLoss, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses.base import ColumnFacts


def zeros_and_ones(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """``x`` (n,) with 1 for the larger of its two values and 0 for the other; 0 and 1 stay."""
    low, high = x.min(), x.max()
    if low in (0.0, 1.0) and high in (0.0, 1.0):
        return x
    return (x == high).astype(np.float64)


class LogisticLoss(ColumnLoss):
    """1/n sum(log(1 + exp f) - y f) with y in {0, 1}, and an intercept in f.

    y is the column if it holds 0 and 1, and otherwise tells the larger of its two values.
    """

    name: ClassVar[str] = "logistic"
    convex = True
    from_moments: ClassVar[bool] = False

    def check(self, data: Dataset, column: int) -> None:
        """Two values only."""
        x = rows_of(data, self.name)[:, column]
        low, high = x.min(), x.max()
        strange = x[(x != low) & (x != high)]
        if strange.size or low == high:
            several = np.unique(x)[:3]
            raise InputError(
                f"column {data.names[column]!r} holds {', '.join(f'{v:.6g}' for v in several)}"
                f"{', ...' if strange.size else ' only'}, and the logistic loss is for two values "
                "such as 0 and 1: recode the column, or choose the loss by column (loss='auto')"
            )

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """The formula above, without overflow."""
        return float(np.mean(np.logaddexp(0.0, f) - zeros_and_ones(x) * f))

    def mean(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chance of a one, 1 / (1 + exp(-f))."""
        return np.exp(-np.logaddexp(0.0, -f))

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1 / (1 + exp(-f)) - y) / n."""
        return (self.mean(f) - zeros_and_ones(x)) / x.size

    def log_density(
        self, x: NDArray[np.float64], f: NDArray[np.float64], facts: ColumnFacts
    ) -> NDArray[np.float64]:
        """``y f - log(1 + exp f)`` with y = 1 for the larger value; -inf for a value never seen."""
        known = (x == facts.lowest) | (x == facts.highest)
        value = (x == facts.highest) * f - np.logaddexp(0.0, f)
        return np.where(known, value, -np.inf)
