r"""Algorithm TOPO of the paper's appendix, step by step, for any score.

Two things are not in its pseudo-code but in the program that its authors released, and are the
default here: several swaps in one iteration (``PaperSearch(several=...)``), and values of tau
beyond the printed table (``KKTCandidates(extend=...)``). One is in the pseudo-code and not here: it
takes a swap that leaves Q as it is, so that it need not end; here every step lowers Q.
docs/paper_search.md says where the search ends, and why it may do so above the best order.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.candidates import Candidates, KKTCandidates
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.search.base import Move, Search
from toposwap.search.moves.disjoint import disjoint_swaps
from toposwap.search.moves.repair import repair
from toposwap.search.moves.words import swaps_in_words

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.base import Context

#: How a search ends that was allowed too few large searches.
USED_UP = "s_0 used up"
#: d, s_small, s_large, s_0: the paper's suggestions.
SUGGESTED = np.array([[10, 30, 45, 1], [20, 50, 150, 1], [50, 100, 1000, 10], [100, 150, 2500, 15]])


def suggested_sizes(d: int) -> tuple[int, int, int]:
    """s_small, s_large and s_0 for ``d`` variables: the paper's table, interpolated.

    Beyond the table s_small and s_0 grow with d and s_large with d^2, as they do at its end.
    """
    table_d, *rows = SUGGESTED.T
    pairs = d * (d - 1) // 2
    if d > table_d[-1]:
        ratio = d / table_d[-1]
        small, large, searches = (rows[0][-1] * ratio, rows[1][-1] * ratio**2, rows[2][-1] * ratio)
    else:
        small, large, searches = (np.interp(d, table_d, row) for row in rows)
    return min(round(small), pairs), min(round(large), pairs), round(searches)


class PaperSearch(Search):
    """Small and large search spaces of swaps proposed by the KKT conditions.

    The status is "s_0 used up" where ``s_0`` large searches were made and another one would lower
    the score; else the search ends where neither space holds a swap that does.

    Parameters
    ----------
    s_small, s_large
        Sizes of the two search spaces; by default from the paper's table.
    s_0
        How many swaps of the large space may be made; by default from the paper's table, which is
        often too few for ``greedy`` and for a few starts otherwise. ``s_0=d`` was enough in all
        runs that were measured.
    greedy
        Take the first improving swap, in random order, instead of the best: a quarter of the
        prices of one best swap an iteration, and more large searches.
    candidates
        Where the pairs come from.
    several
        With the best swap also carry out the others that improve and touch no common stretch of
        the order; their gains add up exactly when the score is separable. That is what the
        authors' program does, not their pseudo-code: False makes one swap an iteration, to the
        letter of the latter, and takes several times longer.
    """

    name: ClassVar[str] = "paper"

    def __init__(
        self,
        s_small: int | None = None,
        s_large: int | None = None,
        s_0: int | None = None,
        *,
        greedy: bool = False,
        candidates: Candidates | None = None,
        several: bool = True,
    ) -> None:
        self.s_small = s_small
        self.s_large = s_large
        self.s_0 = s_0
        self.greedy = greedy
        self.candidates = candidates or KKTCandidates()
        self.several = several

    def moves(self, fit: OrderFit, context: Context) -> Generator[Move, None, str | None]:
        """The loop of Algorithm TOPO: repair violations, else swap in the small or large space.

        Before it ends with no large search left it looks once more, without a swap, whether one
        would lower the score: only then are the ``s_0`` searches to blame.
        """
        names, rng = context.names, context.rng
        s_small, s_large, s_0 = self.sizes(len(names))
        place = context.place
        if "large searches" not in place:
            place["candidates"] = self.candidates.begin(fit, rng)
            place["large searches"] = 0
        candidates, large_searches = place["candidates"], place["large searches"]
        while True:
            survey = candidates.survey(fit, rng)
            if len(survey.violations):
                violations = survey.violations
                if self.greedy:
                    violations = rng.permutation(violations)
                move = repair(fit, violations, names, greedy=self.greedy)
            else:
                move = self._swap(fit, "small", survey.pairs(s_small), names, rng)
            if move is None and large_searches < s_0:
                move = self._swap(fit, "large", survey.pairs(s_large), names, rng)
                large_searches += move is not None
            if move is None:
                used_up = large_searches == s_0 and _first_improving(fit, survey.pairs(s_large))
                return USED_UP if used_up else None
            place["large searches"] = large_searches
            yield move
            context.keep()

    def sizes(self, d: int) -> tuple[int, int, int]:
        """s_small, s_large and s_0 for ``d`` variables, checked and clipped to what there is."""
        pairs = d * (d - 1) // 2
        sizes = list(suggested_sizes(d))
        for index, name in enumerate(("s_small", "s_large", "s_0")):
            given = getattr(self, name)
            if given is None:
                continue
            if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 0:
                raise InputError(f"{name}: must be a whole number >= 0, got {given!r}")
            if name != "s_0" and given > pairs:
                warnings.warn(
                    f"{name}={given} is more than the {pairs} pairs of {d} variables; "
                    f"{pairs} is used",
                    ToposwapWarning,
                    stacklevel=2,
                )
                given = pairs
            sizes[index] = int(given)
        small, large, searches = sizes
        if self.s_large is None:
            large = max(small, large)
        if self.s_small is None:
            small = min(small, large)
        if large < small:
            raise InputError(f"s_large={large} must not be smaller than s_small={small}")
        return small, large, searches

    def _swap(
        self,
        fit: OrderFit,
        space: str,
        pairs: NDArray[np.int64],
        names: Sequence[str],
        rng: np.random.Generator,
    ) -> Move | None:
        """Swap the best pair, the first that helps, or all that help without overlap."""
        if self.greedy:
            swaps = _first_improving(fit, rng.permutation(pairs))
        else:
            limit = None if self.several else 1
            swaps = disjoint_swaps(fit, pairs, fit.swap_changes(pairs), limit)
        if not swaps:
            return None
        for i, j in swaps:
            fit.swap(i, j)
        return Move(space, len(pairs), swaps_in_words(swaps, names))


def _first_improving(fit: OrderFit, pairs: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The first of ``pairs`` that helps, in batches of 1, 2, 4, ..., which are cheaper."""
    start, size = 0, 1
    while start < len(pairs):
        changes = fit.swap_changes(pairs[start : start + size])
        for k in np.flatnonzero(changes < -fit.resolution)[:1]:
            i, j = pairs[start + k]
            return [(int(i), int(j))]
        start, size = start + size, 2 * size
    return []
