"""Boxes, arrows and a legend on a matplotlib figure, in inches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch
from matplotlib.path import Path

from toposwap.core.printable import printable
from toposwap.report.plot.legend import edge_colour
from toposwap.report.plot.routing import Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from toposwap.report.graph import ReportedGraph
    from toposwap.report.plot.layout import Layout
    from toposwap.report.plot.routing import Stroke

_BOX, _BORDER, _INK = "#F3F5F7", "#5B6570", "#1B1F24"
_FONT_SIZE = 10.0
_THINNEST, _WIDEST = 0.9, 3.6
_MARGIN = 0.3
# Arrows at one box keep this distance, and go straight at the end.
_PORT_SPACING = 0.13
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

    def __init__(
        self, labels: Sequence[str], arrows: Sequence[int], axes: Axes | None = None
    ) -> None:
        if axes is None:
            self._figure = Figure(figsize=(4, 4))
            FigureCanvasAgg(self._figure)
            axes = self._figure.add_axes((0, 0, 1, 1))
        else:
            figure = axes.get_figure(root=True)
            assert figure is not None
            self._figure = figure
        self._axes = axes
        self._scale = 1.0
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
                max(box.width / dpi + 0.24, 0.5, _PORT_SPACING * count / Grid.PORT_SHARE)
                for box, count in zip(extents, arrows, strict=True)
            ]
        )
        self.box_height = max(max(box.height for box in extents) / dpi + 0.18, 0.36)
        self._width = self._height = 0.0

    def draw(self, layout: Layout, graph: ReportedGraph, into: int | None = None) -> None:
        """Draw the nodes and the edges of ``layout``, the weakest edges lowest.

        ``into`` axes that have their size, letters and lines shrink to fit, with that many lines
        of a legend below.
        """
        # The wider the graph, the farther arrows go sideways, and the more height they need.
        level_gap = float(np.clip(0.09 * layout.width, 0.6, 1.5))
        grid = Grid(
            self.box_widths, self.box_height, self.box_height + level_gap, _PORT_SPACING, _APPROACH
        )
        self._width = layout.width
        self._height = layout.n_levels * grid.pitch - level_gap
        if into is not None:
            room = self._axes.get_window_extent()
            inches = room.width / self._figure.dpi, room.height / self._figure.dpi
            # The legend stands below.
            high = self._height + 0.22 * into + 2 * _MARGIN
            self._scale = min(1.0, inches[0] / (self._width + 2 * _MARGIN), inches[1] / high)
            for text in self._texts:
                text.set_fontsize(_FONT_SIZE * self._scale)
        top = [-grid.top(int(level)) for level in layout.level]
        for text, x, y in zip(self._texts, layout.x, top, strict=True):
            text.set_position((x, y - self.box_height / 2.0))
        for k, (x, y) in enumerate(zip(layout.x, top, strict=True)):
            self._draw_box(x, y, self.box_widths[k])
        leaves, arrives = grid.ports(layout)
        strength = graph.strength
        largest = max((strength[edge] for edge in layout.routes), default=0.0)
        for i, j in sorted(layout.routes, key=lambda edge: strength[edge]):
            is_open = bool(graph.open[i, j])
            # The tip of an arrow stops before the box; a line without one goes on to it.
            end = (arrives[i, j], grid.top(int(layout.level[j])) - (0.0 if is_open else _TIP))
            strokes = grid.strokes(leaves[i, j], int(layout.level[i]), layout.routes[i, j], end)
            points, codes = _as_path(strokes)
            width = _THINNEST + (_WIDEST - _THINNEST) * strength[i, j] / largest
            self._draw_edge(
                points, codes, width, edge_colour(graph, i, j), "-" if is_open else _HEAD
            )

    def place(self, handles: Sequence[Line2D], title: str | None) -> Axes:
        """Add title and the legend's ``handles`` to axes that have their size."""
        foot = 0.22 * len(handles) + _MARGIN
        middle = self._width / 2.0
        room = self._axes.get_window_extent()
        wide = max(
            self._width + 2 * _MARGIN,
            (self._height + foot + _MARGIN) * room.width / max(room.height, 1.0),
        )
        high = wide * room.height / max(room.width, 1.0)
        self._axes.set_xlim(middle - wide / 2.0, middle + wide / 2.0)
        spare = max(0.0, high - self._height - foot - _MARGIN)
        self._axes.set_ylim(-self._height - foot - spare / 2.0, _MARGIN + spare / 2.0)
        if title:
            self._axes.set_title(printable(title, keep="\n"), parse_math=False)
        self._axes.legend(
            handles=handles,
            loc="lower center",
            frameon=False,
            fontsize=0.85 * _FONT_SIZE * max(self._scale, 0.6),
            labelcolor=_INK,
            handlelength=2.4,
        )
        return self._axes

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
                linewidth=0.9 * self._scale,
                zorder=3,
            )
        )

    def _draw_edge(
        self,
        points: list[tuple[float, float]],
        codes: list[Any],
        width: float,
        colour: str,
        style: str,
    ) -> None:
        width *= self._scale
        # A white rim shows which of two crossing arrows is which; it spares the heads of others.
        rim = Path(points[:-1], codes[:-1])
        self._axes.add_patch(
            PathPatch(
                rim,
                facecolor="none",
                edgecolor="white",
                linewidth=width + 2.2 * self._scale,
                zorder=2,
            )
        )
        self._axes.add_patch(
            FancyArrowPatch(
                path=Path(points, codes),
                arrowstyle=style,
                mutation_scale=7.5 * self._scale + 1.9 * width,
                color=colour,
                linewidth=width,
                joinstyle="miter",
                capstyle="butt",
                zorder=2,
            )
        )


def _as_path(strokes: Sequence[Stroke]) -> tuple[list[tuple[float, float]], list[Any]]:
    """Points and codes for matplotlib, whose y grows upwards."""
    letters = {"M": Path.MOVETO, "L": Path.LINETO, "C": Path.CURVE4}
    points, codes = [], []
    for letter, ends in strokes:
        points += [(x, -y) for x, y in ends]
        codes += [letters[letter]] * len(ends)
    return points, codes
