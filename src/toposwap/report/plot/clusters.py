"""Clusters of a graph as boxes that name their columns, with what links them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.graph import topological_order
from toposwap.report.clusters import clusters_of, hubs, links_of
from toposwap.report.graph import ReportedGraph
from toposwap.report.plot.labels import wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LINE, _MOST_LINES = 26, 5
#: So many clusters may stand side by side.
_ABREAST = 4


def clustered(graph: ReportedGraph) -> tuple[ReportedGraph, NDArray[np.int64] | None, list[str]]:
    """The graph of the clusters, the bands they stand in if they are many, and words below it.

    A weight is the number of edges between two clusters; a link is open where these go both ways.
    """
    edges = graph.weights != 0.0
    order = topological_order(edges)
    assert order is not None
    groups = clusters_of(graph.strength)
    links = links_of(groups, edges, order.tolist())
    labels = []
    for group in groups:
        names = [graph.names[v] for v in hubs(group, edges)]
        labels.append(f"{len(names)} column{'s' * (len(names) > 1)}\n{_listed(names)}")
    counts = links.between + links.between.T
    # Boxes stand by their order on average, so that single edges may point upwards.
    one_way = links.drawn & (links.between.T == 0)
    found = replace(
        ReportedGraph.of_weights(np.where(links.drawn, counts, 0).astype(np.float64), labels),
        open=links.drawn & ~one_way,
        signed=False,
    )
    bands = None
    if len(groups) > 2 * _ABREAST:
        bands = np.argsort(np.argsort(links.early, kind="stable")) // _ABREAST
    across = int(links.between.sum())
    words = [
        f"clusters of columns: {int(np.count_nonzero(edges)) - across} edges inside, "
        f"{across} between"
    ]
    if links.drawn.any():
        sizes = counts[links.drawn]
        words.append(f"width: number of edges between two clusters, {sizes.min()} to {sizes.max()}")
        if one_way.any():
            words.append("arrowhead: all of them point that way")
    if links.left_out:
        words.append(f"{links.left_out} thinner links are not drawn")
    return found, bands, words


def _listed(names: list[str]) -> str:
    """The names in a few short lines, with how many there is no room for."""
    lines, used = [""], 0
    for name in names:
        piece = wrapped(name, _LINE - 2, 1) + ", "
        if len(lines[-1]) + len(piece) > _LINE and lines[-1]:
            if len(lines) == _MOST_LINES:
                break
            lines.append("")
        lines[-1] += piece
        used += 1
    text = "\n".join(line.rstrip() for line in lines)
    more = len(names) - used
    return f"{text}\nand {more} more" if more else text.rstrip(",")
