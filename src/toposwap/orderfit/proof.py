r"""The best of all orders from lists of parent sets, or a bound on it where that is out of reach.

Who is in none of the sets that v may want, and need not precede v, is of no matter to v. So the
variables fall into parts, the strong components of "is in a set that may be wanted by", that follow
one another: each is solved for itself (:mod:`toposwap.orderfit.set_blocks`), with those of earlier
parts at hand. Costs are counted from the least that each variable costs, in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.orderfit.set_blocks import MOST_VARIABLES, go_through

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline

    Found = Sequence[tuple[NDArray[np.uint64], NDArray[np.float64]]]

#: What the score that is to be beaten becomes as a whole number.
_LIMIT = 1 << 29


@dataclass(frozen=True, eq=False)
class Proof:
    """What is known about the best order.

    Attributes
    ----------
    order
        One that is better than the score that was known; None if there is none, or none was found.
    bound
        No graph has a lower score than this.
    complete
        Whether the best score is known: that of ``order``, or else the one known before.
    """

    order: Order | None
    bound: float
    complete: bool


def prove(
    found: Found,
    upper: float,
    tolerance: float,
    before: NDArray[np.bool_] | None,
    deadline: Deadline,
) -> Proof:
    """Look for an order that is better than ``upper`` by more than ``tolerance``.

    Scores are told apart to a share of :math:`2^{-29} d` of what ``upper`` is above the sum of what
    all variables cost at the least.

    Parameters
    ----------
    found
        For each node sets of parents, as bits, and their scores; all that an order better than
        ``upper`` may want.
    upper
        A score that is known to be reached.
    tolerance
        What does not count as better.
    before
        (d, d): ``[u, v]`` if u must precede v, or None.
    deadline
        When to stop with a bound.
    """
    limit = upper - tolerance
    if any(len(sets) == 0 for sets, _ in found):
        # What some node costs in any case leaves no graph below the score that is known.
        return Proof(None, limit, complete=True)
    least = np.array([values.min() for _, values in found])
    gap = min(limit, sum(values.max() for _, values in found) + 1.0) - least.sum()
    if gap <= 0.0:
        return Proof(None, limit, complete=True)
    wanted = _with_needed(found, before)
    unit = gap / _LIMIT
    spent, complete, order = 0, True, list[int]()
    for part in _parts(wanted):
        if part.size > MOST_VARIABLES:
            complete = False
            continue
        costs = [_within(wanted[v], found[v][1] - least[v], part, unit) for v in part.tolist()]
        through = go_through(costs, _LIMIT - spent, deadline)
        spent += through.least
        complete &= through.complete
        if spent >= _LIMIT:
            return Proof(None, limit, complete=True)
        order += [] if through.sequence is None else part[through.sequence].tolist()
    if not complete:
        return Proof(None, least.sum() + spent * unit, complete=False)
    best = Order(order)
    value = sum(found[v][1][place] for v, place in _places_at(best, found))
    return Proof(best, value, complete=True) if value < limit else Proof(None, limit, complete=True)


def _with_needed(found: Found, before: NDArray[np.bool_] | None) -> list[NDArray[np.uint64]]:
    """What must precede a node for each of its sets: the members, and who precedes it anyhow."""
    if before is None:
        return [sets for sets, _ in found]
    bits = np.uint64(1) << np.arange(len(found), dtype=np.uint64)
    return [sets | bits[before[:, v]].sum(dtype=np.uint64) for v, (sets, _) in enumerate(found)]


def _parts(wanted: Sequence[NDArray[np.uint64]]) -> list[NDArray[np.int64]]:
    """Variables that may be each other's ancestors, the parts in an order that suits all sets."""
    from scipy.sparse.csgraph import connected_components

    d = len(wanted)
    union = np.array([np.bitwise_or.reduce(sets) for sets in wanted])
    places = np.arange(d, dtype=np.uint64)
    parents = (union[None, :] >> places[:, None] & np.uint64(1)).astype(np.bool_)
    n_parts, part = connected_components(parents, directed=True, connection="strong")
    between = np.zeros((n_parts, n_parts), dtype=np.bool_)
    between[part[np.nonzero(parents)[0]], part[np.nonzero(parents)[1]]] = True
    np.fill_diagonal(between, False)
    in_order = topological_order(between)
    assert in_order is not None  # strong components have no cycle between them
    return [np.flatnonzero(part == p) for p in in_order]


def _within(
    sets: NDArray[np.uint64], excess: NDArray[np.float64], part: NDArray[np.int64], unit: float
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Sets as bits of places in ``part``, each once, with the least that it costs."""
    inside = np.zeros_like(sets)
    for place, u in enumerate(part.tolist()):
        inside |= (sets >> np.uint64(u) & np.uint64(1)) << np.uint64(place)
    costs = np.minimum(np.floor(excess / unit), _LIMIT).astype(np.int32)
    order = np.lexsort((costs, inside))
    first = np.append(True, np.diff(inside[order].astype(np.int64)) != 0)
    return inside[order][first], costs[order][first]


def best_parents_at(order: Order, found: Found) -> NDArray[np.bool_]:
    """The best sets of parents that an order permits, (d, d): ``[i, j]`` for i -> j."""
    d = len(found)
    edges = np.zeros((d, d), dtype=np.bool_)
    for v, place in _places_at(order, found):
        edges[:, v] = (int(found[v][0][place]) >> np.arange(d)) & 1 == 1
    return edges


def _places_at(order: Order, found: Found) -> Iterator[tuple[int, int]]:
    """Each variable, with the place of its best set of parents among those before it."""
    ahead = 0
    for v in order.variables.tolist():
        sets, values = found[v]
        fits = (sets & ~np.uint64(ahead)) == 0
        yield v, int(np.where(fits, values, np.inf).argmin())
        ahead |= 1 << v
