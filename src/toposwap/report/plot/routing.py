"""The way an edge takes from box to box: upright past every layer, bent only between them.

A route is a list of strokes ``(letter, points)`` as in SVG: "M" moves to a point, "L" draws a line
to it, and "C" a curve of Bezier through two control points. y grows downwards, the upper side of
the boxes of the first layer is at 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.report.plot.layout import Layout

Point = tuple[float, float]
Stroke = tuple[str, tuple[Point, ...]]
Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Grid:
    """The measures of a picture in layers, in one unit of length.

    Attributes
    ----------
    box_widths
        (d,).
    box_height
        Of all boxes.
    pitch
        From the upper side of a layer's boxes to that of the next.
    port_spacing
        Arrows at one box keep this distance where there is room.
    approach
        Arrows go straight for so long before they end.
    """

    box_widths: NDArray[np.float64]
    box_height: float
    pitch: float
    port_spacing: float
    approach: float

    #: To this share of its width a box has arrows.
    PORT_SHARE: ClassVar[float] = 0.8

    def top(self, level: int) -> float:
        """The y of the upper side of the boxes of a layer."""
        return level * self.pitch

    def ports(self, layout: Layout) -> tuple[dict[Edge, float], dict[Edge, float]]:
        """The x at which each edge leaves its cause and reaches its effect, spread over the box.

        Edges are sorted by where they go next, so that they do not cross at the box.
        """
        leaves: dict[Edge, float] = {}
        arrives: dict[Edge, float] = {}
        out: dict[int, list[Edge]] = {}
        into: dict[int, list[Edge]] = {}
        for edge in layout.routes:
            out.setdefault(edge[0], []).append(edge)
            into.setdefault(edge[1], []).append(edge)
        for edges in out.values():
            edges.sort(key=lambda edge: [*layout.routes[edge], layout.x[edge[1]]][0])
        for edges in into.values():
            edges.sort(key=lambda edge: [layout.x[edge[0]], *layout.routes[edge]][-1])
        for grouped, ports in ((out, leaves), (into, arrives)):
            for node, edges in grouped.items():
                room = self.PORT_SHARE * self.box_widths[node]
                step = min(1.4 * self.port_spacing, room / max(len(edges) - 1, 1))
                for k, edge in enumerate(edges):
                    ports[edge] = layout.x[node] + (k - (len(edges) - 1) / 2.0) * step
        return leaves, arrives

    def strokes(
        self, start_x: float, level: int, passed: Sequence[float], end: Point
    ) -> list[Stroke]:
        """From the lower side of a box in layer ``level`` past the layers below it to ``end``."""
        at = (start_x, self.top(level) + self.box_height)
        strokes: list[Stroke] = [("M", (at,))]
        for k, x in enumerate(passed, start=level + 1):
            top = self.top(k)
            strokes += [_bend(at, (x, top)), ("L", ((x, top + self.box_height),))]
            at = (x, top + self.box_height)
        strokes += [_bend(at, (end[0], end[1] - self.approach)), ("L", (end,))]
        return strokes


def _bend(start: Point, end: Point) -> Stroke:
    """From ``start`` to ``end``, upright at both."""
    middle = (start[1] + end[1]) / 2.0
    return "C", ((start[0], middle), (end[0], middle), end)
