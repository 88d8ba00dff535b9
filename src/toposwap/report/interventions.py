"""What was set from outside and how it was used, in words and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.report.words import counted

if TYPE_CHECKING:
    from toposwap.estimators import Topo

_MOST_NAMED = 8
_USED = {
    "perfect": "set from outside, where they do not count for the causes of what was set",
    "shift": "set from outside, where a constant is added to what was set",
}


def interventions_in_words(model: Topo) -> str | None:
    """How many rows were used for what; None where nothing was set."""
    done = model.result_.environments
    if done is None:
        return None
    names = model.names_
    rows = {names[j]: round(float(done.rows[done.sets[:, j]].sum())) for j in _targets(model)}
    shown = [f"{name} ({times})" for name, times in list(rows.items())[:_MOST_NAMED]]
    more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
    some = done.sets.any(axis=1)
    total, touched = round(float(done.rows.sum())), round(float(done.rows[some].sum()))
    told = f"{touched} of {counted(total, 'row')} have columns {_USED[done.kind]}"
    return f"{told}: {', '.join(shown)}{more}"


def interventions_record(model: Topo) -> dict[str, Any] | None:
    """The kind, and each set of targets with its number of rows, as JSON can hold it."""
    done = model.result_.environments
    if done is None:
        return None
    names = model.names_
    return {
        "kind": done.kind,
        "environments": [
            {"targets": [names[j] for j in np.flatnonzero(one)], "rows": float(rows)}
            for one, rows in zip(done.sets, done.rows, strict=True)
        ],
    }


def _targets(model: Topo) -> list[int]:
    """The columns that were set in some row."""
    done = model.result_.environments
    return [] if done is None else np.flatnonzero(done.sets.any(axis=0)).tolist()
