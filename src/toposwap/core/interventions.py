"""Which variables were set from outside, and in which rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.validation import listed, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: What setting a variable may do to its mechanism.
KINDS_OF_INTERVENTION = ("perfect", "shift")


@dataclass(frozen=True, eq=False)
class Interventions:
    """Rows in which some variables were set from outside.

    ==========  ==================================================================================
    "perfect"   the variable no longer listens to its parents: those rows say nothing about its
                mechanism, and everything about its effects
    "shift"     the variable listens as before, and something is added, the same in all of those
                rows: as if an indicator of the rows were one more parent of it, and of it alone
    ==========  ==================================================================================

    Attributes
    ----------
    targets
        (n, d) of bool: ``targets[r, j]`` tells that variable j was set in row r.
    kind
        "perfect" or "shift".
    """

    targets: NDArray[np.bool_] = field(repr=False)
    kind: str = "perfect"

    def of_rows(self, rows: Any) -> Interventions:
        """The same for some of the rows, or for rows repeated."""
        return Interventions(self.targets[rows], self.kind)

    def environments(self) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """The different sets of targets (e, d), and which of them each row has, (n,)."""
        sets, where = np.unique(self.targets, axis=0, return_inverse=True)
        return sets, where.ravel()

    def summary(self, weights: NDArray[np.float64] | None = None) -> Environments:
        """How often each set of targets occurs; ``weights`` (n,) say how often each row counts."""
        sets, where = self.environments()
        return Environments(self.kind, sets, np.bincount(where, weights=weights).astype(float))

    @property
    def always(self) -> NDArray[np.bool_]:
        """Variables (d,) that have no mechanism in these rows, since they were set in all."""
        return np.asarray(self.targets.all(axis=0) & (self.kind == "perfect"))


@dataclass(frozen=True, eq=False)
class Environments:
    """What was set in how many rows, without the rows.

    Attributes
    ----------
    kind
        "perfect" or "shift".
    sets
        The different sets of targets, (e, d) of bool; the empty one among them where nothing was
        set.
    rows
        How many rows have each, (e,).
    """

    kind: str
    sets: NDArray[np.bool_] = field(repr=False)
    rows: NDArray[np.float64] = field(repr=False)


def told_apart(edges: NDArray[np.bool_], targets: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Edges (d, d) whose direction shows because just one of their ends was set in some row.

    ``targets`` (e, d) are the sets of variables that were set. Two graphs of one Markov equivalence
    class are told apart by the interventions exactly if such an edge differs.
    """
    apart = np.zeros_like(edges)
    for one in targets:
        apart |= one[:, None] != one
    return edges & apart


def checked_interventions(
    given: Any, kind: Any, names: Sequence[str], rows: int
) -> Interventions | None:
    """What a user gives for the rows of a table; None where nothing was set.

    ``given`` has an entry for each of ``rows`` rows: None, a name (several separated by ";"), a
    position, or a list of these; or it is a table (n, d) of bool.
    """
    if not isinstance(kind, str) or kind not in KINDS_OF_INTERVENTION:
        raise InputError(
            f"intervention_kind: must be {' or '.join(map(repr, KINDS_OF_INTERVENTION))}, got "
            f"{kind!r}"
        )
    if given is None:
        return None
    if isinstance(given, Interventions):
        targets = given.targets
    elif isinstance(given, str) or not hasattr(given, "__len__"):
        raise InputError(
            "interventions: must have an entry for each row, None, a name or a list of names; got "
            f"{type(given).__name__}"
        )
    elif getattr(given, "ndim", 1) == 2:
        targets = _as_table(given, names)
    else:
        targets = _by_row(list(given), names)
    if len(targets) != rows:
        raise InputError(
            f"interventions: {len(targets)} entries for {rows} rows; give one for each row, None "
            "where nothing was set"
        )
    return Interventions(targets, kind) if targets.any() else None


def _as_table(given: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    columns = getattr(given, "columns", None)
    values = np.asarray(given)
    if columns is not None and set(map(str, columns)) == set(names):
        place = places([str(name) for name in columns])
        values = values[:, [place[name] for name in names]]
    if values.shape[1] != len(names) or not np.isin(values, (0, 1)).all():
        raise InputError(
            f"interventions: a table must have a column of True and False for each of the "
            f"{len(names)} variables, got shape {values.shape}"
        )
    return values.astype(np.bool_)


def _by_row(given: list[Any], names: Sequence[str]) -> NDArray[np.bool_]:
    targets = np.zeros((len(given), len(names)), dtype=np.bool_)
    place = places(names)
    known: dict[Any, list[int]] = {}
    for row, entry in enumerate(given):
        if entry is None:
            continue
        several = isinstance(entry, list | tuple | set | frozenset | np.ndarray)
        for one in entry if several else (entry,):
            # Most rows repeat what others say.
            key = (type(one), one)
            if key not in known:
                known[key] = _positions(one, place, names)
            targets[row, known[key]] = True
    return targets


def _positions(one: Any, place: dict[str, int], names: Sequence[str]) -> list[int]:
    """The variables that one entry names."""
    if one is None or (isinstance(one, float) and np.isnan(one)) or str(one) in ("<NA>", "NaT"):
        return []
    if isinstance(one, int | np.integer) and not isinstance(one, bool | np.bool_):
        if 0 <= one < len(names):
            return [int(one)]
        raise InputError(f"interventions: position {one} is not one of 0 to {len(names) - 1}")
    if not isinstance(one, str):
        raise InputError(
            "interventions: a row has None, a name, a position or a list of these, got "
            f"{type(one).__name__}"
        )
    if one in place:
        return [place[one]]
    found = []
    for name in (part.strip() for part in one.split(";")):
        if not name:
            continue
        if name not in place:
            near = get_close_matches(name, list(names), 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {listed(names)}"
            raise InputError(f"interventions: no column is called {name!r}; {hint}")
        found.append(place[name])
    return found
