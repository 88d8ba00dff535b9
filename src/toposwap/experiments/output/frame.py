"""Cells as a table: what the CSV, the Markdown and the plots are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from toposwap.experiments.cell import Settings
    from toposwap.experiments.config import Experiment
    from toposwap.experiments.store import Store

#: Figures of a cell, in the order of the columns.
FIGURES = (
    "score",
    "loss",
    "graph_loss",
    "order_score",
    "shd",
    "kkt",
    "residual",
    "acyclic",
    "edges",
    "true_edges",
    "f1",
    "seconds",
    "cpu_seconds",
    "total_seconds",
)
_ABOUT = ("error", "version", "when", "key")
_NOT_FIELDS = ("kind", "name", "start")


def cell_frame(experiment: Experiment, store: Store, version: str | None) -> pd.DataFrame:
    """One row a cell that is finished, failed ones with their ``error``.

    Columns: ``method``, the settings of data and methods, ``seed``, :data:`FIGURES`, ``error``,
    ``version``, ``when``, ``key``. ``total_seconds`` includes what the method started from.
    """
    rows = []
    for method, cell in experiment.cells():
        record = store.get(cell, version)
        if record is None:
            continue
        row: dict[str, Any] = {"method": method.label, **fields(cell.data), **fields(cell.method)}
        row["seed"] = cell.seed
        total, start = record.get("seconds"), cell.start
        while total is not None and start is not None:
            total += (store.get(start, version) or {}).get("seconds", 0.0)
            start = start.start
        row |= {key: record.get(key) for key in FIGURES} | {"total_seconds": total}
        row |= {key: record.get(key) for key in _ABOUT}
        rows.append(row)
    names = dict.fromkeys(
        ["method", *field_names(experiment), "seed", *FIGURES, *_ABOUT],
    )
    return pd.DataFrame(rows, columns=list(names))


def trace_frame(experiment: Experiment, store: Store, version: str | None) -> pd.DataFrame:
    """One row an iteration of the cells that were traced."""
    rows = []
    for method, cell in experiment.cells():
        record = store.get(cell, version)
        about = {"method": method.label, **fields(cell.data), "seed": cell.seed}
        for k, (space, score, shd) in enumerate((record or {}).get("trace", [])):
            rows.append({**about, "iteration": k, "space": space, "score": score, "shd": shd})
    return pd.DataFrame(rows)


def fields(settings: Settings) -> Settings:
    """The settings that say which column or row of a table this is."""
    return {key: settings[key] for key in settings if key not in _NOT_FIELDS}


def field_names(experiment: Experiment) -> list[str]:
    """Settings of the data, then of the methods."""
    everything = [*experiment.data, *(method.settings for method in experiment.methods)]
    return list(dict.fromkeys(key for settings in everything for key in fields(settings)))


def read_cells(path: Any) -> pd.DataFrame:
    """The CSV that a run wrote."""
    return pd.read_csv(path, keep_default_na=True)


def as_text(value: Any) -> str:
    """A field as the tables show it: no trailing ".0", nothing for what is missing."""
    if pd.isna(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
