r"""Partial covariances of one node given its parents, under single additions and removals.

For a node :math:`z` with parents :math:`P`, :math:`k = |P|`, keep :math:`k` orthonormalised rows
:math:`q_1, \dots, q_k` of length ``d`` with

.. math:: \operatorname{cov}(x_a, x_b \mid P) = C_{ab} - \sum_i q_i[a]\, q_i[b],

and the two vectors that decide about every candidate parent at once:

- ``g[u]`` :math:`= \operatorname{cov}(x_z, x_u \mid P)`, up to sign the gradient of the node's
  residual variance at the absent edge u -> z, zero for parents;
- ``c[u]`` :math:`= \operatorname{var}(x_u \mid P)`; ``c[z]`` is the node's own residual variance.

Adding ``u`` lowers the residual variance by ``g[u]**2 / c[u]``. Adding costs O(k d); removing
rotates the rows behind the parent, O(k d). A third vector tells about exchanges:

- ``e[u]`` is by how much the residual variance falls if the best parent to give up is exchanged for
  u; see :mod:`~toposwap.kernels.l0.exchanges`, O(k^2 d) for all pairs.

The tables of several nodes lie in two arrays, one slot each, because code that hands over two
arrays is compiled much faster than code that hands over slices of a dozen::

    table[slot, G], [slot, S], [slot, E] g, c and e, (d,) each
    table[slot, ROWS + i]               the row of parent i, (d,)
    parents[slot, 0]                    k
    parents[slot, 1 + i]                parent i
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows of a slot of the table: covariances with the node, variances, what exchanges bring, some of
#: the variables (of workspace alone), and the orthonormalised rows.
G, S, E, LIST, ROWS = 0, 1, 2, 3, 4

#: A candidate whose variance given the parents is below this share of its own depends on them.
DEPENDENT = 1e-8


@kernel(borrowing=True)
def no_parents(
    C: NDArray[np.float64],
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    z: int,
) -> None:
    """Begin the tables of ``z`` in ``slot``; all columns have unit variance."""
    g, c, e = table[slot, G], table[slot, S], table[slot, E]
    column = C[z]
    for u in range(C.shape[0]):
        g[u] = column[u]
        c[u] = 1.0
        e[u] = 0.0
    parents[slot, 0] = 0


@kernel(borrowing=True)
def add_parent(
    C: NDArray[np.float64],
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    z: int,
    u: int,
) -> None:
    """Make ``u`` the last parent of ``z``, whose tables are in ``slot``."""
    d = C.shape[0]
    k = parents[slot, 0]
    row = table[slot, ROWS + k]
    column = C[u]
    for t in range(d):
        row[t] = column[t]
    # Two at a time: the row itself is read and written half as often.
    for i in range(0, k - 1, 2):
        other = table[slot, ROWS + i]
        another = table[slot, ROWS + i + 1]
        along = other[u]
        across = another[u]
        for t in range(d):
            row[t] = row[t] - along * other[t] - across * another[t]
    if k % 2 == 1:
        other = table[slot, ROWS + k - 1]
        along = other[u]
        for t in range(d):
            row[t] -= along * other[t]
    # Parents that were chosen in another order may come to depend on each other in this one.
    scale = 1.0 / math.sqrt(max(row[u], DEPENDENT))
    own = scale * row[z]
    g = table[slot, G]
    c = table[slot, S]
    for t in range(d):
        x = scale * row[t]
        row[t] = x
        g[t] -= own * x
        c[t] -= x * x
    parents[slot, 1 + k] = u
    parents[slot, 0] = k + 1


@kernel(borrowing=True)
def remove_parent(
    table: NDArray[np.float64], parents: NDArray[np.int64], slot: int, z: int, index: int
) -> None:
    """Take out the parent number ``index`` of ``z``.

    Parent i has coordinates along rows 0..i only. Rotating each later one out of its own row leaves
    the last row to no parent.
    """
    d = table.shape[2]
    k = parents[slot, 0]
    for i in range(index, k - 1):
        later = parents[slot, 2 + i]
        upper = table[slot, ROWS + i]
        lower = table[slot, ROWS + i + 1]
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
        parents[slot, 1 + i] = later
    row = table[slot, ROWS + k - 1]
    own = row[z]
    g = table[slot, G]
    c = table[slot, S]
    for t in range(d):
        g[t] += own * row[t]
        c[t] += row[t] * row[t]
    parents[slot, 0] = k - 1


@kernel(borrowing=True)
def triangle_inverse(
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    work: int,
    first: int,
    known: int,
) -> None:
    r"""Columns ``first`` and later of :math:`L^{-1}`, into the rows of the slot ``work``.

    L is the (k, k) triangle of the parents' coordinates along the orthonormalised rows. Row j of
    its inverse is made of the rows before it; the ``known`` first ones are there already.
    """
    k = parents[slot, 0]
    rows = table[slot]
    for j in range(max(first, known), k):
        parent = parents[slot, 1 + j]
        mine = table[work, ROWS + j]
        scale = 1.0 / rows[ROWS + j, parent]
        for i in range(first, j):
            total = 0.0
            for m in range(i, j):
                total += rows[ROWS + m, parent] * table[work, ROWS + m, i]
            mine[i] = -scale * total
        mine[j] = scale


@kernel(borrowing=True)
def cheapest_removal(
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    z: int,
    work: int,
    first: int,
    known: int,
) -> tuple[int, float]:
    r"""Number of the parent whose removal raises the residual variance least, and by how much.

    The ``first`` parents stay; for ``known`` see :func:`triangle_inverse`.

    The coefficients are :math:`w = L^{-\top} q[z]`, and dropping parent i costs
    :math:`w_i^2 / \sum_j (L^{-1})_{ji}^2`. :math:`L^{-1}` is left in the slot ``work``.
    """
    k = parents[slot, 0]
    rows = table[slot]
    weight, precision = table[work, G], table[work, E]
    triangle_inverse(table, parents, slot, work, first, known)
    for i in range(first, k):
        weight[i] = 0.0
        precision[i] = 0.0
    for j in range(first, k):
        along = rows[ROWS + j, z]
        inverse = table[work, ROWS + j]
        for i in range(first, j + 1):
            weight[i] += inverse[i] * along
            precision[i] += inverse[i] * inverse[i]
    chosen = -1
    least = np.inf
    for i in range(first, k):
        rise = weight[i] * weight[i] / precision[i]
        if rise < least:
            least = rise
            chosen = i
    return chosen, least


@kernel(inner=True, inlined=True)
def index_of(parents: NDArray[np.int64], slot: int, u: int) -> int:
    """The number of ``u`` among the parents in ``slot``, -1 if it is none."""
    for i in range(parents[slot, 0]):
        if parents[slot, 1 + i] == u:
            return i
    return -1


@kernel(borrowing=True)
def coordinates_of_parents(
    C: NDArray[np.float64],
    table: NDArray[np.float64],
    parents: NDArray[np.int64],
    slot: int,
    z: int,
    chosen: NDArray[np.int64],
) -> None:
    """The rows of :func:`add_parent` at the parents ``chosen`` (1 + K,) and at ``z`` alone."""
    k = chosen[0]
    parents[slot, 0] = k
    for i in range(k):
        u = chosen[1 + i]
        parents[slot, 1 + i] = u
        row = table[slot, ROWS + i]
        for j in range(i, k + 1):
            t = chosen[1 + j] if j < k else z
            row[t] = C[u, t]
        for m in range(i):
            other = table[slot, ROWS + m]
            along = other[u]
            for j in range(i, k + 1):
                t = chosen[1 + j] if j < k else z
                row[t] -= along * other[t]
        scale = 1.0 / math.sqrt(max(row[u], DEPENDENT))
        for j in range(i, k + 1):
            row[chosen[1 + j] if j < k else z] *= scale
