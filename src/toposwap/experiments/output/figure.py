"""Plots in one style: the same method has the same colour and marker everywhere.

One function for each layout of :mod:`toposwap.experiments.output.layouts`; bars at the points are
standard errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from toposwap.experiments.output.frame import as_text
from toposwap.experiments.output.layouts import Bars, BeforeAfter, Lines, Trace
from toposwap.experiments.output.scales import set_scale
from toposwap.experiments.output.styles import BLUE, GREY, INK, ORANGE, styles_of
from toposwap.experiments.output.table import WORDS, selected, summarise

if TYPE_CHECKING:
    import pandas as pd

_SPACES = {"small": INK, "large": "#D7191C", "start": GREY}
_AXES_SIZE = (2.5, 2.0)


def draw(layout: Any, cells: pd.DataFrame, trace: pd.DataFrame) -> list[tuple[str, Figure]]:
    """The figures of one layout, each with the word that its file's name ends in."""
    if isinstance(layout, Trace):
        return [("trace", _trace(trace, layout.rows))] if len(trace) else []
    chosen = selected(cells, layout.where)
    # A quick run may have left out what the figure is about.
    cells = chosen if len(chosen) else cells
    known = [metric for metric in layout.metrics if summarise(cells, {}, metric).found]
    return [(metric, _DRAWN[type(layout)](layout, cells, metric)) for metric in known]


def _lines(layout: Lines, cells: pd.DataFrame, metric: str) -> Figure:
    x, group = layout.x, layout.group
    down, across = _values(layout.rows, cells), _values(layout.columns, cells)
    figure, axes = _sheet(len(down), len(across))
    values = np.unique(cells[x].dropna().to_numpy()).tolist()
    labels = list(dict.fromkeys(cells[group]))
    styles = styles_of(labels)
    means: list[float] = []
    for r, one in enumerate(down):
        for c, other in enumerate(across):
            ax = axes[r, c]
            for label in labels:
                where = {**one, **other, group: label}
                found = [summarise(cells, {**where, x: value}, metric) for value in values]
                if not any(figure_.found for figure_ in found):
                    continue
                means += [figure_.mean for figure_ in found]
                colour, marker, dash = styles[label]
                ax.errorbar(
                    range(len(values)),
                    [figure_.mean for figure_ in found],
                    [figure_.error or 0.0 for figure_ in found],
                    color=colour,
                    marker=marker,
                    linestyle=dash,
                    linewidth=1.4,
                    markersize=4.5,
                    capsize=2,
                    elinewidth=0.9,
                    label=_label(group, label),
                )
            ax.set_xticks(range(len(values)), [as_text(value) for value in values])
            ax.margins(x=0.08)
            _name(ax, one, other, r, c, len(down))
            if r == len(down) - 1:
                ax.set_xlabel(_field(x))
    for ax in axes.flat:
        set_scale(ax, "y", metric, means)
    _finish(figure, axes, WORDS.get(metric, metric))
    return figure


def _bars(layout: Bars, cells: pd.DataFrame, metric: str) -> Figure:
    """Bars side by side for the methods that have a value of ``x``; the others stand alone."""
    x = layout.x
    figure, axes = _sheet(1, 1, wide=2.6)
    ax = axes[0, 0]
    with_x = cells[cells[x].notna()]
    labels = list(dict.fromkeys(with_x["method"]))
    values = list(dict.fromkeys(with_x[x]))
    alone = list(dict.fromkeys(cells[cells[x].isna()]["method"]))
    styles = styles_of(labels + alone)
    width = 0.8 / max(len(labels), 1)
    for k, label in enumerate(labels):
        found = [summarise(cells, {"method": label, x: value}, metric) for value in values]
        place = np.arange(len(values)) + (k - (len(labels) - 1) / 2) * width
        colour = styles[label].colour
        bars = ax.bar(place, [f.mean for f in found], width * 0.92, color=colour, label=label)
        ax.bar_label(bars, fmt="%.4g", fontsize=6, padding=1)
    for k, label in enumerate(alone):
        found_one = summarise(cells, {"method": label, x: None}, metric)
        colour = styles[label].colour
        bars = ax.bar([len(values) + k], [found_one.mean], 0.5, color=colour, label=label)
        ax.bar_label(bars, fmt="%.4g", fontsize=6, padding=1)
    places = [as_text(value) for value in values] + alone
    ax.set_xticks(range(len(places)), places)
    ax.set_xlabel(_field(x))
    ax.margins(y=0.12)
    set_scale(ax, "y", metric, [bar.get_height() for bar in ax.patches])
    _finish(figure, axes, WORDS.get(metric, metric))
    return figure


def _trace(trace: pd.DataFrame, by: str) -> Figure:
    """SHD left, score right, as in the paper; the first seed."""
    trace = trace[trace["seed"] == trace["seed"].min()]
    values = list(dict.fromkeys(trace[by]))
    figure, axes = _sheet(len(values), 2, wide=1.5)
    for r, value in enumerate(values):
        rows = trace[trace[by] == value]
        for c, metric in enumerate(("shd", "score")):
            ax = axes[r, c]
            ax.plot(rows["iteration"], rows[metric], color="#C9CED3", linewidth=0.9, zorder=1)
            for space, colour in _SPACES.items():
                part = rows[rows["space"] == space]
                if len(part):
                    words = "starting order" if space == "start" else f"{space} search space"
                    ax.scatter(
                        part["iteration"], part[metric], s=9, color=colour, label=words, zorder=2
                    )
            set_scale(ax, "y", metric, rows[metric].astype(float))
            ax.set_ylabel(WORDS[metric])
            ax.set_title(_words(by, value), fontsize=8)
            if r == len(values) - 1:
                ax.set_xlabel("iteration")
    _finish(figure, axes, None)
    return figure


def _before_after(layout: BeforeAfter, cells: pd.DataFrame, metric: str) -> Figure:
    """A row for each learner and each value of ``columns`` a panel; lower is to the left."""
    across = _values(layout.columns, cells)
    labels = [m for m in dict.fromkeys(cells["method"]) if not m.startswith("refine ")]
    figure, axes = _sheet(1, len(across), wide=1.2, high=0.25 * len(labels) / 2 + 0.4)
    means: list[float] = []
    for c, other in enumerate(across):
        ax = axes[0, c]
        for y, label in enumerate(labels):
            before = summarise(cells, {**other, "method": label}, metric)
            after = summarise(cells, {**other, "method": f"refine {label}"}, metric)
            if before.found and after.found:
                ax.plot([before.mean, after.mean], [y, y], color="#C9CED3", zorder=1)
            for figure_, colour, marker, words in (
                (before, ORANGE, "o", "as returned"),
                (after, BLUE, "D", "after refine"),
            ):
                if figure_.found:
                    means.append(figure_.mean)
                    ax.errorbar(
                        figure_.mean,
                        y,
                        xerr=figure_.error or 0.0,
                        color=colour,
                        marker=marker,
                        markersize=4.5,
                        elinewidth=0.9,
                        linestyle="none",
                        label=words,
                    )
        ax.set_yticks(range(len(labels)), labels)
        ax.invert_yaxis()
        ax.set_xlabel(WORDS.get(metric, metric))
        ax.set_title(", ".join(_words(key, value) for key, value in other.items()), fontsize=8)
    for ax in axes.flat:
        set_scale(ax, "x", metric, means)
    _finish(figure, axes, None)
    return figure


_DRAWN: dict[type, Callable[..., Figure]] = {
    Lines: _lines,
    Bars: _bars,
    BeforeAfter: _before_after,
}

# --- one style -----------------------------------------------------------------------------------


def _sheet(rows: int, columns: int, wide: float = 1.0, high: float = 1.0) -> tuple[Figure, Any]:
    if rows == columns == 1 and wide == 1.0:
        wide, high = 1.5, 1.3
    width, height = _AXES_SIZE[0] * wide, _AXES_SIZE[1] * high
    figure = Figure(
        figsize=(max(columns * width, 3.2) + 0.4, rows * height + 0.7), layout="constrained"
    )
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.flat:
        ax.grid(color="#E7EAED", linewidth=0.7)
        ax.set_axisbelow(True)
        ax.tick_params(labelsize=7, length=2, color=GREY, labelcolor=INK)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            ax.spines[side].set_color(GREY)
        ax.xaxis.label.set_size(8)
        ax.yaxis.label.set_size(8)
    return figure, axes


def _finish(figure: Figure, axes: Any, ylabel: str | None) -> None:
    """Labels at the left, one legend for all panels below."""
    if ylabel is not None:
        for ax in axes[:, 0]:
            named = ax.get_ylabel()
            ax.set_ylabel(f"{named}\n{ylabel}" if named else ylabel)
    handles: dict[str, Any] = {}
    for ax in axes.flat:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        across = max(1, min(len(handles), int(figure.get_figwidth() / 1.25)))
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower center",
            ncols=across,
            frameon=False,
            fontsize=7.5,
            labelcolor=INK,
        )


def _values(key: str | None, cells: pd.DataFrame) -> list[dict[str, Any]]:
    """A panel for each value of the field ``key``, in order of appearance; one without a field."""
    return [{key: value} for value in dict.fromkeys(cells[key])] if key else [{}]


def _name(ax: Any, one: dict[str, Any], other: dict[str, Any], r: int, c: int, n: int) -> None:
    """The column's field above the first row, the row's at the left of the first column."""
    if r == 0 and other:
        ax.set_title(", ".join(_words(key, value) for key, value in other.items()), fontsize=8)
    if c == 0 and one and n > 1:
        ax.set_ylabel(", ".join(_words(key, value) for key, value in one.items()))


def _words(key: str, value: Any) -> str:
    return as_text(value) if key in ("graph", "noise", "method") else f"{key} = {as_text(value)}"


def _label(group: str, value: Any) -> str:
    return as_text(value) if group == "method" else f"{_field(group)} = {as_text(value)}"


def _field(name: str) -> str:
    return {"d": "number of nodes d", "order": "starting order"}.get(name, name)
