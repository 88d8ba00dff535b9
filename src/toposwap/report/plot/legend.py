"""What the looks of an edge mean: its colour, its width, and whether it has an arrowhead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from toposwap.io.edges import DOUBTFUL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.report.graph import ReportedGraph

# Told apart with any kind of colour vision, and in grey (Okabe and Ito).
POSITIVE, NEGATIVE, UNSIGNED = "#0072B2", "#D55E00", "#4D5966"
#: Of an edge that most resamples do not have.
DASHES = (0, (2.5, 1.5))


def edge_colour(graph: ReportedGraph, i: int, j: int) -> str:
    """By the sign of the weight, where it has one; the paler the fewer resamples have the edge."""
    colour = UNSIGNED
    if graph.has_sign(i, j):
        colour = POSITIVE if graph.weights[i, j] > 0.0 else NEGATIVE
    if graph.doubt is None:
        return colour
    return _paler(colour, float(graph.doubt.frequency[i, j]))


def is_doubtful(graph: ReportedGraph, i: int, j: int) -> bool:
    """Whether most resamples have no edge between i and j."""
    return graph.doubt is not None and bool(graph.doubt.frequency[i, j] < DOUBTFUL)


def _paler(colour: str, share: float) -> str:
    """``colour`` mixed with white: all of it at a share of 1, a quarter at 0.

    Mixed and not transparent, so that what lies below an arrow does not shine through.
    """
    part = 0.25 + 0.75 * min(1.0, max(0.0, share))
    mixed = [round(255 + part * (int(colour[k : k + 2], 16) - 255)) for k in (1, 3, 5)]
    return "#" + "".join(f"{level:02X}" for level in mixed)


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
    lonely = [plain(f"{alone} nodes without such edges are not drawn")] if alone else []
    if not drawn.any():
        return [plain("no edges"), *lonely]
    weights, sizes = graph.weights[drawn], graph.strength[drawn]
    sized = np.zeros(len(weights), dtype=bool) if graph.sized is None else graph.sized[drawn]
    handles = []
    for occurs, colour, words in (
        (
            graph.signed and (weights[~sized] > 0.0).any(),
            POSITIVE,
            "positive: effect rises with cause",
        ),
        (
            graph.signed and (weights[~sized] < 0.0).any(),
            NEGATIVE,
            "negative: effect falls as cause rises",
        ),
        (not graph.signed, UNSIGNED, "effect may rise and fall with cause"),
        (sized.any(), UNSIGNED, "without a sign: effect differs with the value of the cause"),
    ):
        if occurs:
            handles.append(Line2D([], [], color=colour, linewidth=2.0, label=words))
    if graph.open[drawn].any():
        handles.append(plain("no arrowhead: the data fit as well either way round"))
    if graph.doubt is not None:
        shares = graph.doubt.frequency[drawn]
        words = f"paler: found in fewer resamples, {shares.min():.0%} to {shares.max():.0%} of them"
        handles.append(plain(words))
        if (shares < DOUBTFUL).any():
            label = f"in less than {DOUBTFUL:.0%} of them"
            handles.append(Line2D([], [], color=UNSIGNED, linestyle=DASHES, linewidth=2.0))
            handles[-1].set_label(label)
    what = "|standardised weight|" if graph.by_standardised else "|weight|"
    handles.append(plain(f"width: {what}, from {sizes.min():.2g} to {sizes.max():.2g}"))
    if left_out:
        handles.append(plain(f"{left_out} {weaker} edges are not drawn"))
    return handles + lonely


def plain(text: str) -> Line2D:
    """A line of words without a sample of a line."""
    return Line2D([], [], linestyle="none", label=text)
