"""Rows in which some variables are set from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.interventions import Interventions, checked_interventions
from toposwap.simulate.graphs import checked_count

if TYPE_CHECKING:
    from toposwap.simulate.graphs import RandomState


def intervention_targets(
    d: int,
    targets: int = 10,
    rows_each: int = 100,
    observational: int = 500,
    random_state: RandomState = None,
) -> list[int | None]:
    """Which variable is set in each row: none in the first, then `targets` of d, one at a time.

    Parameters
    ----------
    d
        The number of variables.
    targets
        How many of them are set, each in `rows_each` rows.
    rows_each, observational
        Rows for each target, and rows in which nothing is set.
    random_state
        None, a seed, or the generator to draw the targets from.

    Returns
    -------
    list
        As :func:`linear_sem` and ``Topo().fit`` take it.
    """
    if not 0 <= targets <= d:
        raise InputError(f"targets is {targets}: at most all {d} variables can be set")
    chosen = np.random.default_rng(random_state).permutation(d)[:targets]
    rows: list[int | None] = [None] * observational
    for j in sorted(chosen.tolist()):
        rows += [j] * checked_count(rows_each, "rows_each")
    return rows


def given_interventions(given: Any, kind: str, d: int, n: int) -> Interventions:
    """Targets (n, d), all False where nothing is ``given``; names are x0, x1, ..."""
    found = checked_interventions(given, kind, [f"x{k}" for k in range(d)], n)
    return Interventions(np.zeros((n, d), dtype=np.bool_), kind) if found is None else found
