"""Everything that the page shows, as one dictionary of plain data."""

from __future__ import annotations

from copy import copy
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.knowledge import Knowledge
from toposwap.knowledge.resolved import resolve
from toposwap.report.checks import checks_of, residuals_of
from toposwap.report.clusters import clusters_of
from toposwap.report.evidence import evidence_of
from toposwap.report.facts import summary_lines
from toposwap.report.graph import reported_graph
from toposwap.report.page.audit import audit
from toposwap.report.page.columns import column_records
from toposwap.report.page.edges import Spoken, carried_edges, edge_records, price_of
from toposwap.report.page.packed import digits
from toposwap.report.page.views import (
    FEW_EDGES,
    FEW_NODES,
    MOST_EDGES,
    Boxes,
    overview,
    view,
)
from toposwap.report.record import record_of
from toposwap.report.sureness import sureness_of
from toposwap.report.words import certificate_explained, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposwap.core.dataset import Dataset
    from toposwap.estimators import Topo
    from toposwap.knowledge.resolved import Resolved
    from toposwap.report.graph import ReportedGraph

_MOST_FORBIDDEN = 300


def page_contents(
    model: Topo,
    data: Dataset | None = None,
    *,
    confidence: Any = None,
    title: str | None = None,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """What the scripts of the page are given.

    Parameters
    ----------
    model
        A fitted model.
    data
        What it was fitted to; without it the page has the graph, and no distributions or checks.
    confidence
        Something with ``probabilities`` of edges (d, d), see
        :func:`~toposwap.report.sureness.sureness_of`.
    title
        Above the page.
    command
        What was typed.
    notes
        What was said while the table was read.
    """
    graph = reported_graph(model)
    rows = None if data is None else data.n
    evidence = evidence_of(model, data)
    record = record_of(model, rows, given=evidence)
    place = {name: k for k, name in enumerate(graph.names)}
    pairs = [(place[edge["source"]], place[edge["target"]]) for edge in record["edges"]]
    known = _knowledge(model)
    residuals = residuals_of(model, data)
    carried = carried_edges(model, data, residuals, evidence)
    spoken = Spoken(
        sureness_of(confidence, graph.names),
        frozenset() if known is None else known.required,
        frozenset(model.result_.against),
        carried,
    )
    headline = f"{counted(len(pairs), 'edge')} among {counted(len(graph.names), 'column')}" + (
        "" if data is None else f", learned from {counted(data.n, 'row')}"
    )
    lines = summary_lines(model, rows=rows, remarks=False)
    return {
        "title": title or "Learned graph",
        "headline": headline,
        "command": command,
        "python": f"{_as_typed(model)!r}.fit(table)",
        "record": record,
        "summary": [[key, value] for key, value in lines if key],
        "certificate": certificate_explained(model),
        "signed": graph.signed,
        "by_standardised": graph.by_standardised,
        "equivalent": bool(model.result_.equivalent),
        "price": digits(price_of(model, data.n), 4) if data is not None else None,
        "confident": spoken.sureness is not None,
        "columns": column_records(model, data, residuals),
        "edges": edge_records(model, data, residuals, spoken, pairs),
        "checks": [asdict(check) for check in checks_of(residuals)],
        "audit": audit(model, data, carried, notes),
        "knowledge": _known_pairs(known),
        **_views(model, graph, pairs, known),
    }


def _as_typed(model: Topo) -> Topo:
    """The model without what only listened to it: whoever repeats the fit has no use for that."""
    plain = copy(model)
    if getattr(plain, "progress", None) is not None:
        plain.progress = None
    return plain


def _knowledge(model: Topo) -> Resolved | None:
    known = Knowledge.of(getattr(model, "knowledge", None))
    return resolve(known, list(model.names_)) if known else None


def _known_pairs(known: Resolved | None) -> dict[str, Any] | None:
    if known is None:
        return None
    return {
        "required": sorted(known.required),
        "forbidden": sorted(known.forbidden)[:_MOST_FORBIDDEN],
        "more_forbidden": max(0, len(known.forbidden) - _MOST_FORBIDDEN),
        "tiers": [list(tier) for tier in known.tiers],
        "closed_tiers": sorted(known.closed_tiers),
    }


def _views(
    model: Topo, graph: ReportedGraph, pairs: Sequence[tuple[int, int]], known: Resolved | None
) -> dict[str, Any]:
    """The graph as a whole, and where it is large its clusters."""
    boxes = Boxes(graph.names)
    d = len(graph.names)
    tiers = None
    labels: list[str] = []
    if known is not None and any(known.tiers):
        tiers = np.full(d, -1)
        for v, k in known.tier_of().items():
            tiers[v] = k
        labels = [
            f"tier {k + 1}" + (" (closed)" if k in known.closed_tiers else "")
            for k in range(len(known.tiers))
        ]
    # They come strongest first.
    strongest = {pair: k for k, pair in enumerate(pairs[: _followed(d)])}
    at_edges = np.array(sorted({v for pair in strongest for v in pair}), dtype=np.int64)
    shown = np.arange(d) if d <= MOST_EDGES // 2 or not len(at_edges) else at_edges
    few = d <= FEW_NODES and len(pairs) <= FEW_EDGES
    found: dict[str, Any] = {
        "boxes": {"lines": boxes.lines, "widths": boxes.widths.round(1).tolist()},
        "box_height": boxes.height,
        "whole": view(boxes, shown, strongest, tiers, labels),
        "whole_left_out": [len(pairs) - len(strongest), d - len(shown)],
        "first": "whole" if few else "near",
        "clusters": [],
    }
    if not few and len(pairs):
        numbers = {pair: k for k, pair in enumerate(pairs)}
        groups = clusters_of(graph.strength)
        if len(groups) > 1:
            found["clusters"] = [
                {"columns": group.tolist(), "view": view(boxes, group, _within(group, numbers))}
                for group in groups
            ]
            found["overview"] = overview(
                groups, graph.names, graph.weights != 0.0, model.causal_order_
            )
    return found


def _within(group: Any, numbers: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """The strongest of the edges among the columns of ``group``."""
    inside = set(group.tolist())
    kept = [(pair, k) for pair, k in numbers.items() if pair[0] in inside and pair[1] in inside]
    return dict(kept[: _followed(len(group))])


def _followed(nodes: int) -> int:
    """How many edges among so many nodes a browser's view has."""
    return min(MOST_EDGES, max(FEW_EDGES, 2 * nodes))
