"""A fitted model in a notebook: a small graph, headline and certificate, without scripts."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.printable import printable
from toposwap.report.graph import reported_graph
from toposwap.report.page.views import Boxes, view
from toposwap.report.plot.selection import readable, strongest
from toposwap.report.words import certificate_in_words, counted, status_in_words

if TYPE_CHECKING:
    from toposwap.estimators import Topo

_POSITIVE, _NEGATIVE, _UNSIGNED = "#0072B2", "#D55E00", "#7A8591"
_MOST_NODES = 60
_WIDEST, _HEAD = 760.0, 10.0


def as_notebook(model: Topo) -> str:
    """HTML for a notebook; names in it are escaped text."""
    kept = int(np.count_nonzero(model.adjacency_matrix_))
    columns = counted(len(model.names_), "column")
    told = [
        f"<b>{html.escape(type(model).__name__)}</b>: {counted(kept, 'edge')} among {columns}, "
        f"score {model.score_:.6g} ({_text(model.result_.score_name)})",
        _text(status_in_words(model.status_)),
        f"certificate {_text(certificate_in_words(model.certificate_, model.names_))}",
    ]
    lines = "".join(f"<div>{line}</div>" for line in told)
    return (
        f'<div style="font-family:Helvetica,Arial,sans-serif;font-size:13px">{lines}'
        f"{small_graph(model)}</div>"
    )


def small_graph(model: Topo) -> str:
    """The graph as SVG, with as many of its edges as can be followed by eye."""
    graph = reported_graph(model)
    drawn = strongest(graph, readable(graph))
    nodes = np.arange(len(graph.names))
    if len(nodes) > _MOST_NODES:
        drawn = strongest(graph, _MOST_NODES)
        nodes = np.flatnonzero(drawn.any(axis=0) | drawn.any(axis=1))
    if not nodes.size:
        return ""
    pairs = [(int(i), int(j)) for i, j in np.argwhere(drawn)]
    boxes = Boxes(graph.names)
    found = view(boxes, nodes, {pair: k for k, pair in enumerate(pairs)})
    strength = graph.strength
    largest = max((strength[pair] for pair in pairs), default=1.0)
    parts = []
    for k, path in found["edges"]:
        i, j = pairs[k]
        colour = _UNSIGNED
        if graph.has_sign(i, j):
            colour = _POSITIVE if graph.weights[i, j] > 0.0 else _NEGATIVE
        wide = 1.2 + 3.0 * strength[i, j] / largest
        x, y = (float(t) for t in path.replace("L", " ").split()[-1].split(","))
        end = f"v{_HEAD - 1:g}" if graph.open[i, j] else ""
        parts.append(
            f'<path d="{path}{end}" fill="none" stroke="{colour}" stroke-width="{wide:.2f}"/>'
        )
        if not graph.open[i, j]:
            head = f"M{x - 4.5:.1f},{y:.1f}h9l-4.5,{_HEAD:g}z"
            parts.append(f'<path d="{head}" fill="{colour}"/>')
    for v, x, y, wide in found["nodes"]:
        parts.append(
            f'<rect x="{x - wide / 2:.1f}" y="{y - boxes.height / 2:.1f}" width="{wide:.1f}" '
            f'height="{boxes.height:g}" rx="8" fill="#F3F5F7" stroke="#5B6570"/>'
        )
        lines = boxes.lines[v]
        for row, line in enumerate(lines):
            at = y + (row - (len(lines) - 1) / 2.0) * 16.0 + 4.5
            parts.append(
                f'<text x="{x:.1f}" y="{at:.1f}" text-anchor="middle" font-size="13" '
                f'fill="#1B1F24">{_text(line)}</text>'
            )
    width, height = found["width"] + 24.0, found["height"] + 24.0
    shown = min(1.0, _WIDEST / width)
    left_out = int(np.count_nonzero(graph.weights)) - len(pairs)
    note = f"<div><i>{left_out} weaker edges are not drawn</i></div>" if left_out else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 {width:g} {height:g}" '
        f'width="{width * shown:.0f}" height="{height * shown:.0f}" role="img" '
        f'aria-label="learned graph" style="max-width:100%;background:#fff">{"".join(parts)}</svg>'
        f"{note}"
    )


def _text(words: str) -> str:
    return html.escape(printable(words))
