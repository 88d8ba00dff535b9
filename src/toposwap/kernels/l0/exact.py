r"""The global minimum of a Gaussian score with an L0 penalty, by dynamic programming over sets.

.. math:: b_v(S) = \min\bigl( Q_v(S),\; \min_{u \in S} b_v(S \setminus u) \bigr), \qquad
          B(S) = \min_{v \in S} B(S \setminus v) + b_v(S \setminus v):

the best parents of ``v`` within ``S``, and the best order of ``S``. :math:`O(2^d d^3)` time for
each group of nodes that share their rows, :math:`8 \cdot 2^d d` bytes. Sets with a variable that
``v`` may not have as a parent are no candidates for :math:`Q_v(S)`, nor are sets that lack a
required parent, and ``v`` does not follow a set that lacks one that must precede it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.precedence import bit_sets
from toposwap.kernels.jit import kernel
from toposwap.kernels.l0.node import node_value
from toposwap.kernels.l0.tables import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Scores that differ by less are equal, as those of equivalent graphs are: the first one stays.
_TIE = 1e-10


@kernel
def exact_subsets(
    rule: Rule, max_parents: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The best order (d,), and each node's parents (d, max_parents) with their number (d,)."""
    d = rule.own.size
    n_sets = 1 << d
    within = np.empty((n_sets, d))
    total = np.empty(n_sets)
    last = np.empty(n_sets, dtype=np.int64)
    for s in range(n_sets):
        total[s] = np.inf
        last[s] = 0
    total[0] = 0.0
    possible = bit_sets(rule.allowed, d, rule.masked, n_sets - 1)
    needed = bit_sets(rule.before.T, d, rule.ordered, 0)
    required = bit_sets(rule.required, d, rule.demanding, 0)
    members = np.empty(d, dtype=np.int64)
    triangle = np.empty((d, d))
    solved = np.empty(d)
    for s in range(n_sets):
        k = 0
        for v in range(d):
            if s >> v & 1:
                members[k] = v
                k += 1
        for v in range(d):
            within[s, v] = np.inf
        for group in range(rule.C.shape[0]):
            C = rule.C[group]
            if not (k <= max_parents and factorised(C, members, k, triangle)):
                continue
            for v in range(d):
                if s >> v & 1 or rule.own[v] != group:
                    continue
                if s & ~possible[v] == 0 and required[v] & ~s == 0:
                    variance = residual_variance(C, members, k, triangle, v, solved)
                    within[s, v] = node_value(rule, v, variance, k)
        for v in range(d):
            if s >> v & 1:
                continue
            best = within[s, v]
            for i in range(k):
                best = min(best, within[s ^ (1 << members[i]), v])
            within[s, v] = best
            larger = s | (1 << v)
            if total[s] + best < total[larger] - _TIE and needed[v] & ~s == 0:
                total[larger] = total[s] + best
                last[larger] = v

    order = np.empty(d, dtype=np.int64)
    parents = np.empty((d, max_parents), dtype=np.int64)
    n_parents = np.empty(d, dtype=np.int64)
    for v in range(d):
        n_parents[v] = 0
        for i in range(max_parents):
            parents[v, i] = 0
    s = n_sets - 1
    for position in range(d - 1, -1, -1):
        v = last[s]
        order[position] = v
        s ^= 1 << v
        chosen = s
        # Drop what the best set of parents does without.
        dropped = True
        while dropped:
            dropped = False
            for u in range(d):
                smaller = chosen ^ (1 << u)
                if chosen >> u & 1 and within[smaller, v] == within[chosen, v]:
                    chosen = smaller
                    dropped = True
                    break
        # Required ones come first, as kernels expect them.
        for wanted in range(2):
            part = chosen & ~required[v] if wanted else chosen & required[v]
            for u in range(d):
                if part >> u & 1:
                    parents[v, n_parents[v]] = u
                    n_parents[v] += 1
    return order, parents, n_parents


@kernel(borrowing=True)
def factorised(
    C: NDArray[np.float64], members: NDArray[np.int64], k: int, triangle: NDArray[np.float64]
) -> bool:
    """Factorise the covariance of the first k ``members``; False if they are dependent."""
    for i in range(k):
        for j in range(i + 1):
            rest = C[members[i], members[j]]
            for m in range(j):
                rest -= triangle[i, m] * triangle[j, m]
            if i == j:
                if rest <= 1e-12:
                    return False
                triangle[i, i] = math.sqrt(rest)
            else:
                triangle[i, j] = rest / triangle[j, j]
    return True


@kernel(borrowing=True)
def residual_variance(
    C: NDArray[np.float64],
    members: NDArray[np.int64],
    k: int,
    triangle: NDArray[np.float64],
    v: int,
    solved: NDArray[np.float64],
) -> float:
    """var(x_v | members) by forward substitution; ``solved`` (d,) is workspace."""
    variance = C[v, v]
    for i in range(k):
        rest = C[members[i], v]
        for m in range(i):
            rest -= triangle[i, m] * solved[m]
        solved[i] = rest / triangle[i, i]
        variance -= solved[i] * solved[i]
    return variance
