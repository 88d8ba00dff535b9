"""Cells as a table: what the CSV, the Markdown and the plots are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from toposwap.experiments.cell import shown
from toposwap.experiments.output.layouts import METRICS

if TYPE_CHECKING:
    from toposwap.experiments.config import Experiment
    from toposwap.experiments.store import Store

_ABOUT = ("error", "version", "when", "key")


def cell_frame(experiment: Experiment, store: Store, version: str | None) -> pd.DataFrame:
    """One row a cell that is finished, failed ones with their ``error``.

    Columns: ``method``, the settings of data and methods, ``seed``, :data:`METRICS`, ``error``,
    ``version``, ``when``, ``key``. ``total_seconds`` includes what the method started from.
    """
    rows = []
    for method, cell in experiment.cells():
        record = store.get(cell, version)
        if record is None:
            continue
        row: dict[str, Any] = {"method": method.label, **shown(cell.data), **shown(cell.method)}
        row["seed"] = cell.seed
        total, start = record.get("seconds"), cell.start
        while total is not None and start is not None:
            total += (store.get(start, version) or {}).get("seconds", 0.0)
            start = start.start
        row |= {key: record.get(key) for key in METRICS} | {"total_seconds": total}
        row |= {key: record.get(key) for key in _ABOUT}
        rows.append(row)
    names = dict.fromkeys(
        ["method", *experiment.field_names(), "seed", *METRICS, *_ABOUT],
    )
    return pd.DataFrame(rows, columns=list(names))


def trace_frame(experiment: Experiment, store: Store, version: str | None) -> pd.DataFrame:
    """One row an iteration of the cells that were traced."""
    rows = []
    for method, cell in experiment.cells():
        record = store.get(cell, version)
        about = {"method": method.label, **shown(cell.data), "seed": cell.seed}
        for k, (space, score, shd) in enumerate((record or {}).get("trace", [])):
            rows.append({**about, "iteration": k, "space": space, "score": score, "shd": shd})
    return pd.DataFrame(rows)


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
