r"""A bound on every graph's score that needs no list of sets: cycles forbidden within groups only.

.. math:: \min_{\text{DAGs}} Q \;\ge\; \sum_G h_G(G), \qquad
          h_G(U) = \min_{v \in U} b_v(V \setminus U) + h_G(U \setminus v), \quad U \subseteq G,

:math:`b_v(S)` being the least that v can cost with parents in S. Groups of one variable give the
sum of what each costs at its best; merging two groups forbids cycles that lead through both and
never lowers the bound. Those are merged first whose members exclude each other's best parents most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Group = tuple[int, ...]

#: The most variables of a group, in one attempt after the other: b is asked for 2^m m times.
_LARGEST_GROUPS = (4, 8, 10, 12)


@dataclass(frozen=True, eq=False)
class Relaxed:
    """What is known about every graph.

    Attributes
    ----------
    bound
        No graph has a lower score.
    besides
        (d,): what all variables but v cost together at the least.
    """

    bound: float
    besides: NDArray[np.float64]


def relax(least: Callable[[int, int], float], d: int, deadline: Deadline) -> Relaxed:
    """The best bound of several attempts with groups of different sizes.

    Parameters
    ----------
    least
        ``least(v, U)``: b_v(V - U), or less; U as bits.
    d
        The number of variables.
    deadline
        When to stop; the sum over single variables is always made.
    """
    single = np.array([least(v, 0) for v in range(d)])
    best = Relaxed(float(single.sum()), single.sum() - single)
    half = Deadline(deadline.left / 2) if 0.0 < deadline.left < np.inf else deadline
    ties = _ties(least, d, half)
    for most in _LARGEST_GROUPS:
        if deadline.passed:
            break
        found = _merged(least, single, ties, most, deadline)
        if found.bound > best.bound:
            best = found
    return best


def _merged(
    least: Callable[[int, int], float],
    single: NDArray[np.float64],
    ties: NDArray[np.float64],
    most: int,
    deadline: Deadline,
) -> Relaxed:
    """Groups of at most ``most`` variables, merged until time is up."""
    # h_G of the whole group, and of all of it but each member.
    tables: dict[Group, tuple[float, list[float]]] = {
        (v,): (float(value), [0.0]) for v, value in enumerate(single)
    }
    while not deadline.passed:
        pair = _next_pair(list(tables), ties, most)
        if pair is None:
            break
        group = tuple(sorted(pair[0] + pair[1]))
        table = _within_group(least, group, deadline)
        if table is None:
            break
        del tables[pair[0]], tables[pair[1]]
        tables[group] = table
    bound = sum(value for value, _ in tables.values())
    besides = np.empty(len(single))
    for group, (value, without) in tables.items():
        besides[list(group)] = bound - value + np.array(without)
    return Relaxed(bound, besides)


def _ties(least: Callable[[int, int], float], d: int, deadline: Deadline) -> NDArray[np.float64]:
    """What forbidding the cycle between each two variables alone brings, (d, d)."""
    ties = np.zeros((d, d))
    for i in range(d):
        if deadline.passed:
            break
        for j in range(i):
            # One of the two has to do without the other.
            brings = least(i, 1 << j) - least(i, 0)
            if brings > 0.0:
                brings = min(brings, least(j, 1 << i) - least(j, 0))
            ties[i, j] = ties[j, i] = brings
    return ties


def _next_pair(
    groups: Sequence[Group], ties: NDArray[np.float64], most: int
) -> tuple[Group, Group] | None:
    """The two groups to be merged next: the strongest tie, for the size of what it makes.

    Last come those without any, through which longer cycles may lead.
    """
    chosen, strongest = None, -1.0
    for a, one in enumerate(groups):
        for other in groups[:a]:
            size = len(one) + len(other)
            tie = float(ties[np.ix_(one, other)].sum()) / size
            if size <= most and tie > strongest:
                chosen, strongest = (one, other), tie
    return chosen


def _within_group(
    least: Callable[[int, int], float], group: Group, deadline: Deadline
) -> tuple[float, list[float]] | None:
    """h_G of G, and of G without each member; None if time is up before."""
    m = len(group)
    h = [0.0] * (1 << m)
    bits = [sum(1 << v for i, v in enumerate(group) if s >> i & 1) for s in range(1 << m)]
    for s in range(1, 1 << m):
        if deadline.passed:
            return None
        h[s] = min(least(v, bits[s]) + h[s ^ (1 << i)] for i, v in enumerate(group) if s >> i & 1)
    return h[-1], [h[-1 - (1 << i)] for i in range(m)]
