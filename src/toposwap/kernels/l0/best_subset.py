r"""The best parents of one node among candidates, or a proven bound, under a Gaussian L0 score.

.. math:: \min_{P \subseteq R} Q_z(P)

by depth first search: one candidate after another is taken, or left out for good. As in
:mod:`~toposwap.kernels.l0.parent_sets` two tables are kept, the partial covariances given the
parents taken and the precision matrix of what is still to come given these, whose last diagonal
entry is :math:`1 / \operatorname{var}(x_z \mid P \cup R)`. A branch is cut where even one more
parent with all that the others explain is no better than the best set known.
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


@kernel
def best_subset(
    rule: Rule,
    z: int,
    candidates: NDArray[np.int64],
    most_parents: int,
    visits: int,
    A: NDArray[np.float64],
    K: NDArray[np.float64],
    chosen: NDArray[np.int64],
) -> tuple[float, int]:
    """A bound that no set of ``candidates`` (c,) is below, and the size of the set that attains it.

    ``chosen`` (most + 1,) receives the numbers of its candidates. The size is -1 where the search
    ended after so many ``visits``, or as deep as there is room, and the bound may not be attained.
    ``A`` (most + 1, c + 1, c + 1) is workspace, ``K`` too; ``K[0]`` is the precision matrix of the
    candidates and z.
    """
    c = candidates.size
    deepest = A.shape[0] - 1
    following = np.zeros(deepest + 1, dtype=np.int64)
    taken = np.zeros(deepest + 1, dtype=np.int64)
    for i in range(c + 1):
        a = z if i == c else candidates[i]
        for j in range(c + 1):
            b = z if j == c else candidates[j]
            A[0, i, j] = rule.C[rule.own[z], a, b]
    best = node_value(rule, z, A[0, c, c], 0)
    size = 0
    left_open = np.inf
    depth = 0
    while depth >= 0:
        i = following[depth]
        ahead = np.inf
        if i < c and depth < most_parents:
            ahead = node_value(rule, z, 1.0 / K[depth, c, c], depth + 1)
        if ahead >= best - _EQUAL:
            depth -= 1
            continue
        if visits <= 0 or depth == deepest:
            left_open = min(left_open, ahead)
            depth -= 1
            continue
        visits -= 1
        following[depth] = i + 1
        pivot = A[depth, i, i]
        takes = pivot > DEPENDENT
        if takes:
            for a in range(i + 1, c + 1):
                share = A[depth, i, a] / pivot
                for b in range(i + 1, c + 1):
                    A[depth + 1, a, b] = A[depth, a, b] - share * A[depth, i, b]
                    K[depth + 1, a, b] = K[depth, a, b]
        pivot = K[depth, i, i]
        for a in range(i + 1, c + 1):
            share = K[depth, i, a] / pivot
            for b in range(i + 1, c + 1):
                K[depth, a, b] -= share * K[depth, i, b]
        if not takes:
            continue
        taken[depth] = i
        depth += 1
        following[depth] = i + 1
        value = node_value(rule, z, A[depth, c, c], depth)
        if value < best:
            best = value
            size = depth
            for t in range(depth):
                chosen[t] = taken[t]
    if left_open < best:
        return left_open, -1
    return best, size
