"""What the page tells of each edge beyond its weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.report.checks.carried import Carried, carried_by_few
from toposwap.report.forms import slopes
from toposwap.report.graph import _predictor, reversible
from toposwap.report.page.packed import digits, packed
from toposwap.scores.settings import penalty_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.estimators import Topo
    from toposwap.report.checks import Residuals
    from toposwap.report.evidence import Evidence
    from toposwap.report.sureness import Sureness

_POINTS = 33
#: Kinds of columns that have few values, and those that need a table.
_CATEGORIES = {"categorical"}
_FEW_VALUED = {"categorical", "binary", "ordinal"}
_MOST_VALUES = 12
#: Rows on which a curve's part is measured.
_ROWS = 1000
#: Schwarz's penalty takes this for a score that has none of its own.
_FACTOR = 1.0


@dataclass(frozen=True, eq=False)
class Spoken:
    """What is known of edges besides the graph; all of it may be missing."""

    sureness: Sureness | None = None
    required: frozenset[tuple[int, int]] = frozenset()
    against: frozenset[tuple[int, int]] = frozenset()
    carried: Sequence[Carried] = field(default_factory=tuple)


def edge_records(
    model: Topo,
    data: Dataset | None,
    residuals: Residuals | None,
    spoken: Spoken,
    pairs: Sequence[tuple[int, int]],
) -> list[dict[str, Any]]:
    """One record for each of ``pairs``, in this order, beside those of files."""
    either_way = reversible(model)
    few = {(one.source, one.target): one for one in spoken.carried}
    curves, lines = _curves(model, residuals, pairs), slopes(model)
    found = []
    for i, j in pairs:
        record: dict[str, Any] = {"from": i, "to": j}
        flags = {
            "reversible": bool(either_way[i, j]),
            "slope": bool(lines[i, j]),
            "required": (i, j) in spoken.required,
            "against": (i, j) in spoken.against,
        }
        record |= {name: True for name, there in flags.items() if there}
        if spoken.sureness is not None:
            record["sure"] = digits(spoken.sureness.adjacent[i, j], 4)
            record["arrow"] = digits(spoken.sureness.arrow[i, j], 4)
        if (i, j) in few:
            one = few[i, j]
            record["carried"] = {
                "rows": len(one.rows),
                "weight": digits(one.weight),
                "gain": digits(one.gain, 4),
            }
        record |= curves.get((i, j), {}) | _shares(data, i, j)
        found.append(record)
    return found


def price_of(model: Topo, n: int) -> float:
    """What a parameter must bring in twice the log-likelihood: BIC's price, as the score has it."""
    settings = penalty_settings(getattr(model, "score", None), model.result_.score_name) or {}
    columns = 4.0 * float(settings.get("gamma", 0.0)) * float(np.log(len(model.names_)))
    return float(settings.get("factor", _FACTOR)) * float(np.log(n)) + columns


def carried_edges(
    model: Topo, data: Dataset | None, residuals: Residuals | None, evidence: Evidence | None
) -> list[Carried]:
    """Edges that are lines and that few rows carry."""
    if data is None or residuals is None or evidence is None or data.row_weights is not None:
        return []
    if not (residuals.lines.any() and residuals.all_alike):
        return []
    return carried_by_few(residuals, evidence, price_of(model, data.n))


def _shares(data: Dataset | None, i: int, j: int) -> dict[str, Any]:
    """Of two columns of few values, one of them categories: how often each pair occurs."""
    if data is None or data.rows is None:
        return {}
    kinds = {data.kinds[v].kind.name for v in (i, j)}
    if not kinds & _CATEGORIES or not kinds <= _FEW_VALUED:
        return {}
    pair = data.rows[:, [i, j]]
    pair = pair[np.isfinite(pair).all(axis=1)]
    causes, rows = np.unique(pair[:, 0], return_inverse=True)
    effects, columns = np.unique(pair[:, 1], return_inverse=True)
    if max(len(causes), len(effects)) > _MOST_VALUES:
        return {}
    counts = np.zeros((len(causes), len(effects)), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    table = {"causes": _told(data, i, causes), "effects": _told(data, j, effects)}
    return {"table": {**table, "counts": counts.tolist()}}


def _told(data: Dataset, v: int, values: NDArray[np.float64]) -> list[str]:
    """What numbers of a column stand for."""
    levels = data.kinds[v].levels or data.levels.get(data.names[v])
    if levels is None:
        return [f"{value:g}" for value in values]
    return [str(levels[int(value)]) for value in values]


def _curves(
    model: Topo, residuals: Residuals | None, pairs: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], dict[str, Any]]:
    """For edges that are no lines: the fitted effect over its cause, others at their mean.

    With ``part``, the share of the noise that would be added if the cause stayed at its mean.
    """
    predictor = _predictor(model)
    if residuals is None or not callable(predictor) or residuals.lines.all():
        return {}
    rows = residuals.rows
    mean = rows.mean(axis=0)
    some = rows[:: max(1, len(rows) // _ROWS)]
    left = (some - predictor(some)).var(axis=0)
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for i in sorted({i for i, j in pairs if not residuals.lines[j]}):
        effects = [j for a, j in pairs if a == i and not residuals.lines[j]]
        grid = np.linspace(rows[:, i].min(), rows[:, i].max(), _POINTS)
        try:
            values = predictor(_with(np.tile(mean, (_POINTS, 1)), i, grid))
            held = some - predictor(_with(some.copy(), i, mean[i]))
        except InputError:
            # Of categories there is nothing between two values.
            continue
        for j in effects:
            without = float(held[:, j].var())
            found[i, j] = {"curve": packed(values[:, j])}
            if without > 0.0:
                found[i, j]["part"] = digits(max(0.0, 1.0 - left[j] / without), 4)
    return found


def _with(
    rows: NDArray[np.float64], i: int, values: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    rows[:, i] = values
    return rows
