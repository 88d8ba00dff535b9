"""A fitted model as plain data: names instead of positions, for files and for other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from toposwap import __version__
from toposwap.core.tables.names import index_of
from toposwap.io.write_graph import graph_suffix, write_graph
from toposwap.report.evidence import evidence_at_hand
from toposwap.report.gaps import gaps_record
from toposwap.report.graph import reported_graph
from toposwap.report.interventions import interventions_record
from toposwap.report.knowledge import knowledge_record
from toposwap.scores.settings import penalty_settings

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pandas as pd

    from toposwap.certificate import Certificate
    from toposwap.estimators import Topo
    from toposwap.io.edges import LearnedEdge
    from toposwap.report.evidence import Evidence
    from toposwap.report.graph import Doubt

#: The version of the schema of result files, ``io/schemas/result-1.json``.
FORMAT = "toposwap-result-1"


def graph_of(model: Topo) -> pd.DataFrame:
    """The pruned weights (d, d) with their names, rows are causes."""
    import pandas as pd

    names = index_of(model.names_)
    return pd.DataFrame(model.adjacency_matrix_, index=names, columns=names)


def solution_of(model: Topo) -> pd.DataFrame:
    """The unpruned weights (d, d) with their names: what the certificate speaks of."""
    import pandas as pd

    names = index_of(model.names_)
    return pd.DataFrame(model.weights_, index=names, columns=names)


def record_of(
    model: Topo,
    rows: int | None = None,
    doubt: Doubt | None = None,
    given: Evidence | None = None,
) -> dict[str, Any]:
    """Everything about a fitted model that JSON can hold.

    ``rows`` is the size of its data, ``doubt`` what resamples say of the edges, ``given`` what the
    table says of them in this graph, by default what the rows at hand do.
    """
    given = evidence_at_hand(model) if given is None else given
    edges = reported_graph(model, doubt, given).edges()
    return {
        "format": FORMAT,
        "version": __version__,
        "rows": rows,
        "names": list(model.names_),
        "causal_order": [model.names_[v] for v in model.causal_order_],
        "score_name": model.result_.score_name,
        "score": model.score_,
        "penalty": penalty_settings(model.score, model.result_.score_name),
        "search": name_of(model.search),
        "status": model.status_,
        "starts": _starts_record(model),
        "bound": model.result_.bound,
        "certificate": certificate_record(model.certificate_, model.names_),
        "threshold": model.threshold_,
        "pruning": model.result_.pruned.rule if model.result_.pruned.refitted else None,
        "open_directions": [[edge.source, edge.target] for edge in edges if edge.open],
        "edges": [edge.known() | _by_value(model, given, edge) for edge in edges],
        "interventions": interventions_record(model),
        "knowledge": knowledge_record(model),
        "missing": gaps_record(model),
        "remarks": list(model.remarks_),
        "choices": list(model.result_.choices),
        "history": [asdict(step) for step in model.history_],
    }


def _by_value(model: Topo, given: Evidence | None, edge: LearnedEdge) -> dict[str, Any]:
    """Of an edge with a category at one end: what each value does, with six digits."""
    ends = model.names_.index(edge.source), model.names_.index(edge.target)
    found = None if given is None else given.by_value.get(ends)
    if found is None:
        return {}
    told = found._asdict()
    for name in ("weights", "errors"):
        told[name] = [[float(f"{x:.6g}") for x in row] for row in told[name]]
    return {"by_value": told}


def _starts_record(model: Topo) -> dict[str, Any] | None:
    """From how many starts the best score was reached, and the pairs that are disputed."""
    result = model.result_
    if result.starts is None:
        return None
    pairs = [[model.names_[i], model.names_[j]] for i, j in model.disputed_]
    return {"reached": result.starts[0], "tried": result.starts[1], "disputed": pairs}


def certificate_record(certificate: Certificate, names: Sequence[str]) -> dict[str, Any]:
    """A certificate with its worst pair by name."""
    i, j = certificate.worst
    return {
        "satisfied": bool(certificate.satisfied),
        "kind": certificate.kind,
        "max_residual": float(certificate.max_residual),
        "tolerance": float(certificate.tolerance),
        "worst": {"source": names[i], "target": names[j]},
        "condition": certificate.condition,
    }


def write_result(
    path: str | os.PathLike[str],
    model: Topo,
    rows: int | None = None,
    doubt: Doubt | None = None,
) -> None:
    """Write a fitted model in the format that ``path`` asks for.

    All formats hold the pruned graph, but .weights.csv, which holds the solution before pruning: it
    is the one to check and to continue from. See :func:`toposwap.io.write_graph`. ``doubt`` is what
    resamples say of the edges.
    """
    suffix = graph_suffix(path)
    if suffix == ".weights.csv":
        write_graph(path, solution_of(model))
        return
    record = record_of(model, rows, doubt) if suffix == ".json" else None
    edges = reported_graph(model, doubt, evidence_at_hand(model)).edges()
    write_graph(path, graph_of(model), record, edges)


def name_of(part: Any) -> str:
    """What a search is called, be it given by name or as an object."""
    return part if isinstance(part, str) else str(getattr(part, "name", part))
