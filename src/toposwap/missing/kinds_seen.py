"""What the columns of a table with gaps are, where a score asks other columns too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.missing.draws import Chains

if TYPE_CHECKING:
    from toposwap.core.tables.gaps import Incomplete
    from toposwap.scores import Score


def seen_by(score: Score, table: Incomplete) -> Incomplete:
    """``table`` with its columns of the kinds that ``score`` takes them for.

    They are seen in one completed copy, whose gaps are drawn from a normal distribution, and seen
    once: draws that follow from the answer say nothing more about it. The same for every seed.
    """
    if not score.by_kinds:
        return table
    table.check()
    if any(known.compared for known in table.kinds):
        return table
    copy = Chains(table, 1, np.random.default_rng(0)).rows
    return table.seen_as(score.recognised(table.filled(copy)).kinds)
