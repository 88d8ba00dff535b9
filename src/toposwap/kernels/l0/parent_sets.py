r"""All sets of parents of a node that some order may want, under a Gaussian score with L0 penalty.

A set :math:`P` is wanted by no order if a subset of it is as good. The tree of sets is gone through
depth first, each candidate in turn taken or left out, with two tables of partial covariances: given
the parents :math:`P` taken so far, and (as a precision matrix) given those and all candidates
:math:`R` still to come. A branch is cut where even

.. math:: \min\bigl( Q_z(P \cup \{u\}),\; Q_z\text{ of }|P| + 2\text{ parents with }
          \operatorname{var}(x_z \mid P \cup R) \bigr), \qquad u \in R,

is no less than the best of :math:`P` and its subsets that are known: those on the way to it, and
those without one member, which the swept table tells in :math:`O(|P|)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.node import node_value
from toposwap.kernels.l0.partial_covariance import DEPENDENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.l0.tables import Rule

#: Differences of Q below this are rounding error.
_EQUAL = 1e-12
#: Room for sets at first, and the most that a node may have.
_ROOM, _MOST_SETS = 1 << 16, 1 << 22


@kernel
def parent_sets(
    rule: Rule,
    z: int,
    candidates: NDArray[np.int64],
    precision: NDArray[np.float64],
    most_parents: int,
    sets: NDArray[np.uint64],
    values: NDArray[np.float64],
) -> int:
    """Fill ``sets`` and ``values`` (m,) with wanted sets of parents of ``z`` and their Q_z.

    ``candidates`` (c,) are tried in their order, the strong ones first; ``precision`` (c+1, c+1) is
    the inverse correlation of them and z. Returns the number of sets, or -1 if there is no room.
    """
    c = candidates.size
    A = np.empty((c + 1, c + 1, c + 1))
    K = np.empty((c + 1, c + 1, c + 1))
    taken = np.empty((c + 1, c + 1), dtype=np.int64)
    n_taken = np.zeros(c + 1, dtype=np.int64)
    chosen = np.zeros(c + 1, dtype=np.uint64)
    least = np.empty(c + 1)
    phase = np.zeros(c + 1, dtype=np.int64)
    for i in range(c + 1):
        a = z if i == c else candidates[i]
        for j in range(c + 1):
            b = z if j == c else candidates[j]
            A[0, i, j] = rule.C[rule.own[z], a, b]
            K[0, i, j] = precision[i, j]
    least[0] = node_value(rule, z, A[0, c, c], 0)
    sets[0] = np.uint64(0)
    values[0] = least[0]
    count = 1
    level = 0
    while level >= 0:
        if level == c or phase[level] == 2:
            level -= 1
            continue
        k = n_taken[level]
        if phase[level] == 0:
            pair = node_value(rule, z, 1.0 / K[level, c, c], k + 2)
            if k >= most_parents:
                level -= 1
                continue
            if pair >= least[level] - _EQUAL:
                # At most one more: all of them at once.
                count = _single_additions(
                    rule, z, candidates, level, k, A[level], taken[level], chosen[level],
                    least[level], sets, values, count,
                )  # fmt: skip
                if count < 0:
                    return -1
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
                if count == sets.size:
                    return -1
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
    return count


@kernel(inner=True)
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


@kernel(inner=True)
def _single_additions(
    rule: Rule,
    z: int,
    candidates: NDArray[np.int64],
    first: int,
    k: int,
    A: NDArray[np.float64],
    taken: NDArray[np.int64],
    chosen: np.uint64,
    least: float,
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
        if value >= least - _EQUAL:
            continue
        low = np.inf
        for t in range(k):
            i = taken[t]
            share = A[u, i] / pivot
            coefficient = A[i, c] - share * A[u, c]
            low = min(low, coefficient * coefficient / (share * A[u, i] - A[i, i]))
        if k > 0 and value >= node_value(rule, z, variance + low, k) - _EQUAL:
            continue
        if count == sets.size:
            return -1
        sets[count] = chosen | (np.uint64(1) << np.uint64(candidates[u]))
        values[count] = value
        count += 1
    return count


def wanted_parent_sets(
    rule: Rule, z: int, allowed: NDArray[np.bool_], most_parents: int
) -> tuple[NDArray[np.uint64], NDArray[np.float64]] | None:
    """:func:`parent_sets` of ``z`` among ``allowed`` (d,), with room as needed; None beyond."""
    candidates = np.flatnonzero(allowed)
    candidates = candidates[candidates != z]
    both = np.append(candidates, z)
    precision = np.linalg.pinv(rule.C[rule.own[z]][np.ix_(both, both)], hermitian=True)
    strength = np.abs(precision[-1, :-1]) / np.sqrt(np.maximum(np.diag(precision)[:-1], 1e-300))
    best_first = np.argsort(-strength, kind="stable")
    candidates, rearranged = candidates[best_first], np.append(best_first, len(best_first))
    precision = np.ascontiguousarray(precision[np.ix_(rearranged, rearranged)])
    room = _ROOM
    while room <= _MOST_SETS:
        sets, values = np.empty(room, dtype=np.uint64), np.empty(room)
        count = parent_sets(rule, z, candidates, precision, most_parents, sets, values)
        if count >= 0:
            return sets[:count].copy(), values[:count].copy()
        room *= 8
    return None
