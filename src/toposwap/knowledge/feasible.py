"""Whether some DAG has all the paths that are asked for, and none of those that must not be.

Where edges from each ancestor to its descendant may be drawn, these are the answer. Where some are
forbidden, ways around are tried, the shortest first, and taken back where they lead nowhere.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.reachability import reachability
from toposwap.knowledge.tables import closes_a_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from toposwap.knowledge.resolved import Edge

    Table = NDArray[np.bool_]

#: Paths that are tried before the question is given up; drawn knowledge needs a handful.
_MOST_TRIED = 3000


def completed(
    possible: Table,
    before: Table,
    required: Table,
    paths: Sequence[Edge],
    no_paths: Sequence[Edge],
) -> Table | None:
    """``required`` with edges that make all ``paths`` and none of ``no_paths``; None without any.

    Parameters
    ----------
    possible
        Edges (d, d) that may be drawn.
    before
        Who must precede whom, (d, d), transitively closed.
    required
        Edges (d, d) that are there.
    paths, no_paths
        Pairs with a directed path, and without any.
    """
    budget = [_MOST_TRIED]
    return _completed(possible, before, required, tuple(paths), tuple(no_paths), budget)


def _completed(
    possible: Table,
    before: Table,
    required: Table,
    paths: tuple[Edge, ...],
    no_paths: tuple[Edge, ...],
    budget: list[int],
) -> Table | None:
    there = reachability(required)
    if any(there[a, b] for a, b in no_paths):
        return None
    missing = [(a, b) for a, b in paths if not there[a, b]]
    if not missing:
        return required
    promised = required.copy()
    for a, b in missing:
        promised[a, b] = True
    led_to = reachability(promised)
    if any(led_to[a, b] for a, b in no_paths):
        return None
    later = reachability(before | promised)
    if (later & later.T & ~np.eye(len(later), dtype=bool)).any():
        return None
    free = (possible & ~closes_a_path(led_to, no_paths) & ~later.T) | required
    # The pair with the fewest ways to begin leaves the least to be taken back.
    a, b = min(missing, key=lambda pair: int(free[pair[0]].sum()))
    for way in ways(free, a, b):
        budget[0] -= 1
        if budget[0] < 0:
            return None
        more = required.copy()
        more[way[:-1], way[1:]] = True
        found = _completed(possible, before, more, paths, no_paths, budget)
        if found is not None:
            return found
    return None


def ways(free: Table, a: int, b: int) -> Iterator[list[int]]:
    """Directed paths from ``a`` to ``b`` along ``free`` edges (d, d), the shortest first."""
    leads = reachability(free)[:, b]
    queue = deque([[a]])
    while queue:
        way = queue.popleft()
        if free[way[-1], b]:
            yield [*way, b]
        for v in np.flatnonzero(free[way[-1]] & leads).tolist():
            if v != b and v not in way:
                queue.append([*way, v])
