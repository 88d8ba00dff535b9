r"""The parents of a block of Gaussian columns, at a price per coefficient.

For a node with the columns :math:`Z_j` (q of them) and parents P, with the second moments G of all
columns of all variables,

.. math:: S = G - G_{\cdot P} G_{PP}^{-1} G_{P \cdot}, \qquad
          \ell_j = \tfrac12 \log \det S_{jj}, \qquad
          \ell_j - \ell_{j \mid i} = -\tfrac12 \log \det \bigl(
          I - S_{jj}^{-1} S_{ji} S_{ii}^{-1} S_{ij} \bigr) .

A number is a block of one column, and then this is the Gaussian likelihood of a regression.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A column with less than this share of its variance left depends on the parents at hand.
DEPENDENT = 1e-8


@kernel(inner=True)
def sweep_out(S: NDArray[np.float64], first: int, end: int) -> None:
    """Take the columns ``first`` to ``end`` out of the moments S (M, M), one after the other."""
    size = S.shape[0]
    for c in range(first, end):
        left = S[c, c]
        if left <= DEPENDENT:
            continue
        for a in range(size):
            factor = S[a, c] / left
            if factor != 0.0 and a != c:
                for b in range(size):
                    S[a, b] -= factor * S[c, b]
        for a in range(size):
            S[a, c] = 0.0
            S[c, a] = 0.0


@kernel(inner=True)
def remaining(
    gram: NDArray[np.float64],
    starts: NDArray[np.int64],
    parents: NDArray[np.bool_],
    S: NDArray[np.float64],
) -> int:
    """Fill S (M, M) with the moments given ``parents`` (d,); returns how many columns they are."""
    size = gram.shape[0]
    for a in range(size):
        for b in range(size):
            S[a, b] = gram[a, b]
    used = 0
    for i in range(parents.size):
        if parents[i]:
            sweep_out(S, starts[i], starts[i + 1])
            used += starts[i + 1] - starts[i]
    return used


@kernel(inner=True)
def factorise(
    S: NDArray[np.float64], first: int, size: int, lower: NDArray[np.float64]
) -> tuple[float, bool]:
    """The lower factor of a diagonal block of S, and half the logarithm of its determinant.

    A pivot below DEPENDENT counts as that; False if there was one.
    """
    total, whole = 0.0, True
    for a in range(size):
        for b in range(a + 1):
            rest = S[first + a, first + b]
            for t in range(b):
                rest -= lower[a, t] * lower[b, t]
            if a == b:
                if rest <= DEPENDENT:
                    rest, whole = DEPENDENT, False
                lower[a, a] = math.sqrt(rest)
                total += 0.5 * math.log(rest)
            else:
                lower[a, b] = rest / lower[b, b]
    return total, whole


@kernel(inner=True)
def gain(
    S: NDArray[np.float64],
    i: int,
    m: int,
    j: int,
    q: int,
    lower: NDArray[np.float64],
    own: NDArray[np.float64],
    x: NDArray[np.float64],
    left: NDArray[np.float64],
) -> float:
    """What the block of m columns from ``i`` on lowers the loss of the q columns from ``j`` by.

    ``own`` is the factor of the latter; ``lower``, ``left`` and ``x`` are workspace.
    """
    _, whole = factorise(S, i, m, lower)
    if not whole:
        return 0.0
    # x = L_i^-1 S_ij L_j^-T, (m, q): the canonical correlations of the two blocks.
    for a in range(m):
        for c in range(q):
            rest = S[i + a, j + c]
            for t in range(a):
                rest -= lower[a, t] * x[t, c]
            x[a, c] = rest / lower[a, a]
    for a in range(m):
        for c in range(q):
            rest = x[a, c]
            for t in range(c):
                rest -= own[c, t] * x[a, t]
            x[a, c] = rest / own[c, c]
    for c in range(q):
        for e in range(c + 1):
            total = 1.0 if c == e else 0.0
            for a in range(m):
                total -= x[a, c] * x[a, e]
            left[c, e] = total
    half, _ = factorise(left, 0, q, lower)
    return -half


@kernel
def select(
    gram: NDArray[np.float64],
    starts: NDArray[np.int64],
    node: int,
    allowed: NDArray[np.bool_],
    required: NDArray[np.bool_],
    weight: float,
    most: int,
    parents: NDArray[np.bool_],
    worth: NDArray[np.float64],
) -> float:
    """Improve ``parents`` (d,) by additions and removals until none pays; returns the loss.

    ``gram`` (M, M) holds the moments of all columns, ``starts`` (d + 1,) where the blocks begin.
    Those that are ``required`` (d,) are among the parents and stay. ``weight`` is per coefficient,
    ``most`` the largest number of columns of parents. ``worth`` (d,) becomes what each absent
    variable would bring.
    """
    d, size = parents.size, gram.shape[0]
    widest = 1
    for i in range(d):
        widest = max(widest, starts[i + 1] - starts[i])
    j, q = starts[node], starts[node + 1] - starts[node]
    S = np.empty((size, size))
    lower, own = np.empty((widest, widest)), np.empty((widest, widest))
    x, rest = np.empty((widest, widest)), np.empty((widest, widest))
    used = remaining(gram, starts, parents, S)
    loss, _ = factorise(S, j, q, own)
    # Additions that were foretold to pay and did not: of columns that nearly determine each other
    # the sums differ. Only a lower total is accepted, so that this ends.
    vain = np.zeros(d, dtype=np.bool_)
    while True:
        best, chosen = 1e-12, -1
        for i in range(d):
            worth[i] = 0.0
            m = starts[i + 1] - starts[i]
            if i == node or parents[i] or used + m > most:
                continue
            worth[i] = gain(S, starts[i], m, j, q, lower, own, x, rest) - weight * m * q
            if allowed[i] and worth[i] > best and not vain[i]:
                best, chosen = worth[i], i
        if chosen >= 0:
            parents[chosen] = True
            used = remaining(gram, starts, parents, S)
            having, _ = factorise(S, j, q, own)
            if loss - having > weight * (starts[chosen + 1] - starts[chosen]) * q + 1e-12:
                loss = having
                for i in range(d):
                    vain[i] = False
            else:
                parents[chosen] = False
                vain[chosen] = True
                used = remaining(gram, starts, parents, S)
            continue
        removed = False
        for i in range(d):
            if not parents[i] or required[i]:
                continue
            parents[i] = False
            remaining(gram, starts, parents, S)
            without, _ = factorise(S, j, q, own)
            if without - loss < weight * (starts[i + 1] - starts[i]) * q - 1e-12:
                removed = True
                break
            parents[i] = True
        used = remaining(gram, starts, parents, S)
        loss, _ = factorise(S, j, q, own)
        if not removed:
            return loss
