"""Weighted graphs to files, in the format that the name of the file asks for."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap import __version__
from toposwap.core.errors import InputError
from toposwap.core.printable import printable
from toposwap.io.atomic import write_text
from toposwap.io.edges import DOUBTFUL, Edge, LearnedEdge, edge_list

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd


@dataclass(frozen=True, eq=False)
class _Content:
    """What a file may hold."""

    weights: pd.DataFrame
    edges: Sequence[Edge] | Sequence[LearnedEdge]
    record: Mapping[str, Any]

    #: Of edges of which there are none.
    learned: bool = False

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.weights.columns]

    @property
    def fields(self) -> list[str]:
        """What is known of each edge."""
        none = LearnedEdge("", "", 0.0, None, False) if self.learned else Edge("", "", 0.0)
        return list((self.edges[0] if self.edges else none).known())


def write_graph(
    path: str | os.PathLike[str],
    weights: pd.DataFrame,
    record: Mapping[str, Any] | None = None,
    edges: Sequence[LearnedEdge] | None = None,
) -> None:
    """Write a graph, completely or not at all.

    Parameters
    ----------
    path
        Ends in .csv (source, target, weight, and what ``edges`` tells; strongest first),
        .weights.csv (the square matrix with its names), .json, .gml or .dot.
    weights
        (d, d), rows are causes and columns effects, both named.
    record
        What else is known, for .json.
    edges
        The edges of ``weights`` with their standardised weights and whether their directions are
        open, in the order to be written. An open direction is ``open`` in .csv, .json and .gml, and
        an edge without an arrowhead (``dir=none``) in .dot.
    """
    write = FORMATS[graph_suffix(path)]
    if edges is None:
        content = _Content(weights, edge_list(weights), record or {})
    else:
        content = _Content(weights, edges, record or {}, learned=True)
    write_text(path, write(content))


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
    """JSON text of ``record``, one entry a line, names as they are unless ``ascii_only``.

    What shows nothing is escaped all the same: the text may be looked at in a terminal.
    """
    text = json.dumps(_finite(record), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _edges_csv(content: _Content) -> str:
    return _csv([content.fields, *(list(edge.known().values()) for edge in content.edges)])


def _matrix_csv(content: _Content) -> str:
    weights = content.weights
    rows = zip(weights.index, weights.to_numpy().tolist(), strict=True)
    return _csv([["", *weights.columns], *([name, *row] for name, row in rows)])


def _json(content: _Content) -> str:
    edges = [edge.known() for edge in content.edges]
    about = {"version": __version__, "names": content.names, "edges": edges}
    return as_json({**about, **content.record})


def _gml(content: _Content) -> str:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(content.names)
    for edge in content.edges:
        known = {key: value for key, value in edge.known().items() if value is not None}
        graph.add_edge(known.pop("source"), known.pop("target"), **known)
    return "\n".join(nx.generate_gml(graph)) + "\n"


def _dot(content: _Content) -> str:
    # Graphviz takes "weight" for a hint to its layout that must not be negative.
    lines = ["digraph {", *(f"  {_quoted(name)}{_shown(name)};" for name in content.names)]
    for edge in content.edges:
        marks = [f'label="{edge.weight:.3g}"', f'coefficient="{edge.weight!r}"']
        if isinstance(edge, LearnedEdge):
            marks += [] if edge.standardised is None else [f'standardised="{edge.standardised!r}"']
            marks += ["dir=none"] if edge.open else []
            if edge.frequency is not None:
                marks += [f'frequency="{edge.frequency!r}"', f'direction="{edge.direction!r}"']
                marks += ["style=dashed"] if edge.frequency < DOUBTFUL else []
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        lines.append(f"  {ends} [{', '.join(marks)}];")
    return "\n".join([*lines, "}"]) + "\n"


#: What makes the text of each format; longer endings come first, because they win.
FORMATS: dict[str, Callable[[_Content], str]] = {
    ".weights.csv": _matrix_csv,
    ".csv": _edges_csv,
    ".json": _json,
    ".gml": _gml,
    ".dot": _dot,
}


def _csv(rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated lines; unlike Python's writer this quotes a name with a carriage return."""

    def field(value: object) -> str:
        if isinstance(value, float):
            return repr(value)
        if value is None:
            return ""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        special = any(mark in text for mark in ',"\r\n')
        return '"' + text.replace('"', '""') + '"' if special else text

    return "".join(",".join(map(field, row)) + "\n" for row in rows)


def _quoted(name: str) -> str:
    """A name as a string of the DOT language, which holds everything but NUL."""
    name = name.replace("\0", printable("\0"))
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _shown(name: str) -> str:
    """What Graphviz writes in place of a name that it could only draw into broken SVG."""
    return "" if name.isprintable() else f" [label={_quoted(printable(name))}]"


def _finite(value: Any) -> Any:
    """The same with null for NaN and infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return value
