"""Lists of all parent sets that some order may want, for the proof of the global minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.deadline import NEVER
from toposwap.kernels.l0.determinants import Determinants
from toposwap.kernels.l0.parent_sets import wanted_parent_sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.kernels.l0.tables import Rule

    Sets = tuple[NDArray[np.uint64], NDArray[np.float64]]

#: A branch of the tree of sets takes the time of so many sets of a table of all.
_SETS_A_BRANCH = 16


def parent_lists(
    rule: Rule, most_parents: int, limits: NDArray[np.float64], deadline: Deadline = NEVER
) -> list[Sets] | None:
    """For each node the sets that no subset is as good as, below ``limits`` (d,), and scores.

    First by a tree of sets whose branches are cut (:mod:`toposwap.kernels.l0.parent_sets`). Where
    that of a node is larger than the table of all sets, it is this table that is gone through
    (:mod:`toposwap.kernels.l0.determinants`), if there is room for it. None if time is up, or sets
    are too many either way.
    """
    d = rule.own.size
    every = np.ones(d, dtype=np.bool_)
    tabled = [rule.logarithmic and Determinants.possible(C) for C in rule.C]
    found: list[Sets | None] = []
    for z in range(d):
        most = {"most_branches": (1 << d) // _SETS_A_BRANCH} if tabled[rule.own[z]] else {}
        may = rule.allowed[z] if rule.masked else every
        found.append(
            wanted_parent_sets(rule, z, may, most_parents, float(limits[z]), deadline, **most)
        )
        if found[-1] is None and (deadline.passed or not tabled[rule.own[z]]):
            return None
    for group in range(len(rule.C)):
        left = [z for z in range(d) if found[z] is None and rule.own[z] == group]
        if not left:
            continue
        table = Determinants(rule.C[group], 2.0 * rule.weight / rule.unit[left].min())
        if not table.fill(deadline):
            return None
        for z in left:
            may = rule.allowed[z] if rule.masked else every
            found[z] = table.wanted(rule, z, may, most_parents, float(limits[z]), deadline)
            if found[z] is None:
                return None
    return [sets for sets in found if sets is not None]
