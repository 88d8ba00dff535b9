"""What a careful reader of a table would ask about, told with the result.

Nothing here changes what is learned: marks of missing values that pass for numbers, identifiers,
running numbers, time, and rows that are not independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.kinds.base import is_whole
from toposwap.core.kinds.names import says_identifier
from toposwap.core.validation import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: Numbers that people write where a value is missing.
_MARKS = frozenset((-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0))
#: So far from them may stand others, for other reasons why nothing is known: 98 beside 99.
_BESIDE = 2
#: With fewer rows a sequence may be chance, and with fewer of these equal steps.
_LEAST_ROWS, _LEAST_STEPS = 20, 10
#: An identifier of groups has more values than a rating.
_LEAST_GROUPS = 11
#: Correlation of neighbouring rows in half of the columns from which on rows are not independent.
_ALIKE = 0.5
#: A correlation that only time makes.
_SMOOTH = 0.98
#: Rows that are compared with their neighbours.
_MOST_ROWS = 2000
_INDEPENDENT = (
    "rows are taken as independent of each other; where they follow in time, edges look more "
    "certain than they are, and causes that act later are not seen: this is no method for time "
    "series"
)


def notices(data: Dataset) -> tuple[str, ...]:
    """What to know about the rows of ``data`` besides their kinds, a sentence each."""
    if data.held is None or data.n < _LEAST_STEPS:
        return data.remarks
    seen = (_marks(data), _identifiers(data), _in_order(data))
    return (*data.remarks, *(text for text in seen if text is not None))


def mark_of_missing(x: NDArray[np.float64]) -> float | None:
    """The number in ``x`` that stands for a missing value: repeated, and far from all others."""
    low, high = float(x.min()), float(x.max())
    for mark in (low, high):
        if mark not in _MARKS:
            continue
        others = x[np.abs(x - mark) > _BESIDE]
        if x.size - others.size < 2 or others.size < 3:
            continue
        reach = float(others.max() - others.min())
        if reach == 0.0:
            continue
        gap = min(abs(float(others.min()) - mark), abs(float(others.max()) - mark))
        if gap > max(reach, 1.0) and abs(mark) > 2.0 * np.abs(others).max():
            return mark
        # A negative one among what is never negative.
        if mark < 0.0 <= others.min() and mark <= -9.0 and gap >= 9.0 and abs(mark) > reach:
            return mark
    return None


def is_running_number(x: NDArray[np.float64]) -> bool:
    """Whether ``x`` goes up or down by one from row to row, or by any other constant step."""
    if x.size < _LEAST_STEPS:
        return False
    steps = np.diff(x)
    return bool(steps[0] != 0.0 and np.allclose(steps, steps[0], rtol=1e-9, atol=0.0))


def names_rows(name: str, x: NDArray[np.float64]) -> bool:
    """Whether ``x`` (n,) names rows or groups of them: by its name, many whole numbers or codes."""
    if not says_identifier(name) or not is_whole(x):
        return False
    return len(np.unique(x)) >= min(_LEAST_GROUPS, x.size)


def _identifiers(data: Dataset) -> str | None:
    assert data.held is not None
    found = [
        name
        for j, name in enumerate(data.names)
        if name not in data.given_kinds
        and names_rows(name, data.held[:, j])
        and not is_running_number(data.held[:, j])
    ]
    if not found:
        return None
    return (
        f"{listed(found)}: an identifier by its name, of rows or of what they belong to, which "
        "counts as a variable here: leave it out (--exclude) unless it is meant as one; rows that "
        "belong together are not independent"
    )


def _marks(data: Dataset) -> str | None:
    assert data.held is not None
    # Most tables have none, which two look-ups a column tell.
    some = [
        j
        for j, ends in enumerate(zip(*(end.tolist() for end in data.extremes), strict=True))
        if not _MARKS.isdisjoint(ends)
    ]
    found = []
    for j in some:
        x = data.held[:, j]
        mark = mark_of_missing(x)
        if mark is not None:
            beside = np.unique(x[np.abs(x - mark) <= _BESIDE])
            which = " and ".join(f"{value:.10g}" for value in beside)
            rows = int(np.isin(x, beside).sum())
            found.append(f"{which} in {rows} rows of {data.names[j]!r}")
    if not found:
        return None
    return (
        f"{', '.join(found[:8])}: far from all other values there; if it stands for a missing "
        "value make it missing (--na on the command line), it counts as a number here"
    )


def _in_order(data: Dataset) -> str | None:
    """Running numbers, columns that never turn back, and rows that resemble their neighbours."""
    assert data.held is not None
    steps = np.diff(data.held[:_LEAST_ROWS], axis=0)
    turns = (steps > 0.0).any(axis=0) & (steps < 0.0).any(axis=0)
    running, rising = [], []
    for j in np.flatnonzero(~turns):
        x = data.held[:, j]
        if is_running_number(x):
            running.append(data.names[j])
        elif _never_turns(x):
            rising.append(data.names[j])
    if running:
        return (
            f"{listed(running)} counts the rows, as a running number or an index of time does: "
            f"leave it out (--exclude) unless it is meant as a variable; {_INDEPENDENT}"
        )
    if data.n < _LEAST_ROWS:
        return None
    rows = data.held[:_MOST_ROWS]
    neighbours = _correlation(rows)
    alike = neighbours > max(_ALIKE, 4.0 / np.sqrt(data.n))
    if alike.mean() >= 0.5:
        # Rows that are independent within classes make steps of which each undoes half of the last.
        steps = _correlation(np.diff(rows, axis=0))
        alike &= (steps > -0.5 + max(0.15, 2.0 / np.sqrt(len(rows)))) | (neighbours > _SMOOTH)
    if alike.mean() >= 0.5:
        shown = [data.names[j] for j in np.flatnonzero(alike)]
        return (
            f"neighbouring rows are alike in {listed(shown, 3)} (correlation "
            f"{float(np.median(neighbours[alike])):.2f}), as in a series in time: "
            f"{_INDEPENDENT}"
        )
    if rising:
        verb = "turns" if len(rising) == 1 else "turn"
        return (
            f"{listed(rising)} never {verb} back from row to row, as time does, or what rows were "
            f"sorted by: {_INDEPENDENT}"
        )
    return None


def _correlation(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each column with itself a row later, (d,)."""
    centred = rows - rows.mean(axis=0)
    own = np.einsum("ij,ij->j", centred, centred)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.einsum("ij,ij->j", centred[1:], centred[:-1]) / own)


def _never_turns(x: NDArray[np.float64]) -> bool:
    steps = np.diff(x)
    several = np.count_nonzero(steps) >= _LEAST_ROWS - 1
    return bool(several and ((steps >= 0.0).all() or (steps <= 0.0).all()))
