"""The local search over exact neighbourhoods: insertions, swaps, KKT repair, perturbed restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from toposwap.certificate import violations
from toposwap.search.base import Context, Move, Search
from toposwap.search.insertion import InsertionSearch
from toposwap.search.moves.disjoint import disjoint_swaps
from toposwap.search.moves.repair import repair
from toposwap.search.moves.words import swaps_in_words
from toposwap.search.restarts import Restarts
from toposwap.search.surrogates import bound_surrogates

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from toposwap.orderfit.base import OrderFit
    from toposwap.search.surrogates import BoundSurrogate

#: Columns up to which a surrogate's best order is found as soon as any good one.
_PROVED = 12


class NeighbourhoodSearch(Search):
    """Insertion sweeps, then swaps, in turn, then restarts from perturbed orders.

    Where the score has a surrogate, a search with that comes first.

    The end is a local optimum of both neighbourhoods. For a score that sets edges to zero it may
    still violate the KKT conditions; then the move that Lemma 3 guarantees comes next, so that the
    end is always a KKT point.

    Parameters
    ----------
    n_restarts
        How often to perturb the best order and search again.
    n_threads
        How many threads make restarts, or the client of a dask cluster whose workers make them;
        the answer is the same for any.
    patience
        After how many restarts in a row that found nothing better to end; None for never.
    """

    name: ClassVar[str] = "neighbourhoods"

    def __init__(
        self, n_restarts: int = 0, n_threads: Any = 1, patience: int | None = None
    ) -> None:
        self.n_restarts = n_restarts
        self.n_threads = n_threads
        self.patience = patience

    def moves(self, fit: OrderFit, context: Context) -> Generator[Move, None, bool | None]:
        """Descend; then again from perturbed orders, and stay where that was better."""
        surrogate = next(bound_surrogates(fit.bound), None)
        place = context.place
        followed = context.surrogates_followed or "surrogate" in place
        if surrogate is not None and not followed:
            trial = surrogate.bound.fit(fit.order)
            steps = sum(1 for _ in _leader(surrogate).moves(trial, context.aside()))
            if steps and fit.delta(trial.order) < -fit.resolution:
                fit.reorder(trial.order)
                yield Move("surrogate", steps, f"went where {surrogate.bound.score.name} led")
        place["surrogate"] = True
        total = self.n_restarts
        if not place.get("settled"):
            yield from self._descend(fit, context)
            place["settled"] = True
        if "seed" not in place:
            place["seed"], place["restarts"] = int(context.rng.integers(2**63)), 0
            # Restarts since the last better optimum; starts that reached it, and all starts.
            place["in vain"], place["reached"], place["starts"] = 0, 1, 1
        cheaper = None if surrogate is None or not total else surrogate.bound
        with Restarts(fit, total, self.n_threads, place["seed"], cheaper) as restarts:
            for restart in range(place["restarts"], total):
                if context.deadline.passed:
                    return True
                if self.patience is not None and place["in vain"] >= self.patience:
                    break
                context.keep()
                trial = restarts.take(restart)
                place["restarts"] = restart + 1
                afresh = restarts.afresh(restart)
                place["starts"] += afresh
                place["in vain"] += 1
                change = trial.change_since(fit.snapshot(), fit.value)
                if change < -fit.resolution:
                    place["in vain"], place["reached"] = 0, 1
                    restarts.forget()
                    fit.copy_from(trial)
                    place["settled"] = False
                    most = f"at most {total}" if self.patience is not None else total
                    yield Move("restart", restart + 1, f"restart {restart + 1} of {most}")
                    yield from self._descend(fit, context)
                    place["settled"] = True
                elif afresh and change <= fit.resolution:
                    place["reached"] += 1
                if place["starts"] > 1:
                    context.findings.starts = place["reached"], place["starts"]
        return False

    def _descend(self, fit: OrderFit, context: Context) -> Iterator[Move]:
        """Swaps are evaluated only where no insertion helps any more."""
        insertion = InsertionSearch()
        while True:
            yield from insertion.moves(fit, context)
            pairs, changes, tried = fit.improving_swaps()
            swaps = disjoint_swaps(fit, pairs, changes)
            if swaps:
                for i, j in swaps:
                    fit.swap(i, j)
                fit.refresh()
                yield Move("swap", tried, swaps_in_words(swaps, context.names))
                context.keep()
                continue
            if fit.always_stationary:
                return
            failing = violations(fit.point(), fit.bound.tolerance, fit.bound.admissible)
            move = repair(fit, failing, context.names)
            if move is None:
                return
            yield move
            context.keep()


def _leader(surrogate: BoundSurrogate) -> Search:
    """The search with a surrogate, as often as it or its own score says."""
    from toposwap.search.chains import ChainSearch

    strategy, restarts = surrogate.bound.strategy, surrogate.restarts
    if strategy.search == ChainSearch.name:
        return ChainSearch(restarts, proved=_PROVED)
    return NeighbourhoodSearch(strategy.fewest_restarts if restarts is None else restarts)
