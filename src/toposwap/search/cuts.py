"""The cheapest directed path between two nodes, and the cheapest way to leave none."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ways(NamedTuple):
    """From one node to all others: the least costs (d,), and the node before each, (d,)."""

    cost: NDArray[np.float64]
    came: NDArray[np.int64]

    def to(self, b: int) -> list[int] | None:
        """The cheapest way to ``b``, both ends included; None where there is none."""
        if not np.isfinite(self.cost[b]):
            return None
        way = [b]
        while self.came[way[-1]] >= 0:
            way.append(int(self.came[way[-1]]))
        return way[::-1]


def shortest_ways(cost: NDArray[np.float64], a: int) -> Ways:
    """The paths from ``a`` with the least sums of ``cost`` (d, d).

    Costs are not negative, and infinite where there is no edge.
    """
    best = np.full(len(cost), np.inf)
    came = np.full(len(cost), -1, dtype=np.int64)
    best[a] = 0.0
    queue = [(0.0, a)]
    while queue:
        length, v = heappop(queue)
        if length > best[v]:
            continue
        for w in np.flatnonzero(best > length + cost[v]).tolist():
            best[w] = length + cost[v, w]
            came[w] = v
            heappush(queue, (float(best[w]), w))
    return Ways(best, came)


def shortest_path(cost: NDArray[np.float64], a: int, b: int) -> list[int] | None:
    """The path from ``a`` to ``b`` with the least sum of ``cost`` (d, d); None without any."""
    return shortest_ways(cost, a).to(b)


def least_cut(
    capacity: NDArray[np.float64],
    possible: NDArray[np.bool_],
    required: NDArray[np.bool_],
    a: int,
    b: int,
) -> NDArray[np.bool_]:
    """The set (d,) with ``a`` and without ``b`` that it costs least to let no edge lead out of.

    Parameters
    ----------
    capacity
        What each edge (d, d) is worth; >= 0.
    possible, required
        Edges (d, d) that could lead out, and those that must not, as they are kept.

    Notes
    -----
    By the largest flow from a to b: along shortest paths until none has room left (Edmonds and
    Karp). What can still be reached from a then is the set.
    """
    endless = 1.0 + float(capacity.sum())
    room = np.where(possible, capacity, 0.0)
    room[required] = endless
    while True:
        came = np.full(len(room), -1)
        came[a] = a
        reached = np.array([a])
        while reached.size and came[b] < 0:
            there = (room[reached] > 0.0) & (came < 0)
            newly = np.flatnonzero(there.any(axis=0))
            came[newly] = reached[there[:, newly].argmax(axis=0)]
            reached = newly
        if came[b] < 0:
            return came >= 0
        way = [b]
        while way[-1] != a:
            way.append(int(came[way[-1]]))
        edges = list(zip(way[1:], way[:-1], strict=True))
        least = min(room[v, w] for v, w in edges)
        for v, w in edges:
            room[v, w] -= least
            room[w, v] += least
