"""The two of Meek's rules that look at pairs of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True)
def _must_lead(
    a: int,
    b: int,
    arrows: NDArray[np.bool_],
    either: NDArray[np.bool_],
    adjacent: NDArray[np.bool_],
) -> bool:
    d = len(arrows)
    for c in range(d):
        if c == b or not either[a, c]:
            continue
        if arrows[c, b]:
            for e in range(c + 1, d):
                if either[a, e] and arrows[e, b] and not adjacent[c, e]:
                    return True
        elif not adjacent[c, b]:
            for e in range(d):
                if adjacent[a, e] and arrows[e, b] and arrows[c, e]:
                    return True
    return False


@kernel
def close_both_ways(
    arrows: NDArray[np.bool_],
    either: NDArray[np.bool_],
    adjacent: NDArray[np.bool_],
    follows: NDArray[np.bool_],
) -> None:
    """Set ``follows[a, b]`` (d, d) where a - b must be a -> b, whichever way a - c points.

    Either c -> b <- e with c, e apart and both joined to a by undirected edges; or c -> e -> b with
    c, b apart, a - c undirected and e adjacent to a. ``arrows``, ``either`` and ``adjacent`` (d, d)
    are the directed edges, the undirected ones and all.
    """
    d = len(arrows)
    for a in range(d):
        for b in range(d):
            if either[a, b] and not follows[a, b]:
                follows[a, b] = _must_lead(a, b, arrows, either, adjacent)
