r"""Paths that must be, and paths that must not: turned into required and forbidden edges.

Whether there is a directed path from a to b no single node can answer for. But it comes down to
edges. If there must be one, then for every set :math:`D \ni a` without b some edge leads out of D;
if there must be none, then no edge leads out of the descendants of a, a set without b.

:func:`settled` makes that choice for a graph at hand. Each path costs the sum of what its absent
edges cost their nodes (a path enters a node once, so that for a sum over nodes this is exact),
hence the cheapest is a shortest path; of a few that look cheap the one is taken whose fit is the
best. A cut costs what its edges are worth, hence the cheapest is a least cut. :func:`exchanged`
asks again where the search has ended, and :func:`solved_exactly` tries all choices that matter.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.kernels.graphs.reachability import reachability
from toposwap.knowledge.feasible import completed
from toposwap.knowledge.tables import closed, closes_a_path
from toposwap.search.cuts import least_cut, shortest_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.base import BoundScore

    Table = NDArray[np.bool_]
    Edge = tuple[int, int]

#: Ways from an ancestor to its descendant whose fits are compared.
_MOST_COMPARED = 6
#: A longer path is not preferred to a shorter one of the same cost.
_STEP = 1e-9


def unmet(edges: Table, told: Admissible) -> tuple[Edge, ...]:
    """The pairs that lack a path which must be, or have one which must not be."""
    return told.unmet_paths(reachability(edges)) if told.asks_for_paths else ()


def settled(bound: BoundScore, edges: Table, order: Order) -> Admissible:
    """What ``bound`` admits, with paths and cuts chosen for the graph ``edges`` (d, d).

    Every graph that obeys the result obeys what ``bound`` asks for. ``order`` is one of ``edges``
    that ``bound`` permits.
    """
    told = bound.admissible
    worth = edge_worth(bound, edges)
    for pair in told.paths:
        if not reachability(_required(told))[pair]:
            told = _with_path(bound, told, edges, order, worth, pair)
    for a, b in told.no_paths:
        if reachability(_possible(told))[a, b]:
            capacities = np.where(edges, worth, _STEP)
            inside = least_cut(capacities, _possible(told), _required(told), a, b)
            parents = _possible(told) & ~np.outer(inside, ~inside)
            told = Admissible(parents, told.before, told.required, told.paths, told.no_paths)
    return told


def exchanged(fit: OrderFit, asked: Admissible) -> Admissible | None:
    """Other choices of paths and cuts with a lower score at the order of ``fit``; None without.

    ``asked`` is what was asked for before any choice was made.
    """
    free = fit.bound.under(asked)
    there = free.fit(fit.order)
    told = settled(free, there.point().weights != 0.0, fit.order)
    other = free.under(told).fit(told.nearest(fit.order))
    return told if other.value < fit.value - max(fit.resolution, 1e-10 * abs(fit.value)) else None


def edge_worth(bound: BoundScore, edges: Table) -> NDArray[np.float64]:
    r"""What each edge is worth to its effect by correlations, (d, d), in halves of log likelihood.

    :math:`-\tfrac12 \log(1 - r^2)` with the partial correlation r given the other parents in
    ``edges``. Whatever the score, it tells strong from weak.
    """
    data = bound.data
    d = data.d
    worth = np.zeros((d, d))
    for group in data.own_rows:
        unit = group.moments.factor / group.moments.deviations
        C = unit.T @ unit
        for j in group.nodes:
            others = np.flatnonzero(edges[:, j])
            for i in range(d):
                if i == j:
                    continue
                given = others[others != i]
                squared = min(_squared_partial(C, i, j, given), 1.0 - 1e-12)
                worth[i, j] = -0.5 * group.share * np.log1p(-squared)
    return worth


def _squared_partial(C: NDArray[np.float64], i: int, j: int, given: NDArray[np.intp]) -> float:
    pair = np.array([i, j])
    left = C[np.ix_(pair, pair)]
    if given.size:
        across = C[np.ix_(given, pair)]
        inside = C[np.ix_(given, given)] + 1e-10 * np.eye(given.size)
        left = left - across.T @ np.linalg.solve(inside, across)
    size = left[0, 0] * left[1, 1]
    return float(left[0, 1] ** 2 / size) if left[0, 0] > 1e-8 and left[1, 1] > 1e-8 else 0.0


# --- one path ------------------------------------------------------------------------------------


def _with_path(
    bound: BoundScore,
    told: Admissible,
    edges: Table,
    order: Order,
    worth: NDArray[np.float64],
    pair: Edge,
) -> Admissible:
    """``told`` with the edges of the best path for ``pair`` required."""
    n = bound.data.n
    cost = np.where(edges, 0.0, np.maximum(np.log(n) / n - worth, 0.0)) + _STEP
    # Whatever the order is: the path may go through variables that stand elsewhere now.
    forward = _possible(told) & ~reachability(edges | _before(told)).T
    found = [
        more
        for way in _ways(np.where(forward, cost, np.inf), pair)
        if (more := requiring(told, list(pairwise(way)))) is not None
    ]
    if not found:
        return _witness(told)
    # Where a fit takes long, the estimate decides.
    if len(found) == 1 or bound.strategy.search == "screened":
        return found[0]
    return min(found, key=lambda more: bound.under(more).fit(more.nearest(order)).value)


def _ways(cost: NDArray[np.float64], pair: Edge) -> list[list[int]]:
    """A few cheap paths for ``pair``: the cheapest, the direct one, and through each other node."""
    a, b = pair
    found: dict[tuple[int, ...], float] = {}
    whole = shortest_path(cost, a, b)
    ways = [] if whole is None else [whole]
    if np.isfinite(cost[a, b]):
        ways.append([a, b])
    for c in range(len(cost)):
        if c in pair or not ways:
            continue
        first, second = shortest_path(cost, a, c), shortest_path(cost, c, b)
        if first is not None and second is not None and not set(first[:-1]) & set(second[1:]):
            ways.append([*first, *second[1:]])
    for way in ways:
        found[tuple(way)] = float(sum(cost[i, j] for i, j in pairwise(way)))
    cheap = sorted(found, key=lambda way: (found[way], way))
    return [list(way) for way in cheap[:_MOST_COMPARED]]


def requiring(
    told: Admissible, edges: list[Edge], *, forbidden: Table | None = None
) -> Admissible | None:
    """``told`` with more required and fewer possible edges; None if nothing can obey that."""
    required, possible = _required(told).copy(), _possible(told)
    if forbidden is not None:
        possible = possible & ~forbidden
    for i, j in edges:
        required[i, j] = True
    if (required & ~possible).any():
        return None
    before = _before(told)
    later = reachability(before | required)
    if (later & later.T & ~np.eye(len(later), dtype=bool)).any():
        return None
    before = closed(before | required)
    possible = possible & ~closes_a_path(reachability(required), told.no_paths) & ~before.T
    possible |= required
    if completed(possible, before, required, told.paths, told.no_paths) is None:
        return None
    return Admissible(
        possible, before, required if required.any() else None, told.paths, told.no_paths
    )


def _witness(told: Admissible) -> Admissible:
    """Some choice of all paths, which there is, as contradictions were refused."""
    required = completed(_possible(told), _before(told), _required(told), told.paths, told.no_paths)
    assert required is not None
    before = closed(_before(told) | required)
    return Admissible(
        (_possible(told) & ~before.T) | required, before, required, told.paths, told.no_paths
    )


def _required(told: Admissible) -> Table:
    return np.zeros_like(_possible(told)) if told.required is None else told.required


def _possible(told: Admissible) -> Table:
    """Edges (d, d) that may be there in some order."""
    before = _before(told)
    possible = ~np.eye(len(before), dtype=bool) if told.parents is None else told.parents
    return possible & ~before.T


def _before(told: Admissible) -> Table:
    if told.before is not None:
        return told.before
    if told.parents is not None:
        return np.zeros_like(told.parents)
    d = 1 + max(max(pair) for pair in (*told.paths, *told.no_paths))
    return np.zeros((d, d), dtype=bool)


# --- all choices ---------------------------------------------------------------------------------


def solved_exactly(bound: BoundScore, order: Order, most: int) -> OrderFit | None:
    """The global minimum with all paths as asked for; None where too many choices are open.

    At most ``most`` sets of choices are solved, each by going through all orders.

    The problem without paths bounds the score from below. Where its solution breaks one, each of
    the edges that could mend it is required in turn, those before it forbidden, and so on from the
    choice with the lowest bound. The first solution that breaks none is the minimum.
    """
    numbers, solved = count(), count(1)
    waiting: list[tuple[float, int, OrderFit]] = []

    def solve(told: Admissible) -> None:
        fit = bound.under(told).fit(told.nearest(order))
        if fit.bound.solve_exactly(fit):
            heappush(waiting, (fit.value, next(numbers), fit))

    solve(bound.admissible)
    while waiting:
        _, _, fit = heappop(waiting)
        told = fit.bound.admissible
        edges = fit.point().weights != 0.0
        if told.required is not None:
            edges = edges | told.required
        broken = unmet(edges, told)
        if not broken:
            return fit
        for more in _choices(told, edges, broken[0]):
            if next(solved) >= most:
                return None
            bound.deadline.check()
            solve(more)
    return None


def _choices(told: Admissible, edges: Table, pair: Edge) -> Iterator[Admissible]:
    """What could mend ``pair``: alternatives that exclude each other and leave out nothing."""
    a, b = pair
    none = np.zeros_like(edges)
    if pair in told.paths:
        inside = reachability(edges)[a]
        leaving = np.argwhere(_possible(told) & np.outer(inside, ~inside)).tolist()
        forbidden = none.copy()
        for i, j in leaving:
            more = requiring(told, [(i, j)], forbidden=forbidden)
            if more is not None:
                yield more
            forbidden[i, j] = True
        return
    way = shortest_path(np.where(edges, 1.0, np.inf), a, b)
    assert way is not None
    kept: list[Edge] = []
    for i, j in pairwise(way):
        if _required(told)[i, j]:
            continue
        forbidden = none.copy()
        forbidden[i, j] = True
        more = requiring(told, kept, forbidden=forbidden)
        if more is not None:
            yield more
        kept.append((i, j))
