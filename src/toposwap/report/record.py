"""A fitted model as plain data: names instead of positions, for files and for other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap import __version__
from toposwap.core.table import NumberTable
from toposwap.io.edges import edge_list
from toposwap.io.write_graph import graph_suffix, write_graph

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pandas as pd

    from toposwap.certificate import Certificate
    from toposwap.estimators import Topo


def graph_of(model: Topo) -> pd.DataFrame:
    """The pruned weights (d, d) with their names, rows are causes."""
    import pandas as pd

    names = list(model.names_)
    return pd.DataFrame(model.adjacency_matrix_, index=names, columns=names)


def solution_of(model: Topo) -> pd.DataFrame:
    """The unpruned weights (d, d) with their names: what the certificate speaks of."""
    import pandas as pd

    names = list(model.names_)
    return pd.DataFrame(model.weights_, index=names, columns=names)


def open_directions(model: Topo) -> list[tuple[str, str]]:
    """Edges of the pruned graph that the score would as soon have the other way round.

    Empty for a score that tells the members of a Markov equivalence class apart.
    """
    return reversible(model) if model.result_.equivalent else []


def reversible(model: Topo) -> list[tuple[str, str]]:
    """Edges of the pruned graph that its Markov equivalence class has either way round."""
    both = model.cpdag_ & model.cpdag_.T & (model.adjacency_matrix_ != 0.0)
    return [(model.names_[i], model.names_[j]) for i, j in np.argwhere(both)]


def record_of(model: Topo, rows: int | None = None) -> dict[str, Any]:
    """Everything about a fitted model that JSON can hold; ``rows`` is the size of its data."""
    graph = NumberTable(list(model.names_), model.adjacency_matrix_)
    return {
        "version": __version__,
        "rows": rows,
        "names": list(model.names_),
        "causal_order": [model.names_[v] for v in model.causal_order_],
        "score_name": model.result_.score_name,
        "score": model.score_,
        "search": name_of(model.search),
        "status": model.status_,
        "certificate": certificate_record(model.certificate_, model.names_),
        "threshold": model.threshold_,
        "pruning": None if model.result_.pruned is None else model.result_.pruned.rule,
        "open_directions": [list(pair) for pair in open_directions(model)],
        "edges": [edge._asdict() for edge in edge_list(graph)],
        "remarks": list(model.remarks_),
        "choices": list(model.result_.choices),
        "history": [asdict(step) for step in model.history_],
    }


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


def write_result(path: str | os.PathLike[str], model: Topo, rows: int | None = None) -> None:
    """Write a fitted model in the format that ``path`` asks for.

    All formats hold the pruned graph, but .weights.csv, which holds the solution before pruning: it
    is the one to check and to continue from. See :func:`toposwap.io.write_graph`.
    """
    suffix = graph_suffix(path)
    weights = solution_of(model) if suffix == ".weights.csv" else graph_of(model)
    write_graph(path, weights, record_of(model, rows) if suffix == ".json" else None)


def name_of(part: Any) -> str:
    """What a search is called, be it given by name or as an object."""
    return part if isinstance(part, str) else str(getattr(part, "name", part))
