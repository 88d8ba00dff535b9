r"""The terms t_A(N) of :mod:`~toposwap.kernels.categorical.counting`, as whole numbers.

Those of small counts are looked up in a table that is made for the number of cells of a set, and
kept; those of large ones come from Stirling's series.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.categorical.tables import LOOKED_UP, SLOT_BITS, UNIT
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from toposwap.kernels.categorical.tables import Rule, Work

#: Sets of more cells than numbers can tell count as having so many.
_MOST_CELLS = 1e150


@kernel(borrowing=True)
def _stirling(x: float) -> float:
    """Log Gamma(x) for x >= LOOKED_UP but for a constant, to within rounding error."""
    inverse = 1.0 / x
    series = inverse * (1.0 / 12.0 - inverse * inverse * (1.0 / 360.0))
    return (x - 0.5) * math.log(x) - x + series


@kernel(borrowing=True)
def prepare_terms(rule: Rule, work: Work, part: int, cells: float) -> None:
    """Set up :func:`term` for a set of so many ``cells``; tables made before are kept."""
    if rule.prior == 0.0:
        # The same for all sets, and made once.
        work.slot[part] = 0
        if work.known[part, 0] == 0.0:
            work.known[part, 0] = 1.0
            work.large[part, 0, 0] = 0.0
            for count in range(LOOKED_UP):
                work.sums[part, 0, count] = round(count * math.log(max(count, 1)) / UNIT)
        return
    cells = min(cells, _MOST_CELLS)
    spread = np.uint64(np.int64(min(cells, 1e18))) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(spread >> np.uint64(64 - SLOT_BITS))
    work.slot[part] = slot
    if work.known[part, slot] == cells:
        return
    work.known[part, slot] = cells
    alpha = rule.prior / cells
    total = 0.0
    for count in range(LOOKED_UP):
        work.sums[part, slot, count] = round(total / UNIT)
        total += math.log(alpha + count)
    work.large[part, slot, 0] = alpha
    work.large[part, slot, 1] = total - _stirling(alpha + LOOKED_UP)


@kernel(borrowing=True)
def large_term(alpha: float, constant: float, count: int) -> int:
    """t_A(count) in multiples of UNIT, of a count that is not looked up; BIC has no ``alpha``."""
    if alpha == 0.0:
        return round(count * math.log(count) / UNIT)
    return round((_stirling(alpha + count) + constant) / UNIT)


@kernel(inlined=True, borrowing=True)
def term(work: Work, part: int, count: int) -> int:
    """t_A(count) in multiples of UNIT."""
    slot = work.slot[part]
    if count < LOOKED_UP:
        return work.sums[part, slot, count]
    return large_term(work.large[part, slot, 0], work.large[part, slot, 1], count)
