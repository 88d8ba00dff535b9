r"""Whether being missing depends on other columns.

For a column with gaps and another one the ranks of the values of the other are compared between the
rows with a gap and those without (Mann and Whitney): with the correlation :math:`r` between ranks
and gaps over :math:`N` rows, :math:`z = r \sqrt{N - 1}` is standard normal if there is no
dependence. Columns of codes have no ranks; there it is the chi-squared test of the table of codes
and gaps. The chances are corrected for the number of pairs (Holm).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.tables.gaps import Dependence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.tables.gaps import Incomplete

#: Chance of a false alarm, over all pairs.
_LEVEL = 0.01
#: Gaps, or values, of which there are fewer show nothing.
_FEWEST = 5
#: Rows that are looked at.
_MOST_ROWS = 20_000


def gap_dependences(table: Incomplete) -> tuple[Dependence, ...]:
    """The pairs of a column with gaps and another on which these depend, the clearest first."""
    gaps, values = table.gaps[:_MOST_ROWS], table.values[:_MOST_ROWS]
    incomplete = np.flatnonzero(gaps.any(axis=0))
    found: list[tuple[float, int, int]] = []
    for k in range(table.d):
        there = ~gaps[:, k]
        indicators = gaps[there][:, incomplete]
        missing = indicators.sum(axis=0)
        usable = (missing >= _FEWEST) & (len(indicators) - missing >= _FEWEST) & (incomplete != k)
        if not usable.any():
            continue
        x = values[there, k]
        chosen = indicators[:, usable]
        nominal = table.kinds[k].kind.name == "categorical"
        chances = _by_codes(x, chosen) if nominal else _by_ranks(x, chosen)
        found += [(float(chances[a]), int(j), k) for a, j in enumerate(incomplete[usable])]
    found.sort()
    tests, least = len(found), 0.0
    kept = []
    for rank, (p, j, k) in enumerate(found):
        least = max(least, min(1.0, p * (tests - rank)))
        if least > _LEVEL:
            break
        kept.append(Dependence(table.names[j], table.names[k], least))
    return tuple(kept)


def _by_ranks(x: NDArray[np.float64], indicators: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Chances (m,) of no dependence between ``x`` (n,) and gaps (n, m)."""
    distinct, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    if distinct.size < 2:
        return np.ones(indicators.shape[1])
    middle = np.cumsum(counts) - 0.5 * counts
    ranks = middle[places.ravel()]
    ranks = ranks - ranks.mean()
    centred = indicators - indicators.mean(axis=0)
    size = np.sqrt((ranks @ ranks) * np.square(centred).sum(axis=0))
    z = np.abs(ranks @ centred) / size * math.sqrt(x.size - 1)
    return np.array([math.erfc(one / math.sqrt(2.0)) for one in z])


def _by_codes(x: NDArray[np.float64], indicators: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The same for codes, by a chi-squared test."""
    from scipy.special import gammaincc

    _, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    chances = []
    for column in indicators.T:
        missing = np.bincount(places.ravel(), column, counts.size)
        share = column.mean()
        expected = counts * share
        enough = expected * min(1.0, (1.0 - share) / share) >= 1.0
        if np.count_nonzero(enough) < 2:
            chances.append(1.0)
            continue
        statistic = ((missing - expected)[enough] ** 2 / (expected[enough] * (1.0 - share))).sum()
        chances.append(float(gammaincc((np.count_nonzero(enough) - 1) / 2.0, statistic / 2.0)))
    return np.array(chances)
