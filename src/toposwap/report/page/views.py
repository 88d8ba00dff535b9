"""Where boxes stand and which way arrows go, in pixels: the graph, its clusters, and each cluster.

A view is plain data::

    {"nodes": [[column, x, y], ...], "edges": [[edge, path], ...], "width": w, "height": h,
     "bands": [[label, y, height], ...]}

with (x, y) the centre of a box and ``path`` the way of an arrow in the letters of SVG.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.report.clusters import hubs, links_of
from toposwap.report.plot.labels import wrapped
from toposwap.report.plot.layout import layered_layout
from toposwap.report.plot.routing import Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.report.plot.routing import Stroke

_LETTER, _LINE, _LEAST = 7.3, 16.0, 46.0
_PAD_X, _PAD_Y = 20.0, 12.0
_GAP, _PORT, _APPROACH = 30.0, 12.0, 14.0
#: The head of an arrow, which begins where its line ends.
_TIP = 10.0
#: More edges than this are a tangle: a view of the whole has the strongest only.
MOST_EDGES = 200
#: Clusters side by side in the overview.
_ABREAST = 5
#: Up to so many nodes and edges the whole graph is what is shown first.
FEW_NODES, FEW_EDGES = 40, 90


class Boxes:
    """The boxes of all columns: lines of text, widths (d,) and one height."""

    def __init__(self, names: Sequence[str]) -> None:
        self.lines = [wrapped(name).split("\n") for name in names]
        self.widths = np.array(
            [max(_LEAST, max(map(_text_width, lines)) + _PAD_X) for lines in self.lines]
        )
        self.height = max(map(len, self.lines)) * _LINE + _PAD_Y


def view(
    boxes: Boxes,
    nodes: NDArray[np.int64],
    numbers: dict[tuple[int, int], int],
    tiers: NDArray[np.int64] | None = None,
    tier_names: Sequence[str] = (),
) -> dict[str, Any]:
    """The columns ``nodes`` and the edges among them that ``numbers`` has a number for."""
    place = {int(v): k for k, v in enumerate(nodes)}
    inside = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for i, j in numbers:
        if i in place and j in place:
            inside[place[i], place[j]] = True
    arrows = np.maximum(inside.sum(axis=0), inside.sum(axis=1))
    widths = np.maximum(boxes.widths[nodes], _PORT * arrows / Grid.PORT_SHARE)
    own_tiers = None if tiers is None else tiers[nodes]
    layout = layered_layout(inside, widths, _GAP, 3.0 * boxes.height, own_tiers)
    # Room for what passes between two layers: many parts side by side do not need what one needs.
    passing = sum(1 + len(route) for route in layout.routes.values()) / layout.n_levels
    gap = float(np.clip(min(0.09 * layout.width, 30.0 + 3.0 * passing), 52.0, 150.0))
    grid = Grid(widths, boxes.height, boxes.height + gap, _PORT, _APPROACH)
    leaves, arrives = grid.ports(layout)
    edges = []
    for i, j in layout.routes:
        end = (arrives[i, j], grid.top(int(layout.level[j])) - _TIP)
        strokes = grid.strokes(leaves[i, j], int(layout.level[i]), layout.routes[i, j], end)
        edges.append([numbers[int(nodes[i]), int(nodes[j])], as_svg(strokes)])
    return {
        "nodes": [
            [int(v), round(x, 1), round(grid.top(int(level)) + boxes.height / 2.0, 1), round(w, 1)]
            for v, x, level, w in zip(nodes, layout.x.tolist(), layout.level, widths, strict=True)
        ],
        "edges": edges,
        "width": round(layout.width, 1),
        "height": round(layout.n_levels * grid.pitch - gap, 1),
        "bands": _bands(grid, layout.level, own_tiers, tier_names, gap),
    }


def as_svg(strokes: Sequence[Stroke]) -> str:
    """The letters of a path."""
    return "".join(
        letter + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) for letter, points in strokes
    )


def _bands(
    grid: Grid,
    level: NDArray[np.int64],
    tiers: NDArray[np.int64] | None,
    names: Sequence[str],
    gap: float,
) -> list[list[Any]]:
    """A label, the upper side and the height of the band of layers of each tier."""
    bands: list[list[Any]] = []
    for k in [] if tiers is None else np.unique(tiers[tiers >= 0]):
        inside = level[tiers == k]
        top = grid.top(int(inside.min())) - 0.42 * gap
        bottom = grid.top(int(inside.max())) + grid.box_height + 0.42 * gap
        bands.append([names[k], round(top, 1), round(bottom - top, 1)])
    return bands


def overview(
    clusters: Sequence[NDArray[np.int64]],
    names: Sequence[str],
    edges: NDArray[np.bool_],
    order: Sequence[int],
) -> dict[str, Any]:
    """Clusters as boxes, causes above effects as far as clusters have such an order."""
    links, labels = links_of(clusters, edges, order), []
    for group in clusters:
        named = ", ".join(wrapped(names[v], 14, 1) for v in hubs(group, edges)[:2])
        labels.append([f"{len(group)} columns", *wrapped(named, 20, 2).split("\n")])
    drawn, between = links.drawn, links.between
    widths = np.array([max(90.0, max(map(_text_width, lines)) + _PAD_X + 8.0) for lines in labels])
    height = max(map(len, labels)) * _LINE + _PAD_Y + 4.0
    widths = np.maximum(widths, _PORT * np.maximum(drawn.sum(axis=0), drawn.sum(axis=1)))
    # Many in one row would be too small to read: the earliest few stand above the next few.
    bands = None
    if len(clusters) > 2 * _ABREAST:
        bands = np.argsort(np.argsort(links.early, kind="stable")) // _ABREAST
    layout = layered_layout(drawn, widths, 1.4 * _GAP, 3.0 * height, bands)
    gap = float(np.clip(0.09 * layout.width, 56.0, 130.0))
    grid = Grid(widths, height, height + gap, _PORT, _APPROACH)
    leaves, arrives = grid.ports(layout)
    lines = []
    for a, b in layout.routes:
        end = (arrives[a, b], grid.top(int(layout.level[b])))
        strokes = grid.strokes(leaves[a, b], int(layout.level[a]), layout.routes[a, b], end)
        lines.append([int(a), int(b), int(between[a, b]), int(between[b, a]), as_svg(strokes)])
    return {
        "boxes": [
            [labels[k], round(x, 1), round(grid.top(int(level)) + height / 2.0, 1), round(w, 1)]
            for k, (x, level, w) in enumerate(
                zip(layout.x.tolist(), layout.level, widths, strict=True)
            )
        ],
        "box_height": height,
        "links": lines,
        "links_left_out": links.left_out,
        "width": round(layout.width, 1),
        "height": round(layout.n_levels * grid.pitch - gap, 1),
    }


def _text_width(text: str) -> float:
    """About as wide as ``text`` is at 13 pixels without serifs."""
    return sum(
        0.0
        if unicodedata.combining(c)
        else 13.5
        if unicodedata.east_asian_width(c) in "WF"
        else 11.0
        if c in "MW@%mw"
        else 4.2
        if c in "iIl.,:;'|!jtf ()[]"
        else _LETTER
        for c in text
    )
