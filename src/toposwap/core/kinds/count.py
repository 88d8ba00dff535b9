r"""Columns of counts: whole numbers that vary as Poisson counts with any causes do.

Given its causes a count is Poisson; without them it is a mixture of Poisson distributions,

.. math:: p_v = \int e^{-\lambda} \lambda^v / v!\; dF(\lambda), \qquad v = 0, 1, 2, \dots,

which varies at least as much as its mean, has no sharp ends, and fits the column better than
frequencies that follow no rule, as those of a code are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.kinds.base import Column, Kind, Refused

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Counts that get larger than this are taken for measurements: a normal distribution fits them.
_LARGE_COUNT = 50.0
#: With more than this times the variance of Poisson counts, edges would look certain by chance.
_OVERDISPERSED = 2.0
#: A code has at most so many values, or it is not told from a count by their frequencies.
_MOST_CODES = 12
#: Logarithm of how much likelier than a code a count must be, and what it must be with few rows.
_EVIDENCE, _MORE_EVIDENCE, _FEW_ROWS = math.log(10.0), math.log(100.0), 300
#: Rows that a count would have beyond the smallest and the largest value, where there are none.
_BEYOND = 8.0
#: From this mean on, a count is about normal, and what is known too well is none.
_ABOUT_NORMAL = 5.0
_TOO_WELL = 0.5
#: What causes do not explain of the variance of few values, over the mean; a code may have more.
_NOT_EXPLAINED = 1.1
#: Deviations of a normal distribution beyond which a fit is refused, once in a thousand.
_SURE = 3.09
_SWEEPS = 200


class Count(Kind):
    """0, 1, 2, ...: how often something happened."""

    name: ClassVar[str] = "count"

    def reason(self, column: Column) -> str | None:
        """That the frequencies are those of Poisson counts; None where a code might have them."""
        x = column.values
        if column.labels.declared != "numbers" or column.low < 0.0 or not column.whole:
            return None
        if column.high == column.low or np.quantile(x, 0.95) > _LARGE_COUNT:
            return None
        mean, n = float(x.mean()), x.size
        dispersion = float(x.var()) / mean
        # The standard error of the ratio is sqrt(2 / n) for Poisson counts.
        if dispersion < 1.0 - 3.0 * math.sqrt(2.0 / n):
            return None
        frequency = np.bincount(np.minimum(x, 10.0 * _LARGE_COUNT).astype(np.int64))
        share = column.unexplained()
        left = dispersion if math.isnan(share) else share * dispersion
        if left > _NOT_EXPLAINED + 3.0 * math.sqrt(2.0 / n):
            # Of counts that vary more, for reasons that nobody has measured, most are next to none.
            few = column.high - column.low < _MOST_CODES
            if few or column.low > 0.0 or frequency.argmax() > 1:
                return None
        elif mean > _ABOUT_NORMAL and (n < _FEW_ROWS or left < _TOO_WELL):
            return None
        if not _looks_like_counts(frequency.astype(np.float64), int(column.low)):
            return None
        return (
            f"whole numbers from {column.low:.0f} to {column.high:.0f} that vary as counts do, "
            f"variance {dispersion:.2g} of the mean"
        )

    def loss(self, column: Column) -> tuple[str, str | None]:
        """The Poisson likelihood, unless variance and mean are too far apart for it."""
        ratio = float(column.values.var() / column.values.mean())
        if ratio > _OVERDISPERSED:
            return "gaussian", f"varies {ratio:.1f} times as much as Poisson counts"
        return "poisson", None

    def refusal(self, column: Column) -> Refused | None:
        """Anything but 0, 1, 2, ..."""
        if column.labels.levels is not None:
            return Refused("holds text", "it is no count")
        if column.low < 0.0 or not column.whole:
            return Refused("holds other numbers than 0, 1, 2, ...", "it is no count", InputError)
        return None


def _looks_like_counts(frequency: NDArray[np.float64], low: int) -> bool:
    """Whether a mixture of Poisson distributions explains ``frequency`` (of 0, 1, ..., high)."""
    n, high = float(frequency.sum()), frequency.size - 1
    fitted, likelihood = _poisson_mixture(frequency)
    if n * (1.0 - fitted[low:].sum()) > _BEYOND or not _fits(frequency, n * fitted):
        return False
    levels = high - low + 1
    if levels > _MOST_CODES:
        return True
    # Every frequency of a code is as likely as any other: a Dirichlet distribution, integrated.
    code = math.lgamma(levels) - math.lgamma(n + levels)
    code += sum(math.lgamma(count + 1.0) for count in frequency[low:])
    # A mean was fitted, or two numbers of a mixture.
    plain = _poisson(frequency) - 0.5 * math.log(n)
    return max(plain, likelihood - math.log(n)) - code > (
        _EVIDENCE if n >= _FEW_ROWS else _MORE_EVIDENCE
    )


def _fits(frequency: NDArray[np.float64], expected: NDArray[np.float64]) -> bool:
    """Whether a likelihood-ratio test on values with at least five expected rows keeps the fit."""
    statistic, values = 0.0, 0
    seen = foreseen = 0.0
    for f, e in zip(frequency, expected, strict=True):
        seen, foreseen = seen + f, foreseen + e
        if foreseen >= 5.0:
            statistic += 2.0 * (seen * math.log(max(seen, 1e-9) / foreseen) - seen + foreseen)
            values, seen, foreseen = values + 1, 0.0, 0.0
    if values < 2:
        return True
    # Wilson and Hilferty's quantile of chi squared.
    spread = 2.0 / (9.0 * values)
    return statistic <= values * (1.0 - spread + _SURE * math.sqrt(spread)) ** 3


def _poisson(frequency: NDArray[np.float64]) -> float:
    """The logarithm of the likelihood of one Poisson distribution."""
    value = np.arange(frequency.size)
    n, total = float(frequency.sum()), float(frequency @ value)
    factorial = np.array([math.lgamma(v + 1.0) for v in value])
    return total * math.log(total / n) - total - float(frequency @ factorial)


def _poisson_mixture(frequency: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The likeliest mixture: probabilities of 0, ..., high, and the logarithm of the likelihood.

    By expectation and maximisation over the weights of a grid of means.
    """
    high = frequency.size - 1
    value = np.arange(high + 1.0)
    factorial = np.array([math.lgamma(v + 1.0) for v in value])
    mean = np.concatenate([[1e-3], np.geomspace(0.05, high + 1.0, 60)])
    density = np.exp(value * np.log(mean)[:, None] - mean[:, None] - factorial)
    weight = np.full(mean.size, 1.0 / mean.size)
    share = frequency / frequency.sum()
    for _ in range(_SWEEPS):
        weight = weight * (density @ (share / np.maximum(weight @ density, 1e-300)))
    fitted = weight @ density
    likelihood = float(frequency @ np.log(np.maximum(fitted, 1e-300)))
    return fitted, likelihood
