"""The cheapest directed path between two nodes, and the cheapest way to leave none."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def shortest_path(cost: NDArray[np.float64], a: int, b: int) -> list[int] | None:
    """The path from ``a`` to ``b`` with the least sum of ``cost`` (d, d); None if all are infinite.

    Costs are not negative, and infinite where there is no edge.
    """
    best = np.full(len(cost), np.inf)
    came = np.full(len(cost), -1)
    best[a] = 0.0
    queue = [(0.0, a)]
    while queue:
        length, v = heappop(queue)
        if v == b:
            way = [b]
            while way[-1] != a:
                way.append(int(came[way[-1]]))
            return way[::-1]
        if length > best[v]:
            continue
        for w in np.flatnonzero(best > length + cost[v]).tolist():
            best[w] = length + cost[v, w]
            came[w] = v
            heappush(queue, (float(best[w]), w))
    return None


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
        queue = deque([a])
        while queue and came[b] < 0:
            v = queue.popleft()
            for w in np.flatnonzero((room[v] > 0.0) & (came < 0)).tolist():
                came[w] = v
                queue.append(w)
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
