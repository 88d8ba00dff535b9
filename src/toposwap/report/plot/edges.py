"""A picture of what was learned along one edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.printable import printable
from toposwap.report.plot.graph import picture_suffix, require_matplotlib, write_picture

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

    from toposwap.estimators import Topo


def draw_edge_function(
    model: Topo,
    i: int | str,
    j: int | str,
    path: str | os.PathLike[str],
    *,
    n_points: int = 200,
    title: str | None = None,
) -> None:
    """Draw :meth:`Topo.edge_function` and write the picture, completely or not at all.

    Parameters
    ----------
    model
        A fitted model.
    i, j
        Parent and child, by name or position.
    path
        Ends in .png, .svg or .pdf.
    n_points
        Points at which the function is evaluated.
    title
        Text above the picture.
    """
    picture_suffix(path)
    require_matplotlib(f"drawing {str(path)!r}")
    write_picture(path, lambda: edge_figure(model, i, j, n_points=n_points, title=title))


def edge_figure(
    model: Topo, i: int | str, j: int | str, *, n_points: int = 200, title: str | None = None
) -> Figure:
    """Draw the function of one edge into a figure of its own; nothing global is touched."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from toposwap.report.plot.legend import POSITIVE

    grid, values = model.edge_function(i, j, n_points)
    source, target = (c if isinstance(c, str) else model.names_[c] for c in (i, j))
    figure = Figure(figsize=(4.5, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot(grid, values, color=POSITIVE, linewidth=1.8)
    # Names are text: matplotlib would read $...$ as mathematics.
    axes.set_xlabel(printable(source), parse_math=False)
    axes.set_ylabel(printable(f"{target}, others at their mean"), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    if title is not None:
        axes.set_title(printable(title, keep="\n"), parse_math=False)
    return figure
