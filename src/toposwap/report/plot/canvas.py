"""Boxes, arrows and a legend on a matplotlib figure, in inches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch
from matplotlib.path import Path

from toposwap.core.printable import printable
from toposwap.report.plot.legend import DASHES, edge_colour, is_doubtful

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.lines import Line2D

    from toposwap.report.graph import ReportedGraph
    from toposwap.report.plot.layout import Layout

_BOX, _BORDER, _INK = "#F3F5F7", "#5B6570", "#1B1F24"
_FONT_SIZE = 10.0
_THINNEST, _WIDEST = 0.9, 3.6
_MARGIN = 0.3
# Arrows at one box keep this distance, and to this share of its width; they go straight at the end.
_PORT_SPACING, _PORT_SHARE = 0.13, 0.8
_APPROACH = 0.15
_TIP = 1.5 / 72.0
_HEAD = "-|>,head_length=0.55,head_width=0.27"


class Canvas:
    """A figure that grows to fit its graph.

    Parameters
    ----------
    labels
        What is written into the boxes.
    arrows
        How many arrows begin or end, whichever is more, at each box; it is made wide enough.
    """

    GAP: ClassVar[float] = 0.34

    def __init__(self, labels: Sequence[str], arrows: Sequence[int]) -> None:
        self._figure = Figure(figsize=(4, 4))
        FigureCanvasAgg(self._figure)
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self._texts: list[Any] = [
            self._axes.text(
                0,
                0,
                label,
                size=_FONT_SIZE,
                color=_INK,
                ha="center",
                va="center",
                linespacing=1.1,
                parse_math=False,
                zorder=4,
            )
            for label in labels
        ]
        extents = [text.get_window_extent() for text in self._texts]
        dpi = self._figure.dpi
        self.box_widths = np.array(
            [
                max(box.width / dpi + 0.24, 0.5, _PORT_SPACING * count / _PORT_SHARE)
                for box, count in zip(extents, arrows, strict=True)
            ]
        )
        self.box_height = max(max(box.height for box in extents) / dpi + 0.18, 0.36)
        self._width = self._height = 0.0
        self._pitch = 0.0

    def draw(self, layout: Layout, graph: ReportedGraph) -> None:
        """Draw the nodes and the edges of ``layout``, the weakest edges lowest."""
        # The wider the graph, the farther arrows go sideways, and the more height they need.
        level_gap = float(np.clip(0.09 * layout.width, 0.6, 1.5))
        self._pitch = self.box_height + level_gap
        self._width = layout.width
        self._height = layout.n_levels * self._pitch - level_gap
        top = [self._top(int(level)) for level in layout.level]
        for text, x, y in zip(self._texts, layout.x, top, strict=True):
            text.set_position((x, y - self.box_height / 2.0))
        for k, (x, y) in enumerate(zip(layout.x, top, strict=True)):
            self._draw_box(x, y, self.box_widths[k])
        leaves, arrives = self._ports(layout)
        strength = graph.strength
        largest = max((strength[edge] for edge in layout.routes), default=0.0)
        for i, j in sorted(layout.routes, key=lambda edge: strength[edge]):
            is_open = bool(graph.open[i, j])
            # The tip of an arrow stops before the box; a line without one goes on to it.
            points, codes = self._path(
                (leaves[i, j], top[i] - self.box_height),
                layout.routes[i, j],
                int(layout.level[i]) + 1,
                (arrives[i, j], top[j] + (0.0 if is_open else _TIP)),
            )
            width = _THINNEST + (_WIDEST - _THINNEST) * strength[i, j] / largest
            self._draw_edge(
                points,
                codes,
                width,
                edge_colour(graph, i, j),
                "-" if is_open else _HEAD,
                doubtful=is_doubtful(graph, i, j),
            )

    def finish(self, handles: Sequence[Line2D], title: str | None) -> Figure:
        """Add title and the legend's ``handles``, and cut the paper to size."""
        head = 0.3 if title else 0.0
        foot = 0.19 * len(handles) + 0.15
        longest = max(len(str(handle.get_label())) for handle in handles)
        width = max(self._width, 2.6, 0.12 * len(title or ""), 0.075 * longest) + 2 * _MARGIN
        height = self._height + head + foot + 2 * _MARGIN
        self._figure.set_size_inches(width, height)
        middle = self._width / 2.0
        self._axes.set_xlim(middle - width / 2.0, middle + width / 2.0)
        self._axes.set_ylim(-self._height - foot - _MARGIN, head + _MARGIN)
        if title:
            self._axes.text(
                middle,
                0.6 * _MARGIN + head / 2.0,
                printable(title, keep="\n"),
                size=1.25 * _FONT_SIZE,
                weight="bold",
                color=_INK,
                ha="center",
                va="center",
                parse_math=False,
            )
        self._axes.legend(
            handles=handles,
            loc="lower center",
            frameon=False,
            fontsize=0.85 * _FONT_SIZE,
            labelcolor=_INK,
            handlelength=2.4,
            borderaxespad=1.2,
        )
        return self._figure

    def _top(self, level: int) -> float:
        """The y of the upper side of the boxes of a layer."""
        return -level * self._pitch

    def _draw_box(self, x: float, top: float, width: float) -> None:
        radius = 0.09
        self._axes.add_patch(
            FancyBboxPatch(
                (x - width / 2.0 + radius, top - self.box_height + radius),
                width - 2 * radius,
                self.box_height - 2 * radius,
                boxstyle=f"round,pad={radius},rounding_size={radius}",
                facecolor=_BOX,
                edgecolor=_BORDER,
                linewidth=0.9,
                zorder=3,
            )
        )

    def _ports(
        self, layout: Layout
    ) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
        """The x at which each edge leaves its cause and reaches its effect, spread over the box.

        Edges are sorted by where they go next, so that they do not cross at the box.
        """
        leaves: dict[tuple[int, int], float] = {}
        arrives: dict[tuple[int, int], float] = {}
        for node, x in enumerate(layout.x):
            out = [(i, j) for i, j in layout.routes if i == node]
            into = [(i, j) for i, j in layout.routes if j == node]
            out.sort(key=lambda edge: [*layout.routes[edge], layout.x[edge[1]]][0])
            into.sort(key=lambda edge: [layout.x[edge[0]], *layout.routes[edge]][-1])
            for edges, ports in ((out, leaves), (into, arrives)):
                room = _PORT_SHARE * self.box_widths[node]
                step = min(1.4 * _PORT_SPACING, room / max(len(edges) - 1, 1))
                for k, edge in enumerate(edges):
                    ports[edge] = x + (k - (len(edges) - 1) / 2.0) * step
        return leaves, arrives

    def _path(
        self,
        start: tuple[float, float],
        passed: Sequence[float],
        level: int,
        end: tuple[float, float],
    ) -> tuple[list[tuple[float, float]], list[Any]]:
        """Points and codes of a curve that bends between layers only: it passes boxes upright."""
        points, codes = [start], [Path.MOVETO]
        for x in passed:
            top = self._top(level)
            _bend(points, codes, (x, top))
            points.append((x, top - self.box_height))
            codes.append(Path.LINETO)
            level += 1
        _bend(points, codes, (end[0], end[1] + _APPROACH))
        points.append(end)
        codes.append(Path.LINETO)
        return points, codes

    def _draw_edge(
        self,
        points: list[tuple[float, float]],
        codes: list[Any],
        width: float,
        colour: str,
        style: str,
        *,
        doubtful: bool,
    ) -> None:
        # A white rim shows which of two crossing arrows is which; it spares the heads of others.
        rim = Path(points[:-1], codes[:-1])
        self._axes.add_patch(
            PathPatch(rim, facecolor="none", edgecolor="white", linewidth=width + 2.2, zorder=2)
        )
        self._axes.add_patch(
            FancyArrowPatch(
                path=Path(points, codes),
                arrowstyle=style,
                mutation_scale=7.5 + 1.9 * width,
                color=colour,
                linewidth=width,
                joinstyle="miter",
                capstyle="butt",
                linestyle=DASHES if doubtful else "solid",
                zorder=2,
            )
        )


def _bend(points: list[tuple[float, float]], codes: list[Any], end: tuple[float, float]) -> None:
    """Go on to ``end``, upright at both ends."""
    x, y = points[-1]
    middle = (y + end[1]) / 2.0
    points += [(x, middle), (end[0], middle), end]
    codes += [Path.CURVE4] * 3
