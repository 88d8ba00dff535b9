r"""Paths that must be, and paths that must not: turned into required and forbidden edges.

Whether there is a directed path from a to b no single node can answer for. But it comes down to
edges. If there must be one, then for every set :math:`D \ni a` without b some edge leads out of D;
if there must be none, then no edge leads out of the descendants of a, a set without b.

:func:`settled` makes that choice for a graph at hand. Each path costs the sum of what its absent
edges cost their nodes (a path enters a node once, so that for a sum over nodes this is exact),
hence the cheapest is a shortest path; of a few that look cheap the one is taken whose fit is the
best. A cut costs what its edges are worth, hence the cheapest is a least cut.
:mod:`toposwap.search.path_choices` tries others.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.kernels.graphs.reachability import reachability
from toposwap.knowledge.feasible import completed
from toposwap.knowledge.tables import closed, closes_a_path
from toposwap.search.cuts import least_cut, shortest_ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order
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
        if not reachability(required_edges(told))[pair]:
            told = _with_path(bound, told, edges, order, worth, pair)
    for a, b in told.no_paths:
        if reachability(possible_edges(told))[a, b]:
            told = cut_off(told, edges, worth, (a, b))
    return told


def cut_off(told: Admissible, edges: Table, worth: NDArray[np.float64], pair: Edge) -> Admissible:
    """``told`` without the edges out of the set with a and not b that are worth the least."""
    capacities = np.where(edges, worth, _STEP)
    inside = least_cut(capacities, possible_edges(told), required_edges(told), *pair)
    parents = possible_edges(told) & ~np.outer(inside, ~inside)
    return Admissible(parents, told.before, told.required, told.paths, told.no_paths)


def edge_costs(bound: BoundScore, edges: Table, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """What it costs (d, d) to require an edge: nothing if it is among ``edges``."""
    n = bound.data.n
    return np.where(edges, 0.0, np.maximum(np.log(n) / n - worth, 0.0)) + _STEP


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
            squared = _squared_partials(C, j, np.flatnonzero(edges[:, j]))
            worth[:, j] = -0.5 * group.share * np.log1p(-np.minimum(squared, 1.0 - 1e-12))
    return worth


def _squared_partials(
    C: NDArray[np.float64], j: int, parents: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Of node ``j`` and each other, (d,), given ``parents`` except that other; 0 with itself.

    For others by what parents leave of the correlations ``C`` (d, d); for a parent by the inverse
    of those of parents and node.
    """
    left, with_j = np.diag(C).copy(), C[:, j].copy()
    if parents.size:
        inside = C[np.ix_(parents, parents)] + 1e-10 * np.eye(parents.size)
        explained = np.linalg.solve(inside, C[parents])
        left -= (C[parents] * explained).sum(axis=0)
        with_j -= C[:, parents] @ explained[:, j]
    size = left * left[j]
    told = (left > 1e-8) & (left[j] > 1e-8)
    squared = np.where(told, with_j**2 / np.where(told, size, 1.0), 0.0)
    if parents.size:
        family = np.append(parents, j)
        K = np.linalg.inv(C[np.ix_(family, family)] + 1e-10 * np.eye(family.size))
        squared[parents] = K[:-1, -1] ** 2 / (np.diag(K)[:-1] * K[-1, -1])
    squared[j] = 0.0
    return squared


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
    cost = edge_costs(bound, edges, worth)
    # Whatever the order is: the path may go through variables that stand elsewhere now.
    forward = possible_edges(told) & ~reachability(edges | _before(told)).T
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
    there, onwards = shortest_ways(cost, a), shortest_ways(cost.T, b)
    whole = there.to(b)
    if whole is None:
        return []
    ways = [whole]
    if np.isfinite(cost[a, b]):
        ways.append([a, b])
    for c in range(len(cost)):
        first, second = there.to(c), onwards.to(c)
        if c in pair or first is None or second is None:
            continue
        if not set(first[:-1]) & set(second[:-1]):
            ways.append([*first, *second[-2::-1]])
    for way in ways:
        found[tuple(way)] = float(sum(cost[i, j] for i, j in pairwise(way)))
    cheap = sorted(found, key=lambda way: (found[way], way))
    return [list(way) for way in cheap[:_MOST_COMPARED]]


def requiring(
    told: Admissible,
    edges: list[Edge],
    *,
    forbidden: Table | None = None,
    earlier: Edge | None = None,
) -> Admissible | None:
    """``told`` with more required and fewer possible edges; None if nothing can obey that.

    ``earlier`` is a pair of which the first must precede the second.
    """
    required, possible = required_edges(told).copy(), possible_edges(told)
    if forbidden is not None:
        possible = possible & ~forbidden
    for i, j in edges:
        required[i, j] = True
    if (required & ~possible).any():
        return None
    before = _before(told).copy()
    if earlier is not None:
        before[earlier] = True
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
    required = completed(
        possible_edges(told), _before(told), required_edges(told), told.paths, told.no_paths
    )
    assert required is not None
    before = closed(_before(told) | required)
    return Admissible(
        (possible_edges(told) & ~before.T) | required, before, required, told.paths, told.no_paths
    )


def required_edges(told: Admissible) -> Table:
    """Edges (d, d) that are there in any case."""
    return np.zeros_like(possible_edges(told)) if told.required is None else told.required


def possible_edges(told: Admissible) -> Table:
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
