"""Weighted graphs from files: square matrices, lists of edges, our own results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.printable import shortened
from toposwap.core.validation import listed, places, repeated
from toposwap.io.csv_files import csv_rows, is_number
from toposwap.io.edges import LearnedEdge
from toposwap.io.existing import existing_file
from toposwap.io.json_files import read_json

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

_LONGEST_FIELD = 60


@dataclass(frozen=True, eq=False)
class FileGraph:
    """A graph as its file tells it.

    Attributes
    ----------
    weights
        (d, d), ``weights[i, j]`` for the edge i -> j.
    names
        The nodes; None when the file numbers them only.
    complete
        Whether the file lists every node. A list of edges cannot show a node that has none.
    """

    weights: NDArray[np.float64]
    names: tuple[str, ...] | None
    complete: bool


def read_weights(path: str | os.PathLike[str], names: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the weights (d, d) in a file, rows are causes and columns effects.

    Parameters
    ----------
    path
        A .csv file with a square matrix (with or without names above and beside it) or with the
        columns ``source``, ``target`` and perhaps ``weight`` (``standardised`` and ``open``, which
        our own files have, are passed over); a .json result of this package; or a .npy matrix.
    names
        The nodes, in the order wanted. Needed to know the nodes without edges in a list of edges,
        and what the rows of a matrix without names are.
    """
    import pandas as pd

    graph = read_graph(path)
    labels = graph.names
    if labels is None:
        labels = tuple(names or (f"x{k}" for k in range(len(graph.weights))))
        if len(labels) != len(graph.weights):
            raise InputError(
                f"{str(path)!r} is a matrix of {len(graph.weights)} variables, but there are "
                f"{len(labels)} columns of data: one row and column for each is needed"
            )
    frame = pd.DataFrame(graph.weights, index=list(labels), columns=list(labels))
    if names is None:
        return frame
    # Blanks around names do not survive a hand-written file.
    known = set(names)
    spelling = {name.strip(): name for name in names if name.strip() not in known}
    frame = frame.rename(index=spelling, columns=spelling)
    present = set(frame.columns)
    unknown = [name for name in frame.columns if name not in known]
    missing = [name for name in names if name not in present]
    if unknown or (missing and graph.complete):
        raise InputError(_mismatch(path, unknown, missing, names))
    return frame.reindex(index=list(names), columns=list(names), fill_value=0.0)


def read_graph(path: str | os.PathLike[str]) -> FileGraph:
    """Read a graph as its file tells it; :func:`read_weights` says which files there are."""
    file = existing_file(path, "a matrix of weights or a list of edges")
    readers = {".csv": _read_csv, ".json": _read_json, ".npy": _read_npy}
    suffix = file.suffix.lower()
    if suffix not in readers:
        raise InputError(
            f"{str(path)!r}: weights are read from {', '.join(readers)} files; rename or convert it"
        )
    return readers[suffix](file)


def open_in_file(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Edges that a result of this package (.json, or .csv with ``open``) calls open."""
    file = existing_file(path, "a matrix of weights or a list of edges")
    if file.suffix.lower() == ".json":
        record = read_json(file)
        pairs = record.get("open_directions", ()) if isinstance(record, dict) else ()
        return [(str(pair[0]), str(pair[1])) for pair in pairs or () if len(pair) == 2]
    if file.suffix.lower() != ".csv":
        return []
    with csv_rows(file, ",") as rows:
        table = [[field.strip() for field in fields] for _, fields in rows]
    header = [name.lower() for name in table[0]] if table else []
    if not {"source", "target", "open"} <= set(header) <= set(LearnedEdge._fields):
        return []
    source, target, mark = (header.index(name) for name in ("source", "target", "open"))
    return [
        (row[source], row[target])
        for row in table[1:]
        if len(row) == len(header) and row[mark].lower() == "true"
    ]


def _read_csv(file: Path) -> FileGraph:
    with csv_rows(file, ",") as rows:
        table = [(line, [field.strip() for field in fields]) for line, fields in rows]
    if not table:
        raise InputError(f"{str(file)!r} is empty: it must hold a matrix or a list of edges")
    header = [name.lower() for name in table[0][1]]
    known = {"source", "target"} <= set(header) <= set(LearnedEdge._fields)
    if known and len(header) == len(set(header)):
        return _edges(_listed_edges(file, table, header))
    if len(table) == len(header) and all(map(is_number, header)):
        return FileGraph(_matrix(file, table, first=0), None, complete=True)
    return _named_matrix(file, table)


def _listed_edges(
    file: Path, table: list[tuple[int, list[str]]], header: list[str]
) -> Iterable[tuple[str, str, str, float]]:
    """Yield (where, source, target, weight) for the rows below the header."""
    source, target = header.index("source"), header.index("target")
    weight = header.index("weight") if "weight" in header else None
    for line, fields in table[1:]:
        where = f"{str(file)!r}, line {line}"
        if len(fields) != len(header):
            raise InputError(f"{where}: {len(fields)} fields where the header has {len(header)}")
        value = 1.0 if weight is None else _number(fields[weight], where)
        yield where, fields[source], fields[target], value


def _edges(
    edges: Iterable[tuple[str, str, str, float]], names: Sequence[str] | None = None
) -> FileGraph:
    """Collect edges into a matrix; without ``names`` the nodes come in order of appearance."""
    place: dict[str, int] = {name: k for k, name in enumerate(names or ())}
    entries: dict[tuple[int, int], float] = {}
    for where, source, target, weight in edges:
        for name in (source, target):
            if not name:
                raise InputError(f"{where}: an edge needs a source and a target")
            if names is not None and name not in place:
                raise InputError(f"{where}: {name!r} is not one of the names")
            place.setdefault(name, len(place))
        pair = place[source], place[target]
        if pair in entries:
            raise InputError(
                f"{where}: the edge {source!r} -> {target!r} is there twice; keep one of them"
            )
        entries[pair] = weight
    weights = np.zeros((len(place), len(place)))
    for pair, weight in entries.items():
        weights[pair] = weight
    return FileGraph(weights, tuple(place), complete=names is not None)


def _named_matrix(file: Path, table: list[tuple[int, list[str]]]) -> FileGraph:
    """A square matrix with its names above and perhaps beside it."""
    header, d = table[0][1], len(table) - 1
    beside = len(header) == d + 1
    if d == 0 or not (beside or len(header) == d):
        raise InputError(
            f"{str(file)!r} is neither a list of edges (columns source, target, weight) nor a "
            f"square matrix: {d} rows below a header of {len(header)} columns"
        )
    names = header[1:] if beside else header
    twice = repeated(names)
    if twice or "" in names:
        what = f"duplicate names: {listed(twice)}" if twice else "a column without a name"
        raise InputError(f"{str(file)!r}: {what}; every node needs a name of its own")
    weights = _matrix(file, table[1:], first=int(beside))
    if beside:
        rows = [fields[0] for _, fields in table[1:]]
        if sorted(rows) != sorted(names):
            known = set(names)
            strange = [name for name in rows if name not in known] or rows
            raise InputError(
                f"{str(file)!r}: the names of the rows are not those of the columns "
                f"({listed(strange)}); a weight matrix has the same nodes above and beside it"
            )
        place = places(rows)
        weights = weights[[place[name] for name in names]]
    return FileGraph(weights, tuple(names), complete=True)


def _matrix(file: Path, rows: list[tuple[int, list[str]]], first: int) -> NDArray[np.float64]:
    """The numbers of ``rows`` from the field ``first`` on, (d, d)."""
    d = len(rows)
    weights = np.empty((d, d))
    for k, (line, fields) in enumerate(rows):
        where = f"{str(file)!r}, line {line}"
        if len(fields) != d + first:
            raise InputError(f"{where}: {len(fields)} fields where {d + first} were expected")
        weights[k] = [_number(field, where) for field in fields[first:]]
    return weights


def _read_json(file: Path) -> FileGraph:
    record = read_json(file)
    try:
        names = [str(name) for name in record["names"]]
        where = f"{str(file)!r}, edges"
        edges = [
            (where, str(e["source"]), str(e["target"]), _number(e["weight"], where))
            for e in record["edges"]
        ]
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{str(file)!r} is not a result of toposwap: 'names' and 'edges' (each with source, "
            "target and weight) are needed"
        ) from error
    return _edges(edges, names)


def _read_npy(file: Path) -> FileGraph:
    try:
        # Mapped: shape and type are judged before memory is taken for what the file claims to hold.
        with np.errstate(over="raise"):
            array = np.lib.format.open_memmap(file, mode="r")
    # NumPy reads headers with Python's own tokenizer, which has errors of many kinds.
    except Exception as error:
        raise InputError(f"cannot read {str(file)!r} as a matrix of numbers: {error}") from error
    if array.dtype.kind not in "biuf":
        raise InputError(
            f"{str(file)!r}: a weight matrix holds real numbers, this one {array.dtype}"
        )
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"{str(file)!r}: a weight matrix is square, got shape {array.shape}")
    weights = np.array(array, dtype=np.float64)
    if not np.isfinite(weights).all():
        raise InputError(f"{str(file)!r} holds NaN or infinity: set absent edges to 0")
    return FileGraph(weights, None, complete=True)


def _number(field: Any, where: str) -> float:
    try:
        value = float(field)
    except OverflowError:
        value = math.inf
    except (TypeError, ValueError):
        shown = shortened(repr(field), _LONGEST_FIELD)
        raise InputError(f"{where}: {shown} is not a number; write 0 for no edge") from None
    if not math.isfinite(value):
        shown = shortened(str(field), _LONGEST_FIELD)
        raise InputError(f"{where}: the weight {shown} is not finite; write 0 for no edge")
    return value


def _mismatch(path: Any, unknown: list[str], missing: list[str], names: Sequence[str]) -> str:
    if unknown:
        what = f"{listed(unknown)} {'is' if len(unknown) == 1 else 'are'} not among the columns"
    else:
        what = f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing from it"
    return f"{str(path)!r} does not fit the data: {what} ({listed(names)})"
