"""Pictures of a fitted model on matplotlib's axes: an edge, the search, and what is left over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.printable import printable
from toposwap.report.checks import checks_of, residuals_of
from toposwap.report.graph import _predictor
from toposwap.report.plot.legend import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.estimators import Topo
    from toposwap.report.checks import Residuals

#: Dots in one plot: more are a blot.
_MOST_DOTS = 2000


def plot_edge(model: Topo, data: Dataset | None, i: int, j: int, axes: Axes) -> Axes:
    """The effect over its cause, other causes at their mean, with the rows where they are known.

    A row stands where the fitted function and its own residual put it: a partial residual plot.
    """
    grid, values = model.edge_function(i, j, 200)
    residuals = residuals_of(model, data)
    if residuals is not None and residuals.real[j]:
        some = _some(len(residuals.rows))
        x = residuals.rows[some, i]
        axes.plot(x, np.interp(x, grid, values) + residuals.left[some, j], ".", **_DOTS)
    columns = getattr(_predictor(model), "columns", None)
    levels = None if columns is None else getattr(columns[i], "levels", None)
    if levels is None:
        axes.plot(grid, values, color=NEGATIVE, linewidth=1.8)
    else:
        # Nothing is between two categories.
        marks: dict[str, Any] = {
            "linestyle": "none",
            "marker": "_",
            "markersize": 24.0,
            "markeredgewidth": 1.8,
        }
        axes.plot(grid, values, color=NEGATIVE, **marks)
        axes.set_xticks(grid, [printable(str(name)) for name in levels.names], parse_math=False)
    names = model.names_
    _label(axes, names[i], f"{names[j]}, others at their mean")
    return axes


def plot_history(model: Topo, axes: Axes) -> Axes:
    """The score after each step of the search."""
    steps = model.history_
    axes.plot(
        [step.iteration for step in steps],
        [step.score for step in steps],
        color=POSITIVE,
        marker="o" if len(steps) <= 60 else None,
        markersize=3.0,
        linewidth=1.4,
    )
    _label(axes, "iteration", f"score ({model.result_.score_name})")
    axes.locator_params(axis="x", integer=True)
    return axes


def plot_residuals(
    model: Topo, data: Dataset | None, column: int | None, axes: Sequence[Axes]
) -> None:
    """Of ``column`` residuals over fitted values and their quantiles, into two axes.

    Without a column, the worst of each check into as many axes as there are checks.
    """
    residuals = rows_needed(model, data)
    if column is not None:
        _over_fitted(residuals, column, axes[0])
        _quantiles(residuals, column, axes[1])
        return
    for check, one in zip(checks_of(residuals), axes, strict=False):
        worst = check.findings[0] if check.findings else None
        v = _typical(residuals) if worst is None else worst.column
        if check.picture == "quantiles":
            _quantiles(residuals, v, one)
        elif check.picture == "spread":
            _over_fitted(residuals, v, one, sizes=True)
        elif worst is not None and worst.other is not None:
            _over(residuals, v, worst.other, one)
        else:
            _over_fitted(residuals, v, one)
        one.set_title(f"{check.name}: {check.verdict}", fontsize="medium")


def rows_needed(model: Topo, data: Dataset | None) -> Residuals:
    """The residuals, or an error that says what is missing."""
    residuals = residuals_of(model, data)
    if residuals is None:
        raise InputError(
            "X: residuals need the rows the model was fitted to, and a score that predicts; a "
            "model that was loaded from a file does not hold its data, so give them again"
        )
    return residuals


_DOTS: dict[str, Any] = {"color": POSITIVE, "alpha": 0.45, "markersize": 4.0, "markeredgewidth": 0}


def _over(residuals: Residuals, j: int, i: int, axes: Axes) -> None:
    some = _some(len(residuals.rows))
    axes.axhline(0.0, color=NEGATIVE, linewidth=1.2)
    axes.plot(residuals.rows[some, i], residuals.left[some, j], ".", **_DOTS)
    _label(axes, residuals.names[i], f"residual of {residuals.names[j]}")


def _over_fitted(residuals: Residuals, j: int, axes: Axes, *, sizes: bool = False) -> None:
    some = _some(len(residuals.rows))
    left = residuals.left[some, j]
    if not sizes:
        axes.axhline(0.0, color=NEGATIVE, linewidth=1.2)
    axes.plot(residuals.fitted[some, j], np.abs(left) if sizes else left, ".", **_DOTS)
    what = "size of residual" if sizes else "residual"
    _label(axes, f"fitted {residuals.names[j]}", f"{what} of {residuals.names[j]}")


def _quantiles(residuals: Residuals, j: int, axes: Axes) -> None:
    from scipy.special import ndtri

    left = np.sort(residuals.standard[_some(len(residuals.rows)), j])
    normal = ndtri((np.arange(len(left)) + 0.5) / len(left))
    axes.plot(normal, left, ".", **_DOTS)
    ends = [min(normal[0], left[0]), max(normal[-1], left[-1])]
    axes.plot(ends, ends, color=NEGATIVE, linewidth=1.2)
    _label(axes, "normal quantile", f"residual of {residuals.names[j]} / sd")


def _typical(residuals: Residuals) -> int:
    """The column with the most causes."""
    return int(residuals.edges.sum(axis=0).argmax())


def _some(n: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(n, _MOST_DOTS)).astype(np.int64))


def _label(axes: Axes, x: str, y: str) -> None:
    """Names are text: matplotlib would read $...$ as mathematics."""
    axes.set_xlabel(printable(x), parse_math=False)
    axes.set_ylabel(printable(y), parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
