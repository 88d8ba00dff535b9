r"""The parents of one node of an additive model, at a penalty per coefficient.

With orthonormal blocks :math:`U_i^\top U_i = I`, of which the first column of the node's own is
``y``, and parents :math:`P` with the orthonormal basis :math:`O` of their columns, keep

.. math:: B = O^\top U, \qquad S_i = I - B_i^\top B_i, \qquad
          g_i = U_i^\top (y - O O^\top y), \qquad v = \lVert y - O O^\top y \rVert^2 :

what the parents explain of every block, what is left of its Gram matrix, its covariance with the
residual, and the residual variance. Adding :math:`i` lowers :math:`v` by
:math:`g_i^\top S_i^{-1} g_i`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A function with less than this share of its variance left depends on the parents at hand.
DEPENDENT = 1e-8


@kernel(inner=True)
def add_parent(
    gram: NDArray[np.float64],
    size: int,
    parent: int,
    m: int,
    y: int,
    rows: int,
    B: NDArray[np.float64],
    S: NDArray[np.float64],
    g: NDArray[np.float64],
) -> tuple[int, float]:
    """Orthonormalise the ``size`` columns of ``parent`` and take them out of everything.

    ``rows`` of ``B`` (most, d m) are filled; returns how many are afterwards, and by how much the
    residual variance fell. ``y`` is the column to be explained.
    """
    d = S.shape[0]
    fallen = 0.0
    for r in range(size):
        column = parent * m + r
        row = B[rows]
        for c in range(row.size):
            row[c] = gram[column, c]
        for t in range(rows):
            factor = B[t, column]
            for c in range(row.size):
                row[c] -= factor * B[t, c]
        left = row[column]
        if left <= DEPENDENT:
            continue
        scale = 1.0 / math.sqrt(left)
        for c in range(row.size):
            row[c] *= scale
        along = row[y]
        fallen += along * along
        for i in range(d):
            for a in range(m):
                x = row[i * m + a]
                g[i, a] -= x * along
                for b in range(m):
                    S[i, a, b] -= x * row[i * m + b]
        rows += 1
    return rows, fallen


@kernel(inner=True)
def restart(
    gram: NDArray[np.float64],
    sizes: NDArray[np.int64],
    parents: NDArray[np.bool_],
    y: int,
    B: NDArray[np.float64],
    S: NDArray[np.float64],
    g: NDArray[np.float64],
) -> tuple[int, float]:
    """Build the tables for ``parents`` (d,); returns the rows of ``B`` and what is left of y."""
    d, m = g.shape
    for i in range(d):
        for a in range(m):
            g[i, a] = gram[y, i * m + a]
            for b in range(m):
                S[i, a, b] = gram[i * m + a, i * m + b]
    rows, left = 0, gram[y, y]
    for i in range(d):
        if parents[i]:
            rows, fallen = add_parent(gram, sizes[i], i, m, y, rows, B, S, g)
            left -= fallen
    return rows, left


@kernel(inner=True)
def gain(
    S: NDArray[np.float64],
    g: NDArray[np.float64],
    i: int,
    size: int,
    lower: NDArray[np.float64],
    x: NDArray[np.float64],
) -> float:
    """g_i' S_i^{-1} g_i over the ``size`` functions of i, zero if too little is left of one.

    ``lower`` (m, m) and ``x`` (m,) are workspace.
    """
    total = 0.0
    for a in range(size):
        if S[i, a, a] <= DEPENDENT:
            return 0.0
    for a in range(size):
        for b in range(a + 1):
            rest = S[i, a, b]
            for t in range(b):
                rest -= lower[a, t] * lower[b, t]
            if a == b:
                if rest <= DEPENDENT:
                    return 0.0
                lower[a, a] = math.sqrt(rest)
            else:
                lower[a, b] = rest / lower[b, b]
        value = g[i, a]
        for t in range(a):
            value -= lower[a, t] * x[t]
        x[a] = value / lower[a, a]
        total += x[a] * x[a]
    return total


@kernel(inner=True, inlined=True)
def improvement(left: float, less: float, weight: float) -> float:
    """½ log(left / (left - less)) - weight: what lowering a residual variance is worth."""
    floor = 1e-14 * left
    return 0.5 * math.log(left / max(left - less, floor)) - weight


@kernel
def select(
    gram: NDArray[np.float64],
    sizes: NDArray[np.int64],
    node: int,
    allowed: NDArray[np.bool_],
    required: NDArray[np.bool_],
    weight: float,
    most: int,
    parents: NDArray[np.bool_],
    worth: NDArray[np.float64],
) -> float:
    """Improve ``parents`` (d,) by additions and removals until none pays.

    Those that are ``required`` (d,) are among them and stay. ``weight`` is per coefficient,
    ``most`` the largest number of them. Returns the residual
    variance; ``worth`` (d,) becomes what each absent variable would bring.
    """
    d = sizes.size
    m = gram.shape[0] // d
    y = node * m
    B = np.empty((most + m, d * m))
    S = np.empty((d, m, m))
    g = np.empty((d, m))
    lower, x = np.empty((m, m)), np.empty(m)
    rows, left = restart(gram, sizes, parents, y, B, S, g)
    while True:
        best, chosen = 1e-12, -1
        for i in range(d):
            worth[i] = 0.0
            if i == node or parents[i] or rows + sizes[i] > most:
                continue
            worth[i] = improvement(left, gain(S, g, i, sizes[i], lower, x), weight * sizes[i])
            if allowed[i] and worth[i] > best:
                best, chosen = worth[i], i
        if chosen >= 0:
            parents[chosen] = True
            rows, fallen = add_parent(gram, sizes[chosen], chosen, m, y, rows, B, S, g)
            left -= fallen
            continue
        removed = False
        for i in range(d):
            if not parents[i] or required[i]:
                continue
            parents[i] = False
            _, without = restart(gram, sizes, parents, y, B, S, g)
            if improvement(without, without - left, weight * sizes[i]) < -1e-12:
                removed = True
                break
            parents[i] = True
        rows, left = restart(gram, sizes, parents, y, B, S, g)
        if not removed:
            return left
