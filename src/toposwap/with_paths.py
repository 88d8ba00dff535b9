"""The search, repeated until the graph that is kept has the paths that it must and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from toposwap.core.runtime.deadline import TimeUp
from toposwap.orderfit.chain import ChainFit
from toposwap.search.base import Step
from toposwap.search.exact import ExactSearch
from toposwap.search.none import NoSearch
from toposwap.search.path_choices import exchanged, graph_of, promising, solved_exactly
from toposwap.search.paths import settled, unmet
from toposwap.search.start import FirstFit

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposwap.core.admissible import Admissible
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.pruning import Pruned
    from toposwap.scores import BoundScore
    from toposwap.search import Search

    Kept = Callable[[OrderFit], tuple[Pruned, str | None]]

#: How often other paths are tried after the search has ended with those that were chosen.
_MOST_EXCHANGES = 3
#: How often edges are chosen for paths that the search with the former choice has broken.
_MOST_ROUNDS = 4
#: Sets of variables that a proof with paths may go through, all choices together: some minutes
#: where it was asked for, and about a second beside another search.
_EXACT_SETS, _MOST_SETS = 1 << 27, 1 << 20


class Ended(NamedTuple):
    """Where one search ended, its steps, and how."""

    fit: OrderFit
    history: list[Step]
    status: str


if TYPE_CHECKING:
    Searched = Callable[[FirstFit], Ended]


class Found(NamedTuple):
    """Where a search ended, and the graph that is kept of it, with a remark or None."""

    bound: BoundScore
    order: Order
    parameters: Any
    history: list[Step]
    status: str
    kept: tuple[Pruned, str | None]


def with_paths(first: FirstFit, search: Search, searched: Searched, kept: Kept) -> Found:
    """Search and prune; where a path is missing or too many, choose edges and search again.

    Parameters
    ----------
    first
        Where to begin.
    search
        Whether all choices are to be tried (the exact one) or only good ones.
    searched, kept
        The search from a fit, and the pruned graph of a solution.
    """
    asked = first.fit.bound.admissible
    ended = searched(first)
    graph = kept(ended.fit)
    if not asked.asks_for_paths:
        return _found(ended, graph)
    if ended.status == ExactSearch.finished and _unmet(ended.fit):
        sets = _EXACT_SETS if search.name == ExactSearch.name else _MOST_SETS
        fit = ended.fit
        try:
            solution = solved_exactly(fit.bound, fit.order, sets >> len(fit.order))
        except TimeUp:
            solution = None
        if solution is not None:
            text, seconds = (
                "took the best of all graphs with these paths",
                ended.history[-1].seconds,
            )
            history = [Step(0, solution.value, "exact", 0, text, seconds)]
            ended, graph = Ended(solution, history, ended.status), kept(solution)
            if not _broken(solution, graph):
                return _found(ended, graph)
    interrupted = ended.status == "interrupted"

    def again(told: Admissible, order: Order) -> Ended:
        bound = first.fit.bound.under(told)
        return searched(FirstFit(bound.fit(told.nearest(order)), True, interrupted))

    # Many descents are for scores whose fits take no time.
    descending = isinstance(ended.fit, ChainFit) and search.name != NoSearch.name
    descending &= not interrupted
    if descending and _unmet(ended.fit):
        ended = _mended(ended, again)
        graph = kept(ended.fit)
    while _broken(ended.fit, graph):
        pruned = graph[0]
        told = settled(ended.fit.bound, pruned.weights != 0.0, pruned.order)
        ended = again(told, ended.fit.order)
        graph = kept(ended.fit)
    imposed = ended.fit.bound.admissible is not asked
    if not imposed or not ended.fit.bound.score.selects_edges or interrupted:
        return _found(ended, graph)
    for _ in range(_MOST_EXCHANGES):
        fit = ended.fit
        others = [] if fit.bound.deadline.passed else exchanged(fit, asked, descending=descending)
        if not others:
            break
        tried = _best([again(told, fit.order) for told in others])
        if _unmet(tried.fit):
            tried = _mended(tried, again)
        if not tried.fit.value < fit.value:
            break
        ended, graph = tried, kept(tried.fit)
    if ended.status == ExactSearch.finished:
        # Of the edges that were chosen for the paths, not of all that could have been.
        ended = ended._replace(status="converged")
    return _found(ended, graph)


def _mended(ended: Ended, again: Callable[[Admissible, Order], Ended]) -> Ended:
    """The best of some searches with edges chosen for the paths that ``ended`` breaks.

    What descents chose leaves the search its freedom, so that it may break paths again, with a
    lower score; then from there. What was settled for good never does.
    """
    best: list[Ended] = []
    for _ in range(_MOST_ROUNDS):
        fit = ended.fit
        choices = [tried.told for tried in promising(fit)[:1]]
        choices.append(settled(fit.bound, graph_of(fit), fit.order))
        found = [again(told, fit.order) for told in choices]
        ended = _best(found)
        best = [_best([*best, *(one for one in found if not _unmet(one.fit))])]
        if best[0].fit.value <= ended.fit.value:
            break
    return best[0]


def _best(ends: list[Ended]) -> Ended:
    return min(ends, key=lambda one: one.fit.value)


def _unmet(fit: OrderFit) -> bool:
    """Whether the solution has not the paths that were asked for."""
    return bool(unmet(graph_of(fit), fit.bound.admissible))


def _broken(fit: OrderFit, graph: tuple[Pruned, str | None]) -> bool:
    """Whether the solution, or what is kept of it, has not the paths that were asked for.

    Pruning may drop a path, and one that turns edges may have one that the solution lacks.
    """
    return bool(unmet(graph[0].weights != 0.0, fit.bound.admissible)) or _unmet(fit)


def _found(ended: Ended, graph: tuple[Pruned, str | None]) -> Found:
    fit, pruned = ended.fit, graph[0]
    parameters = fit.parameters() if pruned.refitted else pruned.parameters
    return Found(fit.bound, fit.order, parameters, ended.history, ended.status, graph)
