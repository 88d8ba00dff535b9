"""What the page tells of each column: what it is, how it is distributed, and what makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.report.checks.residuals import of_categories
from toposwap.report.forms import is_real, losses_of, scale_of, slopes
from toposwap.report.graph import _predictor
from toposwap.report.page.packed import digits, packed
from toposwap.scores.blocks.model import BlockModel
from toposwap.scores.predictors import AdditiveModel, LinearModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.kinds.base import Recognised
    from toposwap.estimators import Topo
    from toposwap.report.checks import Residuals

#: Rows that plots show, fewer where there are many columns.
_MOST_SHOWN, _LEAST_SHOWN, _VALUES = 400, 120, 60_000
_BINS = 24
_FEW_VALUES = 12


def column_records(
    model: Topo, data: Dataset | None, residuals: Residuals | None
) -> list[dict[str, Any]]:
    """One record a column, in the order of the columns."""
    found: list[dict[str, Any]] = [
        {"name": name, "equation": equation(model, data, residuals, j)}
        for j, name in enumerate(model.names_)
    ]
    if data is None:
        return found
    for j, record in enumerate(found):
        known = data.kinds[j]
        record.update(
            {
                **_taken_for(model, known, j),
                "mean": digits(
                    float(data.mean[j] if data.rows is None else np.nanmean(data.rows[:, j]))
                ),
                "sd": digits(data.deviations[j] * data.scale[j]),
            }
        )
        levels = known.levels or (data.levels.get(record["name"]))
        if levels is not None:
            record["levels"] = [str(level) for level in levels[:40]]
        if data.rows is not None:
            record.update(_distribution(data.rows[:, j]))
    if residuals is not None:
        shown, losses = shown_rows(len(residuals.rows), len(found)), losses_of(model)
        for j, record in enumerate(found):
            record["values"] = packed(residuals.rows[shown, j])
            record["left"] = packed(residuals.left[shown, j])
            total, left = residuals.rows[:, j].var(), residuals.left[:, j].var()
            record["noise"] = digits(np.sqrt(left))
            record["explained"] = digits(max(0.0, 1.0 - left / total), 4) if total else None
            record["line"] = bool(residuals.lines[j])
            record["real"] = bool(residuals.real[j])
            scale = scale_of(losses[j])
            if scale is not None:
                record["scale"] = scale
    return found


def _taken_for(model: Topo, known: Recognised, j: int) -> dict[str, Any]:
    """What the model takes column ``j`` for, which need not be what its values look like."""
    kind = known.kind.name
    a_number = _predictor(model) is not None and is_real(losses_of(model)[j])
    if kind == "continuous" or not a_number or of_categories(model):
        return {"kind": kind, "reason": known.reason, "given": known.given}
    seen = "you said" if known.given else "it looks"
    reason = f"{model.result_.score_name} takes it for a measurement, though {seen} {kind}"
    reason += "" if known.given else f" ({known.reason})"
    return {"kind": "continuous", "reason": reason, "given": False}


def shown_rows(n: int, d: int) -> NDArray[np.int64]:
    """The rows that plots show: all or evenly spaced ones, (m,)."""
    most = int(np.clip(_VALUES // d, _LEAST_SHOWN, _MOST_SHOWN))
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def _distribution(x: NDArray[np.float64]) -> dict[str, Any]:
    """Quartiles, and bars: of each value if these are few, else of even bins."""
    missing = int(np.isnan(x).sum())
    x = x[~np.isnan(x)] if missing else x
    values, counts = np.unique(x, return_counts=True)
    found: dict[str, Any] = {
        "missing": missing,
        "distinct": len(values),
        "quartiles": [digits(q) for q in np.quantile(x, [0.0, 0.25, 0.5, 0.75, 1.0])],
    }
    if len(values) <= _FEW_VALUES:
        found["bars"] = [[digits(v), int(c)] for v, c in zip(values, counts, strict=True)]
    else:
        counts, edges = np.histogram(x, bins=_BINS)
        found["bins"] = {
            "low": digits(edges[0]),
            "high": digits(edges[-1]),
            "counts": counts.tolist(),
        }
    return found


def equation(model: Topo, data: Dataset | None, residuals: Residuals | None, j: int) -> str:
    """How column ``j`` is made, in a line."""
    names, weights = model.names_, model.adjacency_matrix_
    parents = np.flatnonzero(weights[:, j])
    parents = parents[np.argsort(-np.abs(weights[parents, j]))]
    predictor = _predictor(model)
    name = names[j]
    if of_categories(model):
        return _chances(name, [names[i] for i in parents])
    if isinstance(predictor, AdditiveModel):
        terms = " + ".join(f"f({names[i]})" for i in parents)
        return f"{name} = {terms + ' + ' if terms else ''}constant + noise{_size(residuals, j)}"
    loss = losses_of(model)[j]
    scale = scale_of(loss)
    if isinstance(predictor, LinearModel):
        if scale is not None or data is None:
            constant = float(predictor.intercepts[j])
        else:
            constant = float(data.mean[j] - data.mean @ weights[:, j])
        right = _sum(constant, [(float(weights[i, j]), names[i]) for i in parents])
        if scale is None:
            return f"{name} = {right} + noise{_size(residuals, j)}"
        return f"{scale} {name} = {right}"
    if getattr(loss, "name", "") == "multinomial":
        return _chances(name, [names[i] for i in parents])
    if isinstance(predictor, BlockModel):
        # What each cause adds, and one constant or one for each value.
        lines = slopes(model)[:, j]
        sloped = [(float(weights[i, j]), names[i]) for i in parents if lines[i]]
        added = [_sum(0.0, sloped)] if sloped else []
        added += [f"f({names[i]})" for i in parents if not lines[i]]
        right = " + ".join([*added, "constant"])
        if scale is None:
            return f"{name} = {right} + noise{_size(residuals, j)}"
        return f"{scale} {name} = {right}"
    if not parents.size:
        return f"{name} = constant + noise{_size(residuals, j)}"
    listed = ", ".join(names[i] for i in parents)
    return f"{name} = a function of ({listed}) + noise{_size(residuals, j)}"


def _chances(name: str, causes: list[str]) -> str:
    return f"P({name} | {', '.join(causes)})" if causes else f"P({name})"


def _size(residuals: Residuals | None, j: int) -> str:
    """The deviation of the noise of a column, where it is real."""
    if residuals is None or not residuals.real[j]:
        return ""
    return f" (sd {residuals.left[:, j].std():.3g})"


def _sum(constant: float, terms: list[tuple[float, str]]) -> str:
    text = f"{constant:.4g}" if constant or not terms else ""
    for weight, name in terms:
        sign = "−" if weight < 0.0 else "+"
        if text:
            text += f" {sign} {abs(weight):.4g} × {name}"
        else:
            text = f"{'−' if weight < 0.0 else ''}{abs(weight):.4g} × {name}"
    return text
