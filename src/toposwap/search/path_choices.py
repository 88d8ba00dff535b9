"""Which edges to require or forbid for paths: all choices that matter, or those that look best.

Where a solution lacks a path from a to b, one of the edges that lead out of what a leads to must be
there; where it has one too many, one of its edges must not be. Each such choice is a problem
without that path, whose solution may break the next.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.runtime.deadline import TimeUp
from toposwap.kernels.graphs.reachability import reachability
from toposwap.orderfit.chain import ChainFit, TabledFit
from toposwap.search.cuts import shortest_path, shortest_ways
from toposwap.search.paths import (
    cut_off,
    edge_costs,
    edge_worth,
    possible_edges,
    required_edges,
    requiring,
    settled,
    unmet,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.core.admissible import Admissible
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.base import BoundScore

    Table = NDArray[np.bool_]
    Edge = tuple[int, int]

#: Solutions that are mended further, of all that were found by mending one path more.
_KEPT = 4
#: Edges that are tried where a path is missing.
_MOST_EDGES = 10


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
        edges = graph_of(fit)
        broken = unmet(edges, told)
        if not broken:
            return fit
        for more in _exhaustive(told, edges, broken[0]):
            if next(solved) >= most:
                return None
            bound.deadline.check()
            solve(more)
    return None


def _exhaustive(told: Admissible, edges: Table, pair: Edge) -> Iterator[Admissible]:
    """What could mend ``pair``: alternatives that exclude each other and leave out nothing."""
    none = np.zeros_like(edges)
    if pair in told.paths:
        inside = reachability(edges)[pair[0]]
        leaving = np.argwhere(possible_edges(told) & np.outer(inside, ~inside)).tolist()
        forbidden = none.copy()
        for i, j in leaving:
            more = requiring(told, [(i, j)], forbidden=forbidden)
            if more is not None:
                yield more
            forbidden[i, j] = True
        return
    kept: list[Edge] = []
    for i, j in pairwise(_way(edges, pair)):
        if required_edges(told)[i, j]:
            continue
        forbidden = none.copy()
        forbidden[i, j] = True
        more = requiring(told, kept, forbidden=forbidden)
        if more is not None:
            yield more
        kept.append((i, j))


class Tried(NamedTuple):
    """A solution: its score, what it was told, its edges (d, d) and an order of them."""

    value: float
    told: Admissible
    edges: Table
    order: Order


def promising(fit: OrderFit) -> list[Tried]:
    """Solutions with all paths as asked for, the best first, by descents from ``fit``.

    A few solutions at a time have one more path mended, in all ways that look good, and descend;
    the best go on until none can be better than one in which no path is broken.
    """
    bound = fit.bound
    here = [Tried(fit.value, bound.admissible, graph_of(fit), fit.order)]
    done: list[Tried] = []
    seen: set[bytes] = set()
    while here:
        broken: list[Tried] = []
        for one in here:
            pair = unmet(one.edges, one.told)[0]
            for more in _promising(bound, one, pair):
                try:
                    bound.deadline.check()
                    tried = _descended(bound, more, one.order)
                except TimeUp:
                    return _sorted(done)
                if tried.edges.tobytes() not in seen:
                    seen.add(tried.edges.tobytes())
                    (broken if unmet(tried.edges, more) else done).append(tried)
        best = min((tried.value for tried in done), default=np.inf)
        here = _sorted([tried for tried in broken if tried.value < best])[:_KEPT]
    return _sorted(done)


def exchanged(fit: OrderFit, asked: Admissible, *, descending: bool) -> list[Admissible]:
    """Other choices for the paths with a lower score than ``fit``, near its order.

    ``asked`` is what was asked for before any choice was made; ``descending`` says whether to look
    for choices by descents too.
    """
    free = fit.bound.under(asked)
    there = free.fit(fit.order)
    edges = graph_of(there)
    found = promising(there)[:1] if descending and unmet(edges, asked) else []
    told = settled(free, edges, fit.order)
    other = free.under(told).fit(told.nearest(fit.order))
    found.append(Tried(other.value, told, edges, fit.order))
    resolution = max(fit.resolution, 1e-10 * abs(fit.value))
    return [tried.told for tried in found if tried.value < fit.value - resolution]


def _sorted(tried: list[Tried]) -> list[Tried]:
    return sorted(tried, key=lambda one: one.value)


def _descended(bound: BoundScore, told: Admissible, order: Order) -> Tried:
    """A local optimum of what is ``told``, from the order nearest to a given one."""
    fit = bound.under(told).fit(told.nearest(order))
    if isinstance(fit, TabledFit):
        fit.descend()
    else:
        while fit.insertion_sweep(fit.order.variables):
            pass
    return Tried(fit.value, told, graph_of(fit), fit.order)


def _promising(bound: BoundScore, tried: Tried, pair: Edge) -> Iterator[Admissible]:
    """What could mend ``pair`` in a solution, as far as it looks good."""
    told, edges = tried.told, tried.edges
    a, b = pair
    found: list[Admissible | None] = []
    if pair in told.paths:
        found += [requiring(told, [edge]) for edge in _leaving(bound, tried, pair)]
    else:
        found.append(requiring(told, [], earlier=(b, a)))
        found.append(cut_off(told, edges, edge_worth(bound, edges), pair))
        for i, j in pairwise(_way(edges, pair)):
            if not required_edges(told)[i, j]:
                forbidden = np.zeros_like(edges)
                forbidden[i, j] = True
                found.append(requiring(told, [], forbidden=forbidden))
    yield from (more for more in found if more is not None)


def _leaving(bound: BoundScore, tried: Tried, pair: Edge) -> list[Edge]:
    """Edges out of what a leads to that look cheap on the way to b: new ones, and turned ones.

    What a new edge costs is known about, and whether an edge is turned for nothing is not: half of
    the edges are of each kind.
    """
    told, edges = tried.told, tried.edges
    a, b = pair
    led_to = reachability(edges)
    possible = possible_edges(told)
    worth = edge_worth(bound, edges)
    found: list[Edge] = []
    for there, free in ((edges, possible & ~led_to.T), (edges | edges.T, possible)):
        cost = np.where(free, edge_costs(bound, there, worth), np.inf)
        onwards = shortest_ways(cost.T, b).cost
        price = np.where(np.outer(led_to[a], ~led_to[a]), cost + onwards, np.inf)
        ranked = np.argsort(price, axis=None, kind="stable").tolist()
        cheap = [divmod(k, len(price)) for k in ranked if np.isfinite(price.flat[k])]
        found += [edge for edge in cheap if edge not in found][: _MOST_EDGES // 2]
    return found


def _way(edges: Table, pair: Edge) -> list[int]:
    way = shortest_path(np.where(edges, 1.0, np.inf), *pair)
    assert way is not None
    return way


def graph_of(fit: OrderFit) -> Table:
    """The edges (d, d) of a solution, with all that are required."""
    if isinstance(fit, ChainFit):
        return fit.adjacency() | required_edges(fit.bound.admissible)
    return fit.bound.admissible.with_required(fit.point().weights) != 0.0
