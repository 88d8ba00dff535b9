"""What the looks of an edge mean: its colour, its width, and whether it has an arrowhead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.report.graph import ReportedGraph

# Told apart with any kind of colour vision, and in grey (Okabe and Ito).
POSITIVE, NEGATIVE, UNSIGNED = "#0072B2", "#D55E00", "#4D5966"


def edge_colour(graph: ReportedGraph, i: int, j: int) -> str:
    """By the sign of the weight, where it has one."""
    if not graph.signed:
        return UNSIGNED
    return POSITIVE if graph.weights[i, j] > 0.0 else NEGATIVE


def legend(
    graph: ReportedGraph,
    drawn: NDArray[np.bool_],
    left_out: int,
    alone: int = 0,
    weaker: str = "weaker",
) -> list[Line2D]:
    """A line for each colour that occurs among the edges ``drawn`` (d, d), then words.

    ``left_out`` edges, which are ``weaker``, and ``alone`` nodes are not in the picture.
    """
    lonely = [_words(f"{alone} nodes without such edges are not drawn")] if alone else []
    if not drawn.any():
        return [_words("no edges"), *lonely]
    weights, sizes = graph.weights[drawn], graph.strength[drawn]
    handles = []
    for occurs, colour, words in (
        (graph.signed and (weights > 0.0).any(), POSITIVE, "positive: effect rises with cause"),
        (graph.signed and (weights < 0.0).any(), NEGATIVE, "negative: effect falls as cause rises"),
        (not graph.signed, UNSIGNED, "effect may rise and fall with cause"),
    ):
        if occurs:
            handles.append(Line2D([], [], color=colour, linewidth=2.0, label=words))
    if graph.open[drawn].any():
        handles.append(_words("no arrowhead: the data fit as well either way round"))
    what = "|standardised weight|" if graph.by_standardised else "|weight|"
    handles.append(_words(f"width: {what}, from {sizes.min():.2g} to {sizes.max():.2g}"))
    if left_out:
        handles.append(_words(f"{left_out} {weaker} edges are not drawn"))
    return handles + lonely


def _words(text: str) -> Line2D:
    return Line2D([], [], linestyle="none", label=text)
