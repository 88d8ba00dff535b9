r"""All sets of parents of a node that some order may want, under a Gaussian score with L0 penalty.

A set :math:`P` is wanted by no order if a subset of it is as good. The tree of sets is gone through
depth first, each candidate in turn taken or left out, with two tables of partial covariances: given
the parents :math:`P` taken so far, and (as a precision matrix) given those and all candidates
:math:`R` still to come. A branch is cut where even

.. math:: \min\bigl( Q_z(P \cup \{u\}),\; Q_z\text{ of }|P| + 2\text{ parents with }
          \operatorname{var}(x_z \mid P \cup R) \bigr), \qquad u \in R,

is no less than the best of :math:`P` and its subsets that are known: those on the way to it, and
those without one member, which the swept table tells in :math:`O(|P|)`; or no less than a limit,
where sets that cost more are of no use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.node import node_value
from toposwap.kernels.l0.partial_covariance import DEPENDENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.kernels.l0.tables import Rule

#: Differences of Q below this are rounding error.
_EQUAL = 1e-12
#: Room for sets at first, and the most that a node may have.
_ROOM, _MOST_SETS = 1 << 16, 1 << 22
#: Branches between two looks at the clock, some milliseconds.
_PAUSE = 1 << 14
#: Places of ``Tree.counts``: the level reached, and the number of sets noted.
LEVEL, SETS = 0, 1


class Tree(NamedTuple):
    """Where the walk through the sets of parents of a node is.

    For each level (c + 1,) the two tables ``A`` and ``K``, (c + 1, c + 1); who is ``taken``, how
    many (``n_taken``), the same as bits (``chosen``), the ``least`` score of subsets, and the
    ``phase``: to be begun, taken, left out. ``counts`` (2,) see :data:`LEVEL`.
    """

    A: NDArray[np.float64]
    K: NDArray[np.float64]
    taken: NDArray[np.int64]
    n_taken: NDArray[np.int64]
    chosen: NDArray[np.uint64]
    least: NDArray[np.float64]
    phase: NDArray[np.int64]
    counts: NDArray[np.int64]


def _new_tree(
    rule: Rule, z: int, candidates: NDArray[np.int64], precision: NDArray[np.float64]
) -> Tree:
    """At the empty set, which is still to be noted."""
    c = len(candidates)
    both = np.append(candidates, z)
    A, K = np.empty((c + 1, c + 1, c + 1)), np.empty((c + 1, c + 1, c + 1))
    A[0], K[0] = rule.C[rule.own[z]][np.ix_(both, both)], precision
    return Tree(
        A,
        K,
        taken=np.empty((c + 1, c + 1), dtype=np.int64),
        n_taken=np.zeros(c + 1, dtype=np.int64),
        chosen=np.zeros(c + 1, dtype=np.uint64),
        least=np.full(c + 1, node_value(rule, z, A[0, c, c], 0)),
        phase=np.zeros(c + 1, dtype=np.int64),
        counts=np.zeros(2, dtype=np.int64),
    )


@kernel
def parent_sets(
    rule: Rule,
    z: int,
    candidates: NDArray[np.int64],
    most_parents: int,
    limit: float,
    tree: Tree,
    sets: NDArray[np.uint64],
    values: NDArray[np.float64],
    pause: int,
) -> None:
    """Fill ``sets`` and ``values`` (m,) with wanted sets of parents of ``z`` below ``limit``.

    ``candidates`` (c,) are tried in their order, the strong ones first. Goes on where ``tree`` is;
    stops after ``pause`` branches, where ``sets`` may not have room, or at the end (level -1).
    """
    c = candidates.size
    A, K, taken, n_taken, chosen, least, phase, counts = tree
    level = counts[LEVEL]
    count = counts[SETS]
    while level >= 0 and pause > 0 and count + c < sets.size:
        pause -= 1
        if level == c or phase[level] == 2:
            level -= 1
            continue
        k = n_taken[level]
        if phase[level] == 0:
            pair = node_value(rule, z, 1.0 / K[level, c, c], k + 2)
            if k >= most_parents or pair - rule.weight >= limit:
                level -= 1
                continue
            if pair >= min(least[level] - _EQUAL, limit):
                # At most one more: all of them at once.
                count = _single_additions(
                    rule, z, candidates, level, k, A[level], taken[level], chosen[level],
                    min(least[level] - _EQUAL, limit), sets, values, count,
                )  # fmt: skip
                level -= 1
                continue
            phase[level] = 1
            if A[level, level, level] <= DEPENDENT:
                continue
            _take(level, c, k, A[level], A[level + 1], taken[level], taken[level + 1])
            for i in range(level + 1, c + 1):
                for j in range(level + 1, c + 1):
                    K[level + 1, i, j] = K[level, i, j]
            variance = A[level + 1, c, c]
            value = node_value(rule, z, variance, k + 1)
            low = np.inf
            for t in range(k + 1):
                i = taken[level + 1, t]
                low = min(low, A[level + 1, i, c] ** 2 / -A[level + 1, i, i])
            best = min(least[level], node_value(rule, z, variance + low, k))
            chosen[level + 1] = chosen[level] | (np.uint64(1) << np.uint64(candidates[level]))
            if value < best - _EQUAL:
                if value < limit:
                    sets[count] = chosen[level + 1]
                    values[count] = value
                    count += 1
                best = value
            least[level + 1] = best
            n_taken[level + 1] = k + 1
        else:
            phase[level] = 2
            pivot = K[level, level, level]
            for i in range(level + 1, c + 1):
                share = K[level, level, i] / pivot
                for j in range(level + 1, c + 1):
                    A[level + 1, i, j] = A[level, i, j]
                    K[level + 1, i, j] = K[level, i, j] - share * K[level, level, j]
            for t in range(k):
                i = taken[level, t]
                taken[level + 1, t] = i
                for s in range(k):
                    j = taken[level, s]
                    A[level + 1, i, j] = A[level, i, j]
                for j in range(level + 1, c + 1):
                    A[level + 1, i, j] = A[level, i, j]
                    A[level + 1, j, i] = A[level, j, i]
            chosen[level + 1] = chosen[level]
            least[level + 1] = least[level]
            n_taken[level + 1] = k
        phase[level + 1] = 0
        level += 1
    counts[LEVEL] = level
    counts[SETS] = count


@kernel(borrowing=True)
def _take(
    p: int,
    c: int,
    k: int,
    A: NDArray[np.float64],
    B: NDArray[np.float64],
    taken: NDArray[np.int64],
    taken_then: NDArray[np.int64],
) -> None:
    """Sweep the table ``A`` on ``p`` into ``B``, for the ``k`` taken and those still to come."""
    pivot = A[p, p]
    for t in range(k):
        i = taken[t]
        taken_then[t] = i
        share = A[p, i] / pivot
        for s in range(t + 1):
            j = taken[s]
            B[i, j] = A[i, j] - share * A[p, j]
            B[j, i] = B[i, j]
        for j in range(p + 1, c + 1):
            B[i, j] = A[i, j] - share * A[p, j]
            B[j, i] = B[i, j]
        B[i, p] = share
        B[p, i] = share
    B[p, p] = -1.0 / pivot
    taken_then[k] = p
    for i in range(p + 1, c + 1):
        share = A[p, i] / pivot
        for j in range(i, c + 1):
            B[i, j] = A[i, j] - share * A[p, j]
            B[j, i] = B[i, j]
        B[i, p] = share
        B[p, i] = share


@kernel(borrowing=True)
def _single_additions(
    rule: Rule,
    z: int,
    candidates: NDArray[np.int64],
    first: int,
    k: int,
    A: NDArray[np.float64],
    taken: NDArray[np.int64],
    chosen: np.uint64,
    below: float,
    sets: NDArray[np.uint64],
    values: NDArray[np.float64],
    count: int,
) -> int:
    """Note the sets with one more of the candidates from ``first`` on that are wanted."""
    c = candidates.size
    for u in range(first, c):
        pivot = A[u, u]
        if pivot <= DEPENDENT:
            continue
        variance = A[c, c] - A[u, c] * A[u, c] / pivot
        value = node_value(rule, z, variance, k + 1)
        if value >= below:
            continue
        low = np.inf
        for t in range(k):
            i = taken[t]
            share = A[u, i] / pivot
            coefficient = A[i, c] - share * A[u, c]
            low = min(low, coefficient * coefficient / (share * A[u, i] - A[i, i]))
        if k > 0 and value >= node_value(rule, z, variance + low, k) - _EQUAL:
            continue
        sets[count] = chosen | (np.uint64(1) << np.uint64(candidates[u]))
        values[count] = value
        count += 1
    return count


def wanted_parent_sets(
    rule: Rule,
    z: int,
    allowed: NDArray[np.bool_],
    most_parents: int,
    limit: float,
    deadline: Deadline,
    most_branches: int = 1 << 27,
) -> tuple[NDArray[np.uint64], NDArray[np.float64]] | None:
    """:func:`parent_sets` of ``z`` among ``allowed`` (d,); None if time is up or they are many."""
    candidates = np.flatnonzero(allowed)
    candidates = candidates[candidates != z]
    both = np.append(candidates, z)
    precision = np.linalg.pinv(rule.C[rule.own[z]][np.ix_(both, both)], hermitian=True)
    strength = np.abs(precision[-1, :-1]) / np.sqrt(np.maximum(np.diag(precision)[:-1], 1e-300))
    best_first = np.argsort(-strength, kind="stable")
    candidates, rearranged = candidates[best_first], np.append(best_first, len(best_first))
    tree = _new_tree(rule, z, candidates, precision[np.ix_(rearranged, rearranged)])
    sets, values = np.empty(_ROOM, dtype=np.uint64), np.empty(_ROOM)
    if tree.least[0] < limit:
        sets[0], values[0], tree.counts[SETS] = 0, tree.least[0], 1
    branches = 0
    while tree.counts[LEVEL] >= 0:
        if deadline.passed or branches > most_branches:
            return None
        if tree.counts[SETS] + len(candidates) >= len(sets):
            if len(sets) >= _MOST_SETS:
                return None
            sets, values = np.concatenate([sets, sets]), np.concatenate([values, values])
        parent_sets(rule, z, candidates, most_parents, limit, tree, sets, values, _PAUSE)
        branches += _PAUSE
    count = int(tree.counts[SETS])
    return sets[:count].copy(), values[:count].copy()
