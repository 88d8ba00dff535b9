"""Local searches over the exact neighbourhoods: insertions, and insertions with swaps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.certificate import violations
from toposwap.core.errors import InputError
from toposwap.orderfit.screened import ScreenedFit
from toposwap.search.base import Move, Search
from toposwap.search.moves.disjoint import disjoint_swaps
from toposwap.search.moves.repair import repair
from toposwap.search.restarts import Restarts, thread_count
from toposwap.search.screened import ScreenedSearch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposwap.orderfit.base import OrderFit


class InsertionSearch(Search):
    """Sweeps that move each variable to its best place, until none moves.

    Variables are visited in the order they stand in at the beginning of the sweep, so the search
    depends on the starting order and not on the labels of the columns.
    """

    name: ClassVar[str] = "insertion"

    def moves(
        self,
        fit: OrderFit,
        names: Sequence[str],
        rng: np.random.Generator,  # noqa: ARG002 - deterministic
    ) -> Iterator[Move]:
        """Sweep, and believe in an optimum only when rounding errors have been cleared."""
        d = len(names)
        fresh = False
        while True:
            moved = fit.insertion_sweep(fit.order.variables)
            if moved:
                fresh = False
                yield Move("insertion", d * (d - 1), f"moved {moved} of {d} variables")
            elif fresh:
                return
            else:
                fit.refresh()
                fresh = True


class AutoSearch(Search):
    """Insertion sweeps, then swaps, in turn, then restarts from perturbed orders.

    Where the score is expensive and has a guide, a search under that comes first.

    The end is a local optimum of both neighbourhoods. For a score that sets edges to zero it may
    still violate the KKT conditions; then the move that Lemma 3 promises comes next, so that the
    end is always a KKT point. Scores whose deltas are expensive go through
    :class:`~toposwap.search.screened.ScreenedSearch` instead.

    Parameters
    ----------
    n_restarts
        How often to perturb the best order and search again; by default what the score suggests.
    time_budget
        Seconds after which no further restart is begun.
    n_jobs
        How many threads make restarts, -1 for one a core; the answer is the same for any number.
    """

    name: ClassVar[str] = "auto"

    def __init__(
        self,
        n_restarts: int | None = None,
        time_budget: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_restarts = n_restarts
        self.time_budget = time_budget
        self.n_jobs = n_jobs

    def moves(
        self, fit: OrderFit, names: Sequence[str], rng: np.random.Generator
    ) -> Iterator[Move]:
        """Descend; then again from perturbed orders, and stay where that was better."""
        self._check()
        n_jobs = thread_count(self.n_jobs)
        if isinstance(fit, ScreenedFit):
            screened = ScreenedSearch(self.n_restarts, self.time_budget)
            yield from screened.moves(fit, names, rng)
            self.out_of_time = screened.out_of_time
            return
        began = time.perf_counter()
        yield from self._follow_guide(fit, names, rng)
        yield from self._descend(fit, names, rng)
        total = fit.bound.suggested_restarts if self.n_restarts is None else self.n_restarts
        with Restarts(fit, total, n_jobs, rng) as restarts:
            for restart in range(total):
                if self.time_budget is not None and time.perf_counter() - began > self.time_budget:
                    break
                trial = restarts.take(restart)
                if trial.value < fit.value - fit.resolution:
                    restarts.forget()
                    fit.copy_from(trial)
                    yield Move("restart", restart + 1, f"restart {restart + 1} of {total}")
                    yield from self._descend(fit, names, rng)

    def _follow_guide(
        self, fit: OrderFit, names: Sequence[str], rng: np.random.Generator
    ) -> Iterator[Move]:
        """Search from the same order under the score's guide, and go where that led if it pays."""
        guide = fit.bound.guide()
        if guide is None:
            return
        trial = guide.fit(fit.order)
        steps = sum(1 for _ in AutoSearch().moves(trial, names, rng))
        if steps and fit.delta(trial.order) < -fit.resolution:
            fit.reorder(trial.order)
            yield Move("guide", steps, f"went where {guide.score.name} led")

    def _check(self) -> None:
        restarts = self.n_restarts
        if restarts is not None and (not isinstance(restarts, int | np.integer) or restarts < 0):
            raise InputError(f"n_restarts: must be a whole number >= 0, got {restarts!r}")
        self.after(0.0)

    def _descend(
        self, fit: OrderFit, names: Sequence[str], rng: np.random.Generator
    ) -> Iterator[Move]:
        """Swaps are evaluated only where no insertion helps any more."""
        insertion = InsertionSearch()
        while True:
            yield from insertion.moves(fit, names, rng)
            pairs = fit.swap_candidates()
            swaps = disjoint_swaps(fit, pairs, fit.swap_changes(pairs))
            if swaps:
                for i, j in swaps:
                    fit.swap(i, j)
                fit.refresh()
                yield Move("swap", len(pairs), describe_swaps(swaps, names))
                continue
            failing = violations(fit.point(), fit.bound.tolerance)
            move = repair(fit, failing, names)
            if move is None:
                return
            yield move


def describe_swaps(swaps: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """A swap by the names of its variables, several by their number."""
    if len(swaps) == 1:
        i, j = swaps[0]
        return f"swapped {names[i]!r} and {names[j]!r}"
    return f"swapped {len(swaps)} pairs"
