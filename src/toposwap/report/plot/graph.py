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
from toposwap.report.plot.labels import wrapped

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from toposwap.estimators import Topo
    from toposwap.report.graph import Doubt

FORMATS = (".png", ".svg", ".pdf")
#: More arrows than this are a tangle: only the strongest are drawn.
MOST_EDGES = 200
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
    doubt
        What resamples say of the edges of a model: the fewer have an edge, the paler it is, and
        dashed where most have none.
    """
    picture_suffix(path)
    require_matplotlib(f"drawing {str(path)!r}")
    shown = _reported(graph, names)
    if doubt is not None:
        shown = replace(shown, doubt=doubt)
    write_picture(path, lambda: graph_figure(shown, title))


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


def graph_figure(graph: ReportedGraph, title: str | None = None) -> Figure:
    """Draw a DAG into a figure of its own; nothing global is touched."""
    from toposwap.report.plot.canvas import Canvas
    from toposwap.report.plot.layout import layered_layout
    from toposwap.report.plot.legend import legend

    edges = graph.weights != 0.0
    if topological_order(edges) is None:
        cycle = " -> ".join(repr(graph.names[v]) for v in find_cycle(edges))
        raise InputError(f"only graphs without cycles can be drawn, and this has {cycle}")
    drawn = _strongest(graph, MOST_EDGES)
    left_out = int(np.count_nonzero(edges) - np.count_nonzero(drawn))
    alone = 0
    if len(graph.names) > MOST_NODES:
        kept = np.flatnonzero(drawn.any(axis=0) | drawn.any(axis=1))
        kept = kept if kept.size else np.arange(MOST_NODES)
        alone = len(graph.names) - len(kept)
        graph, drawn = graph.part(kept), drawn[np.ix_(kept, kept)]
    arrows = np.maximum(drawn.sum(axis=0), drawn.sum(axis=1))
    canvas = Canvas([wrapped(name) for name in graph.names], arrows.tolist())
    layout = layered_layout(drawn, canvas.box_widths, canvas.GAP, 3.0 * canvas.box_height)
    canvas.draw(layout, graph)
    return canvas.finish(legend(graph, drawn, left_out, alone), title)


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


def _strongest(graph: ReportedGraph, most: int) -> NDArray[np.bool_]:
    """The ``most`` strongest edges, (d, d), with those as strong as the last if they are few."""
    edges = graph.weights != 0.0
    if np.count_nonzero(edges) <= most:
        return edges
    places = np.flatnonzero(edges)
    sizes = graph.strength.flat[places]
    strongest_first = np.argsort(-sizes, kind="stable")
    count = np.count_nonzero(sizes >= sizes[strongest_first[most - 1]])
    chosen = np.zeros_like(edges)
    chosen.flat[places[strongest_first[: count if count <= 2 * most else most]]] = True
    return chosen
