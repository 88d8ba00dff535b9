"""The likelihood of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.losses.base import ColumnLoss, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses.base import ColumnFacts

#: Beyond this the exponential overflows.
_LARGEST = float(np.log(np.finfo(float).max))


class PoissonLoss(ColumnLoss):
    """1/n sum(exp f - x f) with x in {0, 1, 2, ...}, and an intercept in f."""

    name: ClassVar[str] = "poisson"
    convex = True
    from_moments: ClassVar[bool] = False

    def check(self, data: Dataset, column: int) -> None:
        """Counts only."""
        x = rows_of(data, self.name)[:, column]
        strange = x[(x < 0.0) | (x != np.floor(x))]
        if strange.size:
            raise InputError(
                f"column {data.names[column]!r} holds {strange[0]:.6g}, and the Poisson loss is "
                "for counts 0, 1, 2, ...: choose the loss by column (loss='auto')"
            )

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """The formula above."""
        return float(np.mean(np.exp(f) - x * f))

    def mean(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exp f, and no more than the largest number where it overflows."""
        return np.exp(np.minimum(f, _LARGEST))

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """(exp f - x) / n."""
        return (np.exp(f) - x) / x.size

    def log_density(
        self,
        x: NDArray[np.float64],
        f: NDArray[np.float64],
        facts: ColumnFacts,  # noqa: ARG002 - the mean tells all
    ) -> NDArray[np.float64]:
        """``x f - exp f - log x!``, and -inf for what is no count."""
        from scipy.special import gammaln

        count = (x >= 0.0) & (x == np.floor(x))
        value = x * f - self.mean(f) - gammaln(np.where(count, x, 0.0) + 1.0)
        return np.where(count, value, -np.inf)
