r"""Partial covariances of one node given its parents, under single additions and removals.

For a node :math:`z` with parents :math:`P`, :math:`k = |P|`, keep :math:`k` orthonormalised rows
:math:`q_1, \dots, q_k` of length ``d`` with

.. math:: \operatorname{cov}(x_a, x_b \mid P) = C_{ab} - \sum_i q_i[a]\, q_i[b],

and the two vectors that decide about every candidate parent at once:

- ``g[u]`` :math:`= \operatorname{cov}(x_z, x_u \mid P)`, up to sign the gradient of the node's
  residual variance at the absent edge u -> z, zero for parents;
- ``c[u]`` :math:`= \operatorname{var}(x_u \mid P)`; ``c[z]`` is the node's own residual variance.

Adding ``u`` lowers the residual variance by ``g[u]**2 / c[u]``. Adding costs O(k d); removing
rotates the rows behind the parent, O(k d).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A candidate whose variance given the parents is below this share of its own depends on them.
DEPENDENT = 1e-9


@kernel
def add_parent(
    C: NDArray[np.float64],
    rows: NDArray[np.float64],
    parents: NDArray[np.int64],
    k: int,
    g: NDArray[np.float64],
    c: NDArray[np.float64],
    z: int,
    u: int,
) -> int:
    """Make ``u`` the last parent of ``z``; the new number of parents."""
    d = C.shape[0]
    row = rows[k]
    column = C[u]
    for t in range(d):
        row[t] = column[t]
    for i in range(k):
        other = rows[i]
        along = other[u]
        for t in range(d):
            row[t] -= along * other[t]
    scale = 1.0 / math.sqrt(row[u])
    for t in range(d):
        row[t] *= scale
    own = row[z]
    for t in range(d):
        g[t] -= own * row[t]
        c[t] -= row[t] * row[t]
    parents[k] = u
    return k + 1


@kernel
def remove_parent(
    rows: NDArray[np.float64],
    parents: NDArray[np.int64],
    k: int,
    g: NDArray[np.float64],
    c: NDArray[np.float64],
    z: int,
    index: int,
) -> int:
    """Take out the parent at ``index`` of ``parents``; the new number of parents.

    Parent i has coordinates along rows 0..i only. Rotating each later one out of its own row leaves
    the last row to no parent.
    """
    d = g.size
    for i in range(index, k - 1):
        later = parents[i + 1]
        upper = rows[i]
        lower = rows[i + 1]
        a = upper[later]
        b = lower[later]
        length = math.sqrt(a * a + b * b)
        cosine = a / length
        sine = b / length
        for t in range(d):
            x = upper[t]
            y = lower[t]
            upper[t] = cosine * x + sine * y
            lower[t] = cosine * y - sine * x
        parents[i] = later
    row = rows[k - 1]
    own = row[z]
    for t in range(d):
        g[t] += own * row[t]
        c[t] += row[t] * row[t]
    return k - 1


@kernel
def cheapest_removal(
    rows: NDArray[np.float64],
    parents: NDArray[np.int64],
    k: int,
    z: int,
    inverse: NDArray[np.float64],
) -> tuple[int, float]:
    r"""Index of the parent whose removal raises the residual variance least, and by how much.

    With L the (k, k) triangle of the parents' coordinates, the coefficients are
    :math:`w = L^{-\top} q[z]` and dropping parent i costs :math:`w_i^2 / \sum_j (L^{-1})_{ji}^2`.
    ``inverse`` is workspace for :math:`L^{-1}`.
    """
    for i in range(k):
        inverse[i, i] = 1.0 / rows[i, parents[i]]
        for j in range(i + 1, k):
            total = 0.0
            for m in range(i, j):
                total -= rows[m, parents[j]] * inverse[m, i]
            inverse[j, i] = total / rows[j, parents[j]]
    chosen = -1
    least = np.inf
    for i in range(k):
        weight = 0.0
        precision = 0.0
        for j in range(i, k):
            weight += inverse[j, i] * rows[j, z]
            precision += inverse[j, i] * inverse[j, i]
        rise = weight * weight / precision
        if rise < least:
            least = rise
            chosen = i
    return chosen, least


@kernel
def index_of(parents: NDArray[np.int64], k: int, u: int) -> int:
    """Where ``u`` stands among the first k ``parents``, -1 if it does not."""
    for i in range(k):
        if parents[i] == u:
            return i
    return -1
