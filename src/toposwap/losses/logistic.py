"""The likelihood of columns with two values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.compiled import row_terms
from toposwap.losses.base import rows_of
from toposwap.losses.rows import RowLoss, Target

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


@row_terms
def terms(
    eta: NDArray[np.float64],
    y: NDArray[np.float64],
    omega: NDArray[np.float64],
    _parameters: NDArray[np.float64],
    slope: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> tuple[float, float]:
    """log(1 + exp eta) - y eta, without overflow.

    One logarithm for up to 512 rows of the same weight: of the product of their 1 + exp(-|eta|),
    of which each is at most 2.
    """
    total = fitted = given = 0.0
    product, rows = 1.0, 0
    for i in range(y.size):
        weight = omega[i]
        e = math.exp(-abs(eta[i]))
        if rows == 512 or (i > 0 and weight != omega[i - 1]):
            total += omega[i - 1] * math.log(product)
            product, rows = 1.0, 0
        # Where e is lost in a sum with 1, so is its logarithm in the total; far out it is e.
        product *= 1.0 + e
        rows += 1
        share = 1.0 / (1.0 + e)
        positive = eta[i] >= 0.0
        p = share if positive else e * share
        # y eta from the side on which it does not cancel with log(1 + exp eta).
        signed = eta[i] if positive else 0.0
        total += weight * (signed - y[i] * eta[i])
        fitted += weight * p * p
        given += weight * y[i] * y[i]
        slope[i] = weight * (p - y[i])
        curvature[i] = weight * (e * share * share)
    if y.size > 0:
        total += omega[y.size - 1] * math.log(product)
    return total, math.sqrt(given) + math.sqrt(fitted)


class LogisticLoss(RowLoss):
    """1/n sum(log(1 + exp f) - y f) with y in {0, 1}, f = b + X w.

    y is the column if it holds 0 and 1, and otherwise tells the larger of its two values.

    Parameters
    ----------
    intercept
        Whether there is a b. Without one, f = X w with the columns as they are, which is the loss
        of the paper and of NOTEARS: right where a column whose causes are all 0 is 0 or 1 with the
        same probability. Then it matters which of its two values a column calls 0.
    """

    name: ClassVar[str] = "logistic"
    convex = True
    discrete = True
    canonical: ClassVar[bool] = True
    separated: ClassVar[str | None] = "classes"
    terms = terms

    def __init__(self, *, intercept: bool = True) -> None:
        self.intercept = intercept

    def check(self, data: Dataset, column: int) -> None:
        """Refuse a column that has not exactly two values."""
        if not isinstance(self.intercept, bool | np.bool_):
            raise InputError(f"intercept: must be True or False, got {self.intercept!r}")
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

    def target(self, x: NDArray[np.float64]) -> Target:
        """Target y (n,): 1 for the larger of the two values of ``x``, else 0."""
        return Target(np.array(zeros_and_ones(x), dtype=np.float64))

    def start(self, y: NDArray[np.float64], omega: NDArray[np.float64]) -> float:
        """The logarithm of the odds."""
        # Exactly nothing where all rows have one value, which one less the share would not be.
        return float(np.log(float(y @ omega) / float((1.0 - y) @ omega)))

    def extreme(self, eta: NDArray[np.float64]) -> float:
        """``max |eta|``: odds may run away to either side."""
        return float(np.abs(eta).max())

    def draw(
        self, uniform: NDArray[np.float64], mean: NDArray[np.float64], facts: ColumnFacts
    ) -> NDArray[np.float64]:
        """The larger of the two values with chance ``mean``."""
        return np.where(uniform >= 1.0 - mean, facts.highest, facts.lowest)

    def expected(self, mean: NDArray[np.float64], facts: ColumnFacts) -> NDArray[np.float64]:
        """``lowest + mean (highest - lowest)``: the chance itself for zeros and ones."""
        return facts.lowest + mean * (facts.highest - facts.lowest)

    def log_density(
        self, x: NDArray[np.float64], f: NDArray[np.float64], facts: ColumnFacts
    ) -> NDArray[np.float64]:
        """``y f - log(1 + exp f)`` with y = 1 for the larger value; -inf for a value never seen."""
        known = (x == facts.lowest) | (x == facts.highest)
        value = (x == facts.highest) * f - np.logaddexp(0.0, f)
        return np.where(known, value, -np.inf)
