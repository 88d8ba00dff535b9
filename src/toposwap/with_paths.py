"""The search, repeated until the graph that is kept has the paths that it must and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from toposwap.core.runtime.deadline import TimeUp
from toposwap.search.base import Step
from toposwap.search.exact import ExactSearch
from toposwap.search.paths import exchanged, settled, solved_exactly, unmet
from toposwap.search.start import FirstFit

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposwap.core.admissible import Admissible
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.pruning import Pruned
    from toposwap.scores import BoundScore
    from toposwap.search import Search

    Searched = Callable[[FirstFit], tuple[OrderFit, list[Step], str]]
    Kept = Callable[[OrderFit], tuple[Pruned, str | None]]

#: How often other paths are tried after the search has ended with those that were chosen.
_MOST_EXCHANGES = 3
#: Sets of variables that a proof with paths may go through, all choices together: some minutes
#: where it was asked for, and about a second beside another search.
_EXACT_SETS, _MOST_SETS = 1 << 27, 1 << 20


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
    fit, history, status = searched(first)
    graph = kept(fit)
    if not asked.asks_for_paths:
        return _found(fit, history, status, graph)
    if status == ExactSearch.finished and _broken(fit, graph, solution_only=True):
        sets = _EXACT_SETS if search.name == ExactSearch.name else _MOST_SETS
        try:
            solution = solved_exactly(fit.bound, fit.order, sets >> len(fit.order))
        except TimeUp:
            solution = None
        if solution is not None:
            fit, graph = solution, kept(solution)
            text, seconds = "took the best of all graphs with these paths", history[-1].seconds
            history = [Step(0, fit.value, "exact", 0, text, seconds)]
            if not _broken(fit, graph):
                return _found(fit, history, status, graph)
    interrupted = status == "interrupted"

    def again(told: Admissible) -> tuple[OrderFit, list[Step], str]:
        bound = fit.bound.under(told)
        start = FirstFit(bound.fit(told.nearest(fit.order)), True, interrupted)
        return searched(start)

    while _broken(fit, graph):
        pruned = graph[0]
        edges = pruned.weights != 0.0
        told = settled(fit.bound, edges, pruned.order)
        fit, history, status = again(told)
        graph = kept(fit)
    if fit.bound.admissible is asked or not fit.bound.score.selects_edges or interrupted:
        return _found(fit, history, status, graph)
    for _ in range(_MOST_EXCHANGES):
        other = None if fit.bound.deadline.passed else exchanged(fit, asked)
        if other is None:
            break
        tried = again(other)
        if not tried[0].value < fit.value:
            break
        (fit, history, status), graph = tried, kept(tried[0])
    if status == ExactSearch.finished:
        # Of the edges that were chosen for the paths, not of all that could have been.
        status = "converged"
    return _found(fit, history, status, graph)


def _broken(
    fit: OrderFit, graph: tuple[Pruned, str | None], *, solution_only: bool = False
) -> bool:
    """Whether the solution, or what is kept of it, has not the paths that were asked for."""
    told = fit.bound.admissible
    solution = unmet(told.with_required(fit.point().weights) != 0.0, told)
    if solution_only:
        return bool(solution)
    # Pruning may drop a path, and one that turns edges may have one that the solution lacks.
    left = unmet(graph[0].weights != 0.0, told)
    return bool(left) or bool(solution)


def _found(
    fit: OrderFit, history: list[Step], status: str, graph: tuple[Pruned, str | None]
) -> Found:
    return Found(fit.bound, fit.order, fit.parameters(), history, status, graph)
