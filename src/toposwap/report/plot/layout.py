"""Where the nodes of a DAG stand in a picture, and which way its edges take.

Every connected part is laid out in layers (:mod:`~toposwap.report.plot.layers`), then the parts are
set side by side in rows like words on a page, large ones first, nodes without edges last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.sparse.csgraph import connected_components

from toposwap.core.graph import topological_order
from toposwap.report.plot.layers import Layered, layered

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SWEEPS = 40
#: Passing edges need less room than nodes, and are worth keeping straight.
_PASSING_WIDTH = 0.0
_STRAIGHTNESS = 6.0


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions in a plane, in the units of the widths given.

    Attributes
    ----------
    x
        Centres of the nodes, (d,).
    level
        Layers of the nodes, (d,), 0 at the top.
    routes
        For each edge (i, j) the x at which it passes the levels between i and j, top first.
    width
        From the left side of the leftmost node to the right side of the rightmost.
    n_levels
        Number of layers.
    """

    x: NDArray[np.float64]
    level: NDArray[np.int64]
    routes: dict[tuple[int, int], list[float]]
    width: float
    n_levels: int


def layered_layout(
    edges: NDArray[np.bool_],
    widths: NDArray[np.float64],
    gap: float,
    level_height: float,
    tiers: NDArray[np.int64] | None = None,
) -> Layout:
    """Lay out a DAG.

    Parameters
    ----------
    edges
        (d, d) bool, of a DAG.
    widths
        Width of each node's box, (d,).
    gap
        Least distance between boxes.
    level_height
        Distance between layers, for the proportions of the page.
    tiers
        Numbers (d,) from 0, -1 for nodes without one; a tier is a band of layers of its own.
    """
    split = _connected_parts(edges) if tiers is None else [np.arange(len(edges))]
    parts = [_Part(edges, nodes, widths, gap, tiers) for nodes in split]
    parts.sort(key=lambda part: (-part.n_edges, -len(part.nodes), part.nodes[0]))
    page = _page_width(parts, gap, level_height)
    d = len(edges)
    x, level = np.zeros(d), np.zeros(d, dtype=np.int64)
    routes: dict[tuple[int, int], list[float]] = {}
    left, top, deepest, width = 0.0, 0, 0, 0.0
    for k, part in enumerate(parts):
        first_without_edges = k > 0 and part.n_edges == 0 < parts[k - 1].n_edges
        if first_without_edges or (left > 0.0 and left + part.width > page):
            left, top, deepest = 0.0, top + deepest, 0
        x[part.nodes] = part.x + left
        level[part.nodes] = part.level + top
        for edge, passed in part.routes.items():
            routes[edge] = [left + at for at in passed]
        width = max(width, left + part.width)
        left += part.width + 2.0 * gap
        deepest = max(deepest, part.n_levels)
    return Layout(x, level, routes, width, top + deepest)


class _Part:
    """A connected part of the graph, laid out from x = 0 and level 0."""

    def __init__(
        self,
        edges: NDArray[np.bool_],
        nodes: NDArray[np.int64],
        widths: NDArray[np.float64],
        gap: float,
        tiers: NDArray[np.int64] | None = None,
    ) -> None:
        inside = edges[np.ix_(nodes, nodes)]
        order = topological_order(inside)
        assert order is not None
        graph = layered(inside, order.tolist(), None if tiers is None else tiers[nodes])
        own_widths = np.full(len(graph.above), _PASSING_WIDTH)
        own_widths[: len(nodes)] = widths[nodes]
        x = _coordinates(graph, len(nodes), own_widths, gap)
        x -= (x - own_widths / 2.0).min()
        self.nodes = nodes
        self.n_edges = int(np.count_nonzero(inside))
        self.n_levels = len(graph.layers)
        self.width = float((x + own_widths / 2.0).max())
        self.x = x[: len(nodes)]
        self.level = np.empty(len(nodes), dtype=np.int64)
        for number, layer in enumerate(graph.layers):
            self.level[[v for v in layer if v < len(nodes)]] = number
        self.routes = {
            (int(nodes[i]), int(nodes[j])): x[passed].tolist()
            for (i, j), passed in graph.routes.items()
        }


def _coordinates(
    graph: Layered, d: int, widths: NDArray[np.float64], gap: float
) -> NDArray[np.float64]:
    """Minimise sum of weight (x_v - x_w)^2 over links, vertices of a layer kept apart.

    One layer at a time, the others fixed, this is a regression onto an increasing sequence, which
    is solved exactly; going to and fro converges, the problem being convex.
    """
    x = np.zeros(len(widths))
    offsets = []
    for layer in graph.layers:
        side = widths[layer] / 2.0
        room = np.where(np.array(layer) < d, gap, 0.6 * gap)
        apart = side[:-1] + side[1:] + (room[:-1] + room[1:]) / 2.0
        offset = np.concatenate([[0.0], np.cumsum(apart)])
        offsets.append(offset)
        x[layer] = offset - offset[-1] / 2.0
    links = [
        (np.array(above + below, dtype=np.int64), _stiffness(v, above + below, d))
        for v, (above, below) in enumerate(zip(graph.above, graph.below, strict=True))
    ]
    down = list(range(len(graph.layers)))
    for number in (down + down[::-1]) * (_SWEEPS // 2):
        layer = graph.layers[number]
        wanted, weight = x[layer], np.full(len(layer), 1e-6)
        for k, v in enumerate(layer):
            others, stiffness = links[v]
            if others.size:
                wanted[k] = stiffness @ x[others] / stiffness.sum()
                weight[k] = stiffness.sum()
        fitted = isotonic_regression(wanted - offsets[number], weights=weight).x
        x[layer] = fitted + offsets[number]
    return x


def _stiffness(v: int, others: list[int], d: int) -> NDArray[np.float64]:
    """Weights of the links of vertex ``v``: the more passing ends a link has, the straighter."""
    passing = np.array([(v >= d) + (w >= d) for w in others], dtype=np.float64)
    return _STRAIGHTNESS**passing


def _connected_parts(edges: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    count, label = connected_components(edges, directed=False)
    return [np.flatnonzero(label == k) for k in range(count)]


def _page_width(parts: list[_Part], gap: float, level_height: float) -> float:
    """Wide enough for the widest part, and for a page half as wide again as it is high."""
    area = sum((part.width + 2.0 * gap) * part.n_levels * level_height for part in parts)
    return max(*(part.width for part in parts), float(np.sqrt(1.5 * area)))
