"""How a score is best searched, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposwap.scores.base import Score


@dataclass(frozen=True)
class Surrogate:
    """A cheaper score on the same data whose good orders tend to be good here.

    Attributes
    ----------
    score
        Its settings; where it cannot be bound to the data it is done without.
    restarts
        How often a search with it perturbs and descends again; None for its own number.
    """

    score: Score
    restarts: int | None = None


#: The most restarts where patience ends them, and how far it reaches: at most, and for each column.
MOST_RESTARTS = 100
_PATIENCE, _COLUMNS = 20, 5
#: Rows times squared columns of which as many restarts as that may be in vain.
_WORK = 10_000_000


def patience(n: int, d: int) -> int:
    """Restarts in vain that end a search of ``n`` rows and ``d`` columns, fewer of large tables."""
    return max(3, d // _COLUMNS, min(_PATIENCE, _WORK // (n * d * d)))


def few_restarts(d: int) -> int:
    """Restarts of scores whose penalty shrinks: orders have fewer local minima."""
    return max(3, d // 2 - 7)


@dataclass(frozen=True)
class Strategy:
    """What ``init="auto"``, ``search="auto"`` and ``prune="auto"`` mean for a score on given data.

    Attributes
    ----------
    start
        The starting order, a name in :data:`toposwap.search.start.STARTS`.
    search
        The local search: "neighbourhoods" (exact deltas of all insertions and swaps), "chains" (the
        same in compiled chains of local optima) or "screened" (rough deltas first, for scores whose
        exact ones are expensive).
    restarts
        How often a search perturbs the best order and descends again, at the most.
    patience
        A search by neighbourhoods that is not told how many restarts to make ends after so many in
        a row that found nothing better, and every fifth begins at a random order; None for none of
        both.
    resample_restarts
        The same for one resample of many by chains, which average over what one search misses.
    surrogates
        Cheaper scores, the cheapest first. The search by neighbourhoods follows the first one from
        the starting order and lets it repair every other perturbed order; the screened search goes
        through all of them before it begins.
    pruner
        Which edges are kept, a name in :data:`toposwap.pruning.PRUNERS`; None for all of them where
        the score selects edges itself, and for the usual threshold elsewhere.
    """

    start: str = "variance"
    search: str = "neighbourhoods"
    restarts: int = 0
    patience: int | None = None
    resample_restarts: int = 10
    surrogates: tuple[Surrogate, ...] = ()
    pruner: str | None = None

    @property
    def fewest_restarts(self) -> int:
        """How many are made even if all are in vain."""
        return self.restarts if self.patience is None else min(self.restarts, self.patience)
