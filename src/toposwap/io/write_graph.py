"""Weighted graphs to files, in the format that the name of the file asks for."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap import __version__
from toposwap.core.errors import InputError
from toposwap.io.atomic import write_text
from toposwap.io.edges import edge_list

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    Writer = Callable[[pd.DataFrame, Mapping[str, Any]], str]


def write_graph(
    path: str | os.PathLike[str],
    weights: pd.DataFrame,
    record: Mapping[str, Any] | None = None,
) -> None:
    """Write a graph, completely or not at all.

    Parameters
    ----------
    path
        Ends in .csv (source, target, weight; strongest first), .weights.csv (the square matrix
        with its names), .json, .gml or .dot.
    weights
        (d, d), rows are causes and columns effects, both named.
    record
        What else is known, for .json.
    """
    write_text(path, FORMATS[graph_suffix(path)](weights, record or {}))


def graph_suffix(path: str | os.PathLike[str]) -> str:
    """The ending that decides the format of a graph, or an error that lists those there are."""
    name = Path(path).name.lower()
    for suffix in FORMATS:
        if name.endswith(suffix):
            return suffix
    raise InputError(
        f"{str(path)!r}: the format of a graph is known by its ending, one of "
        f"{', '.join(FORMATS)}; choose one"
    )


def as_json(record: Any, *, ascii_only: bool = False) -> str:
    """JSON text of ``record``, one entry a line, names as they are unless ``ascii_only``."""
    return json.dumps(_finite(record), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"


def _edges_csv(weights: pd.DataFrame, _record: Mapping[str, Any]) -> str:
    return _csv([["source", "target", "weight"], *edge_list(weights)])


def _matrix_csv(weights: pd.DataFrame, _record: Mapping[str, Any]) -> str:
    rows = zip(weights.index, weights.to_numpy().tolist(), strict=True)
    return _csv([["", *weights.columns], *([name, *row] for name, row in rows)])


def _json(weights: pd.DataFrame, record: Mapping[str, Any]) -> str:
    edges = [edge._asdict() for edge in edge_list(weights)]
    names = [str(name) for name in weights.columns]
    return as_json({"version": __version__, "names": names, "edges": edges, **record})


def _gml(weights: pd.DataFrame, _record: Mapping[str, Any]) -> str:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(str(name) for name in weights.columns)
    graph.add_weighted_edges_from(edge_list(weights))
    return "\n".join(nx.generate_gml(graph)) + "\n"


def _dot(weights: pd.DataFrame, _record: Mapping[str, Any]) -> str:
    # Graphviz takes "weight" for a hint to its layout that must not be negative.
    lines = ["digraph {"]
    lines += [f"  {_quoted(str(name))};" for name in weights.columns]
    for source, target, weight in edge_list(weights):
        lines.append(
            f"  {_quoted(source)} -> {_quoted(target)} "
            f'[label="{weight:.3g}", coefficient="{weight!r}"];'
        )
    return "\n".join([*lines, "}"]) + "\n"


#: What makes the text of each format; longer endings come first, because they win.
FORMATS: dict[str, Writer] = {
    ".weights.csv": _matrix_csv,
    ".csv": _edges_csv,
    ".json": _json,
    ".gml": _gml,
    ".dot": _dot,
}


def _csv(rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated lines; unlike Python's writer this quotes a name with a carriage return."""

    def field(value: object) -> str:
        text = str(value)
        special = any(mark in text for mark in ',"\r\n')
        return '"' + text.replace('"', '""') + '"' if special else text

    return "".join(",".join(map(field, row)) + "\n" for row in rows)


def _quoted(name: str) -> str:
    """A name as a string of the DOT language."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _finite(value: Any) -> Any:
    """The same with null for NaN and infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return value
