"""Pictures of graphs: causes above effects, arrows as wide as they are strong.

Lengths are in inches throughout: the picture grows with the graph, the letters stay as they are.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning
from toposwap.core.graph import find_cycle, topological_order
from toposwap.io.atomic import replacing
from toposwap.report.graph import ReportedGraph, reported_graph
from toposwap.report.plot.clusters import clustered
from toposwap.report.plot.labels import wrapped
from toposwap.report.plot.selection import Part, part_of, readable, strongest

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from toposwap.estimators import Topo
    from toposwap.report.graph import Doubt
    from toposwap.report.plot.canvas import Canvas
    from toposwap.report.plot.layout import Layout

FORMATS = (".png", ".svg", ".pdf")
#: Of more nodes than this only those at an arrow are drawn.
MOST_NODES = 200
_MOST_PIXELS = 8000
_RESOLUTION = 160


def draw_graph(
    graph: Topo | Any,
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    title: str | None = None,
    most: int | None = None,
    around: int | str | None = None,
    steps: int = 1,
    cluster: int | str | None = None,
    clusters: bool = False,
    confidence: Any = None,
    doubt: Doubt | None = None,
) -> None:
    """Draw a DAG and write the picture, completely or not at all.

    Parameters
    ----------
    graph
        A fitted model, or weights (d, d), ``weights[i, j]`` for the edge i -> j; a DataFrame brings
        its names along. Of a model, edges whose direction is open have no arrowhead, and the width
        is that of the standardised weight where the score knows no units.
    path
        Ends in .png, .svg or .pdf.
    names
        Names of the nodes if ``graph`` is an array; x0, x1, ... by default.
    title
        Text above the picture.
    most
        How many edges to draw, the strongest; by default as many as can be followed by eye, 60 or
        two for each node, at most 200. The legend says how many are left out.
    around, steps
        Draw only this column, by name or position, and what that many edges join to it.
    cluster
        Draw only the columns that have many edges with this one and with each other.
    clusters
        Draw groups of columns with many edges among them as boxes that name them, and how many
        edges link the groups.
    confidence
        What says how sure edges are (an object with ``probabilities`` and perhaps ``adjacent``, or
        a matrix): the surest are drawn instead of the strongest.
    doubt
        What resamples say of the edges of a model: the fewer have an edge, the paler it is, and
        dashed where most have none.
    """
    picture_suffix(path)
    require_matplotlib(f"drawing {str(path)!r}")
    whole = _reported(graph, names)
    if doubt is not None:
        whole = replace(whole, doubt=doubt)
    part = part_of(whole, around, steps, cluster, confidence)
    write_picture(path, lambda: graph_figure(part, title, most=most, clusters=clusters))


def write_picture(path: str | os.PathLike[str], draw: Callable[[], Figure]) -> None:
    """Write the figure that ``draw`` makes in the format that ``path`` asks for."""
    suffix = picture_suffix(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = draw()
        largest = max(figure.get_size_inches())
        # Without a date the same graph gives the same file.
        dates = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        with replacing(path) as temporary:
            figure.savefig(
                temporary,
                format=suffix[1:],
                dpi=min(_RESOLUTION, _MOST_PIXELS / largest),
                metadata=dates[suffix],
            )
    if any("Glyph" in str(warning.message) for warning in caught):
        warnings.warn(
            f"{str(path)!r}: the font lacks some characters of the names; they are drawn as boxes",
            ToposwapWarning,
            stacklevel=3,
        )


def picture_suffix(path: str | os.PathLike[str]) -> str:
    """The ending that decides the format of a picture, or an error that lists those there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"{str(path)!r}: the format of a picture is known by its ending, one of "
            f"{', '.join(FORMATS)}; choose one"
        )
    return suffix


def require_matplotlib(purpose: str) -> None:
    """Raise if pictures cannot be drawn here."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", purpose) from None


def graph_figure(
    part: ReportedGraph | Part,
    title: str | None = None,
    *,
    most: int | None = None,
    clusters: bool = False,
) -> Figure:
    """Draw a DAG, or its clusters, into a figure of its own; nothing global is touched."""
    part = part if isinstance(part, Part) else Part(part)
    laid_out = _clusters_laid_out(part.graph, None) if clusters else _laid_out(part, most, None)
    canvas, graph, layout, handles = laid_out
    canvas.draw(layout, graph)
    return canvas.finish(handles, title)


def plot_graph(
    part: Part,
    axes: Axes,
    *,
    title: str | None = None,
    most: int | None = None,
    clusters: bool = False,
) -> Axes:
    """Draw a DAG, or its clusters, into ``axes``, letters and lines as small as it takes."""
    laid_out = _clusters_laid_out(part.graph, axes) if clusters else _laid_out(part, most, axes)
    canvas, graph, layout, handles = laid_out
    canvas.draw(layout, graph, into=len(handles))
    return canvas.place(handles, title)


def natural_size(
    part: Part, most: int | None = None, *, clusters: bool = False
) -> tuple[float, float]:
    """Width and height in inches at which letters have their full size, at most 16 x 12."""
    width, height = graph_figure(part, most=most, clusters=clusters).get_size_inches()
    return min(float(width), 16.0), min(float(height), 12.0)


def _clusters_laid_out(
    graph: ReportedGraph, axes: Axes | None
) -> tuple[Canvas, ReportedGraph, Layout, list[Line2D]]:
    """As :func:`_laid_out`, a box for each cluster."""
    from toposwap.report.plot.canvas import Canvas
    from toposwap.report.plot.layout import layered_layout
    from toposwap.report.plot.legend import plain

    found, bands, words = clustered(_acyclic(graph))
    drawn = found.weights != 0.0
    arrows = np.maximum(drawn.sum(axis=0), drawn.sum(axis=1))
    canvas = Canvas(list(found.names), arrows.tolist(), axes)
    widths, height = canvas.box_widths, canvas.box_height
    layout = layered_layout(drawn, widths, canvas.GAP, 3.0 * height, bands)
    return canvas, found, layout, [plain(text) for text in words]


def _acyclic(graph: ReportedGraph) -> ReportedGraph:
    edges = graph.weights != 0.0
    if topological_order(edges) is None:
        cycle = " -> ".join(repr(graph.names[v]) for v in find_cycle(edges))
        raise InputError(f"only graphs without cycles can be drawn, and this has {cycle}")
    return graph


def _laid_out(
    part: Part, most: int | None, axes: Axes | None
) -> tuple[Canvas, ReportedGraph, Layout, list[Line2D]]:
    """What is drawn: the canvas, the graph on its nodes, where they stand, and the legend."""
    from toposwap.report.plot.canvas import Canvas
    from toposwap.report.plot.layout import layered_layout
    from toposwap.report.plot.legend import legend

    graph, by = _acyclic(part.graph), part.sure
    edges = graph.weights != 0.0
    if most is not None and most < 1:
        raise InputError(f"most: at least one edge must be drawn, got {most!r}")
    drawn = strongest(graph, readable(graph) if most is None else most, by, part.centre)
    left_out = int(np.count_nonzero(edges) - np.count_nonzero(drawn))
    alone = 0
    if len(graph.names) > MOST_NODES:
        kept = np.flatnonzero(drawn.any(axis=0) | drawn.any(axis=1))
        kept = kept if kept.size else np.arange(MOST_NODES)
        alone = len(graph.names) - len(kept)
        graph, drawn = graph.part(kept), drawn[np.ix_(kept, kept)]
    arrows = np.maximum(drawn.sum(axis=0), drawn.sum(axis=1))
    canvas = Canvas([wrapped(name) for name in graph.names], arrows.tolist(), axes)
    layout = layered_layout(drawn, canvas.box_widths, canvas.GAP, 3.0 * canvas.box_height)
    words = "less sure" if by is not None else "weaker"
    return canvas, graph, layout, legend(graph, drawn, left_out, alone, words)


def _reported(graph: Any, names: Sequence[str] | None) -> ReportedGraph:
    if hasattr(graph, "adjacency_matrix_"):
        return reported_graph(graph)
    if hasattr(graph, "columns") and names is None:
        names = [str(name) for name in graph.columns]
    weights = np.asarray(graph, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or weights.size == 0:
        raise InputError(f"graph: a fitted model or a (d, d) matrix is drawn, got {weights.shape}")
    labels = [f"x{k}" for k in range(len(weights))] if names is None else [str(n) for n in names]
    if len(labels) != len(weights):
        raise InputError(f"names: {len(labels)} given for {len(weights)} nodes")
    return ReportedGraph.of_weights(weights, labels)
