"""What a careful reader would ask about the table, answered a sentence each."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.tables.notices import notices
from toposwap.core.validation import listed
from toposwap.diagnostics import r2_sortability, units_in_words
from toposwap.report.gaps import gaps_in_words
from toposwap.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposwap.core.dataset import Dataset
    from toposwap.estimators import Topo
    from toposwap.report.checks.carried import Carried

#: Columns as alike as this say the same thing twice.
_TWINS = 0.99
#: A column of which so little is left by all others is made of them.
_DETERMINED = 1e-3
#: Robust deviations from the median beyond which a value is far out.
_FAR = 8.0
_MOST = 8


def audit(
    model: Topo, data: Dataset | None, carried: Sequence[Carried], notes: Sequence[str]
) -> list[dict[str, Any]]:
    """Records with ``title``, ``verdict`` ("fine", "look" or "beware") and ``text``."""
    found: list[dict[str, Any] | None] = []
    if data is not None:
        found += [
            _gaps(model, data, notes),
            _set_from_outside(data),
            _constant(notes),
            _dependent(data),
        ]
        found += [_far_out(data), _carried(model, data, carried), _rows(data)]
    found.append(_units(model, data))
    if data is not None:
        found += [_told("The order of rows and odd values", "look", text) for text in notices(data)]
    said = {record["text"] for record in found if record is not None}
    remarks = (_told("Remark", "look", remark) for remark in model.remarks_)
    found += [remark for remark in remarks if remark["text"] not in said]
    heard = ("missing", "left out")
    found += [
        _told("Note", "look", note)
        for note in notes
        if note not in model.remarks_ and not any(word in note for word in heard)
    ]
    return [record for record in found if record is not None]


def _told(title: str, verdict: str, text: str) -> dict[str, Any]:
    return {"title": title, "verdict": verdict, "text": text[:1].upper() + text[1:]}


def _gaps(model: Topo, data: Dataset, notes: Sequence[str]) -> dict[str, Any]:
    about = [note for note in notes if "missing" in note]
    treated = gaps_in_words(model)
    if treated:
        return _told("Gaps", "look", ". ".join(treated) + ".")
    if data.rows is None:
        return _told("Gaps", "fine", "only a covariance matrix is known, and it has none.")
    gaps = np.isnan(data.rows).sum(axis=0)
    if gaps.any():
        worst = [f"{data.names[j]} ({gaps[j]})" for j in np.argsort(-gaps) if gaps[j]]
        more = f" and {len(worst) - _MOST} more columns" if len(worst) > _MOST else ""
        text = f"values are missing in {', '.join(worst[:_MOST])}{more}."
        return _told("Gaps", "look", " ".join([text, *about]))
    if about:
        return _told("Gaps", "look", " ".join(about) + ".")
    return _told("Gaps", "fine", "every row has a value in every column.")


def _set_from_outside(data: Dataset) -> dict[str, Any] | None:
    done = getattr(data, "interventions", None)
    if done is None:
        return None
    rows, counts = done.targets.any(axis=1), done.targets.sum(axis=0)
    worst = [f"{data.names[j]} ({counts[j]})" for j in np.argsort(-counts) if counts[j]]
    more = f" and {len(worst) - _MOST} more" if len(worst) > _MOST else ""
    return _told(
        "Interventions",
        "fine",
        f"in {int(rows.sum())} of {len(rows)} rows something was set from outside: "
        f"{', '.join(worst[:_MOST])}{more}. The checks below look at the other rows only.",
    )


def _constant(notes: Sequence[str]) -> dict[str, Any]:
    about = [note for note in notes if "left out" in note and "missing" not in note]
    if about:
        return _told("Columns left out", "look", " ".join(about) + ".")
    return _told("Constant columns", "fine", "none: every column varies.")


def _dependent(data: Dataset) -> dict[str, Any]:
    unit = data.factor / data.deviations
    alike = np.abs(unit.T @ unit)
    pairs = np.argwhere(np.triu(alike > _TWINS, 1))
    told = [f"{data.names[i]} and {data.names[j]}" for i, j in pairs]
    parts = []
    if told:
        more = f" and {len(told) - _MOST} more pairs" if len(told) > _MOST else ""
        parts.append(
            f"{', '.join(told[:_MOST])}{more} are correlated by more than {_TWINS}: each can stand "
            "for the other, and which of them has an edge is nearly arbitrary."
        )
    left = data._unexplained
    made = [data.names[j] for j in np.flatnonzero(left < _DETERMINED)]
    if made:
        parts.append(
            f"{listed(made)}: the other columns determine this to {_DETERMINED:.1%} of its "
            "variance; a sum or a copy in another unit is no cause. Leave such columns out."
        )
    if parts:
        return _told("Columns that determine each other", "beware", " ".join(parts))
    return _told("Columns that determine each other", "fine", "none is a copy or a sum of others.")


def _far_out(data: Dataset) -> dict[str, Any] | None:
    if data.rows is None:
        return None
    continuous = [j for j, known in enumerate(data.kinds) if known.kind.name == "continuous"]
    far = []
    for j in continuous:
        x = data.rows[:, j]
        x = x[~np.isnan(x)]
        low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
        if high > low:
            count = int((np.abs(x - middle) > _FAR * (high - low) / 1.349).sum())
            if count:
                far.append((count, data.names[j]))
    if not far:
        return _told("Values far out", "fine", "no value lies far from all others of its column.")
    far.sort(reverse=True)
    told = ", ".join(f"{name} ({count})" for count, name in far[:_MOST])
    more = f" and {len(far) - _MOST} more columns" if len(far) > _MOST else ""
    return _told(
        "Values far out",
        "look",
        f"{told}{more} have values more than {_FAR:g} robust deviations from the median. A "
        "logarithm, or the score huber-bic, gives them less weight.",
    )


def _carried(model: Topo, data: Dataset, carried: Sequence[Carried]) -> dict[str, Any] | None:
    interfered = data.rows is not None and (
        getattr(data, "interventions", None) is not None or np.isnan(data.rows).any()
    )
    if data.rows is None or data.row_weights is not None or interfered:
        return None
    title = "Edges that few rows carry"
    if not carried:
        return _told(
            title, "fine", "no linear edge would go if one row in a hundred were left out."
        )
    names = model.names_
    told = [
        f"{names[one.source]} → {names[one.target]} ({counted(len(one.rows), 'row')})"
        for one in carried
    ]
    more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return _told(
        title,
        "beware",
        f"without so few of the {data.n} rows these edges would not be worth their price or would "
        f"change their sign: {', '.join(told[:_MOST])}{more}.",
    )


def _rows(data: Dataset) -> dict[str, Any]:
    each = data.n / data.d
    text = f"{data.n} rows for {data.d} columns"
    if each < 5:
        return _told("Enough rows?", "beware", f"{text}: too few to tell weak edges from chance.")
    if each < 20:
        return _told("Enough rows?", "look", f"{text}: strong edges only will be found.")
    return _told("Enough rows?", "fine", f"{text}.")


def _units(model: Topo, data: Dataset | None) -> dict[str, Any]:
    share = model.varsortability_
    depends = model.result_.scale_dependent
    if depends:
        text = f"{units_in_words(share, model.result_.score_name)}."
    else:
        text = "the score knows no units: the graph is the same in metres and in feet."
        if np.isfinite(share):
            text += f" Along {share:.0%} of the directed paths the variance rises."
    if data is not None and data.n > data.d and np.isfinite(share):
        with contextlib.suppress(ValueError, np.linalg.LinAlgError):
            text += (
                f" R²-sortability is {r2_sortability(data, model.adjacency_matrix_):.2f} "
                "(1/2 is chance; near 1, sorting by R² finds the order)."
            )
    return _told("Units and sortability", "look" if depends and share > 0.9 else "fine", text)
