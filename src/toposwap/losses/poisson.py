"""The likelihood of counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.compiled import row_terms
from toposwap.losses.base import rows_of
from toposwap.losses.rows import RowLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses.base import ColumnFacts


@row_terms
def terms(
    eta: NDArray[np.float64],
    y: NDArray[np.float64],
    omega: NDArray[np.float64],
    _parameters: NDArray[np.float64],
    slope: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> tuple[float, float]:
    """``exp eta - y eta``, summed with the weights omega; slope mu - y, curvature mu."""
    total = fitted = given = 0.0
    for i in range(y.size):
        mu = math.exp(eta[i])
        total += omega[i] * (mu - y[i] * eta[i])
        fitted += omega[i] * mu * mu
        given += omega[i] * y[i] * y[i]
        slope[i] = omega[i] * (mu - y[i])
        curvature[i] = omega[i] * mu
    return total, math.sqrt(given) + math.sqrt(fitted)


#: Means from which a count is normal to within a thousandth of its deviation.
_LARGE_MEAN = 1e6


class PoissonLoss(RowLoss):
    """1/n sum(exp f - x f) with x in {0, 1, 2, ...}, and an intercept in f."""

    name: ClassVar[str] = "poisson"
    convex = True
    discrete = True
    canonical: ClassVar[bool] = True
    separated: ClassVar[str | None] = "zeros"
    terms = terms

    def check(self, data: Dataset, column: int) -> None:
        """Refuse a column with anything but 0, 1, 2, ..."""
        x = rows_of(data, self.name)[:, column]
        strange = x[(x < 0.0) | (x != np.floor(x))]
        if strange.size:
            raise InputError(
                f"column {data.names[column]!r} holds {strange[0]:.6g}, and the Poisson loss is "
                "for counts 0, 1, 2, ...: choose the loss by column (loss='auto')"
            )

    def start(self, y: NDArray[np.float64], omega: NDArray[np.float64]) -> float:
        """The logarithm of the mean."""
        return float(np.log(y @ omega))

    def extreme(self, eta: NDArray[np.float64]) -> float:
        """``max -eta``: a mean may run away to zero, not to infinity."""
        return float(-eta.min())

    def draw(
        self,
        uniform: NDArray[np.float64],
        mean: NDArray[np.float64],
        facts: ColumnFacts,  # noqa: ARG002 - counts are their own numbers
    ) -> NDArray[np.float64]:
        """The smallest k with ``P(K <= k) >= uniform``; of large means by their normal limit."""
        from scipy.special import ndtri, pdtr, pdtrik

        small = np.clip(mean, 1e-300, _LARGE_MEAN)
        count = np.ceil(pdtrik(uniform, small))
        count = np.where(np.isfinite(count), np.maximum(count, 0.0), 0.0)
        # Rounding may leave a whole number just above itself.
        below = pdtr(np.maximum(count - 1.0, 0.0), small)
        count = np.where((count > 0.0) & (below >= uniform), count - 1.0, count)
        # The quantile of a large mean is looked for in a time that grows with it.
        normal = np.ceil(mean + np.sqrt(np.maximum(mean, 0.0)) * ndtri(uniform))
        return np.where(mean > _LARGE_MEAN, np.maximum(normal, 0.0), count)

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
