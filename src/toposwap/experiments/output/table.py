"""Markdown tables: mean and standard error over the seeds, and the paper's figure in brackets.

How they are laid out is a :class:`~toposwap.experiments.output.layouts.Table` of the config.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.experiments.output.frame import as_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from toposwap.experiments.config import Experiment
    from toposwap.experiments.output.layouts import Table

WORDS = {
    "kkt": "KKT",
    "score": "score",
    "loss": "loss",
    "graph_loss": "loss of the graph",
    "order_score": "score of its order",
    "shd": "SHD",
    "seconds": "seconds",
    "total_seconds": "seconds",
    "residual": "KKT residual",
    "edges": "edges",
    "f1": "F1",
    "acyclic": "is a DAG",
}


class Figure(NamedTuple):
    """Mean and standard error, of ``found`` cells out of ``asked``."""

    mean: float
    error: float | None
    found: int
    asked: int


def markdown(experiment: Experiment, cells: pd.DataFrame) -> str:
    """All tables of an experiment, with what failed below them."""
    parts = [_table(experiment, cells, layout) for layout in experiment.tables]
    failures = _failures(cells)
    return "\n\n".join([*parts, failures] if failures else parts) + "\n"


def summarise(cells: pd.DataFrame, where: Mapping[str, Any], metric: str) -> Figure:
    """The cells whose fields are those of ``where``, over their seeds."""
    for key, value in where.items():
        missing = value is None or as_text(value) == ""
        cells = cells[cells[key].isna() if missing else cells[key] == value]
    values = cells[metric].dropna().astype(float).to_numpy()
    values = values[np.isfinite(values)]
    n = len(values)
    if n == 0:
        return Figure(float("nan"), None, 0, len(cells))
    error = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else None
    return Figure(float(values.mean()), error, n, len(cells))


def paper_figure(experiment: Experiment, where: Mapping[str, Any], metric: str) -> str | None:
    """What the paper reports there, with its own digits, if it does."""
    for row in experiment.paper:
        named = {k: v for k, v in row.items() if k not in ("metric", "mean", "error")}
        if row["metric"] == metric and all(
            as_text(where[key]) == value for key, value in named.items() if key in where
        ):
            return f"{row['mean']} ± {row['error']}" if row["error"] else row["mean"]
    return None


def number(mean: float, error: float | None) -> str:
    """``9.803 ± 0.021``: the error with two digits, the mean with as many decimals."""
    if not error:
        return f"{mean:.4g}"
    decimals = 1 - math.floor(math.log10(error))
    if max(abs(mean), error) >= 1e5 or decimals > 4:
        return f"{mean:.3g} ± {error:.2g}"
    return f"{mean:.{max(decimals, 0)}f} ± {error:.{max(decimals, 0)}f}"


def _table(experiment: Experiment, cells: pd.DataFrame, layout: Table) -> str:
    rows, columns, metrics = layout.rows, layout.columns, layout.metrics
    cells = selected(cells, layout.where)
    head = _combinations(cells, columns, metrics)
    body = _combinations(cells, rows, metrics)
    titles = [*map(_title, rows), *(" ".join(_named(k, v) for k, v in c.items()) for c in head)]
    lines = ["| " + " | ".join(titles) + " |"]
    lines.append("|" + " --- |" * len(rows) + " ---: |" * len(head))
    for row in body:
        shown = [_entry(experiment, cells, {**row, **column}, metrics) for column in head]
        if any(shown):
            labels = [_value(key, row[key]) for key in rows]
            lines.append("| " + " | ".join([*labels, *shown]) + " |")
    return ("" if layout.title is None else f"**{layout.title}**\n\n") + "\n".join(lines)


def _entry(
    experiment: Experiment, cells: pd.DataFrame, where: dict[str, Any], metrics: Sequence[str]
) -> str:
    metric = where.pop("metric", metrics[0])
    figure = summarise(cells, where, metric)
    paper = paper_figure(experiment, where, metric)
    if figure.asked == 0 and paper is None:
        return ""
    text = "-" if figure.found == 0 else number(figure.mean, figure.error)
    if 0 < figure.found < figure.asked:
        text += f" [{figure.found} of {figure.asked}]"
    return text if paper is None else f"{text} ({paper})"


def _combinations(
    cells: pd.DataFrame, keys: Sequence[str], metrics: Sequence[str]
) -> list[dict[str, Any]]:
    """Values of ``keys`` that occur together, in order of appearance."""
    real = [key for key in keys if key != "metric"]
    seen = cells[real].drop_duplicates().to_dict("records") if real else [{}]
    if "metric" not in keys:
        return [{str(k): v for k, v in values.items()} for values in seen]
    found = []
    for values, metric in product(seen, metrics):
        both = {**{str(k): v for k, v in values.items()}, "metric": metric}
        found.append({key: both[key] for key in keys})
    return found


def selected(cells: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """The cells whose fields have one of the values of ``where``."""
    for key, value in where.items():
        cells = cells[cells[key].isin(value if isinstance(value, list) else [value])]
    return cells


def _title(key: str) -> str:
    return "" if key == "metric" else key.replace("_", " ")


def _value(key: str, value: Any) -> str:
    return WORDS.get(value, str(value)) if key == "metric" else as_text(value)


def _named(key: str, value: Any) -> str:
    text = _value(key, value)
    return text if key in ("metric", "method", "graph", "noise") else f"{key} = {text}"


def _failures(cells: pd.DataFrame) -> str:
    """Which cells failed, and why."""
    failed = cells[cells["error"].notna()]
    lines = []
    for (method, error), group in failed.groupby(["method", "error"], sort=False):
        times = "1 cell" if len(group) == 1 else f"{len(group)} cells"
        lines.append(f"- {method}: {times} failed: {error}")
    return "\n".join(lines)
