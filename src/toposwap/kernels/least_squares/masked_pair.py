r"""The factor pair where some variables may not be parents of others.

Let ``w`` stand at position k, and let G be those before it that it may not have as parents. With
:math:`V = R^{-\top}` and the precision :math:`\Theta_k = V_{\le k}^\top V_{\le k}` of the variables
up to k, doing without G leaves

.. math:: \operatorname{var}(w) = R_{kk}^2\, (1 + |y|^2), \qquad
          L L^\top = (\Theta_{k-1})_{GG}, \quad y = L^{-1} V_{kG} .

``L`` and ``y`` of every node are kept; they depend on the *set* of variables before w alone, so a
move changes those of the stretch that it goes over. With v at position p, moved

- later, past w at k: v joins G. With :math:`z = L^{-1} (\Theta_{k-1})_{Gv}` the variance of w rises
  by :math:`R_{kk}^2 (V_{kv} - y^\top z)^2 / ((\Theta_{k-1})_{vv} - |z|^2)`;
- earlier, past w at k: with the coefficients b of v on the variables before k,
  :math:`z = L^{-1} b_G` and :math:`s_k` as in :mod:`~toposwap.kernels.least_squares.factor_pair`,
  the variance of w falls by :math:`R_{kk}^2 (R_{kv} - y^\top z)^2 / (s_k + |z|^2)`;

and v itself has :math:`1 / (\Theta_{vv} - \Theta_{vF} \Theta_{FF}^{-1} \Theta_{Fv})` behind k, or
:math:`s_k + b_F^\top \Theta_{FF}^{-1} b_F` before it, F being those that it may not have there.
:math:`(\Theta_k)_{\cdot v}` and b are carried along, a row of the pair at a time: O(d) a step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.graphs.precedence import highest_position, lowest_position
from toposwap.kernels.jit import kernel
from toposwap.kernels.least_squares.factor_pair import insert as insert_in_pair

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Masked(NamedTuple):
    """What nodes may not have, and what they do without it.

    ``banned[w, v]`` (d, d): v may not be a parent of w. ``inside[w]`` (d, 1 + g): how many of those
    stand before w, and which. ``lower`` (d, g, g) holds L, ``along`` (d, 1 + g) first
    :math:`1 + |y|^2` and then y.
    """

    banned: NDArray[np.bool_]
    inside: NDArray[np.int64]
    lower: NDArray[np.float64]
    along: NDArray[np.float64]


@kernel(inner=True)
def cholesky(A: NDArray[np.float64], m: int) -> None:
    """Replace the lower triangle of the leading m rows of ``A`` by its Cholesky factor."""
    for i in range(m):
        for j in range(i + 1):
            rest = A[i, j]
            for t in range(j):
                rest -= A[i, t] * A[j, t]
            if i == j:
                A[i, i] = math.sqrt(max(rest, 1e-300))
            else:
                A[i, j] = rest / A[j, j]


@kernel(inner=True)
def forward(L: NDArray[np.float64], m: int, x: NDArray[np.float64]) -> float:
    """Put L^{-1} x into the first m entries of ``x``; the square of its length."""
    total = 0.0
    for i in range(m):
        rest = x[i]
        for t in range(i):
            rest -= L[i, t] * x[t]
        x[i] = rest / L[i, i]
        total += x[i] * x[i]
    return total


@kernel
def settle(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    masked: Masked,
    first: int,
    last: int,
) -> None:
    """Bring the tables of the nodes at positions ``first`` to ``last`` up to date."""
    banned, inside, lower, along = masked
    d = order.size
    for k in range(first, last + 1):
        w = order[k]
        m = 0
        for v in range(d):
            if banned[w, v] and position[v] < k:
                m += 1
                inside[w, m] = v
        inside[w, 0] = m
        for i in range(m):
            f = inside[w, 1 + i]
            for j in range(i + 1):
                h = inside[w, 1 + j]
                begin = max(position[f], position[h])
                total = 0.0
                for t in range(begin, k):
                    a = pair[t, f] if t > position[f] else 1.0 / diagonal[t]
                    b = pair[t, h] if t > position[h] else 1.0 / diagonal[t]
                    total += a * b
                lower[w, i, j] = total
            along[w, 1 + i] = pair[k, f]
        cholesky(lower[w], m)
        along[w, 0] = 1.0 + forward(lower[w], m, along[w, 1:])


@kernel(inner=True)
def _own_precisions(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    position: NDArray[np.int64],
    some: NDArray[np.int64],
    m: int,
    highest: int,
    sums: NDArray[np.float64],
) -> None:
    """(Theta_k) between the first m of ``some`` for all k up to ``highest``: sums (d, g, g).

    Entries of variables behind k mean nothing.
    """
    for i in range(m):
        f = some[i]
        for j in range(i + 1):
            h = some[j]
            begin = max(position[f], position[h])
            total = 0.0
            for t in range(begin, highest + 1):
                a = pair[t, f] if t > position[f] else 1.0 / diagonal[t]
                b = pair[t, h] if t > position[h] else 1.0 / diagonal[t]
                total += a * b
                sums[t, i, j] = total


@kernel(inner=True)
def _quadratic(
    sums: NDArray[np.float64],
    some: NDArray[np.int64],
    m: int,
    position: NDArray[np.int64],
    k: int,
    carried: NDArray[np.float64],
    A: NDArray[np.float64],
    x: NDArray[np.float64],
) -> float:
    """The form x' (Theta_k)^{-1} x over those of ``some`` up to k, with x of ``carried`` (d,)."""
    n = 0
    last = 0
    for i in range(m):
        if position[some[i]] <= k:
            n += 1
            last = i
    if n == 0:
        return 0.0
    if n == 1:
        alone = carried[some[last]]
        return alone * alone / sums[k, last, last]
    n = 0
    for i in range(m):
        if position[some[i]] > k:
            continue
        x[n] = carried[some[i]]
        r = 0
        for j in range(i + 1):
            if position[some[j]] <= k:
                A[n, r] = sums[k, i, j]
                r += 1
        n += 1
    cholesky(A, n)
    return forward(A, n, x)


@kernel(inner=True)
def _beside(
    masked: Masked, w: int, carried: NDArray[np.float64], x: NDArray[np.float64]
) -> tuple[float, float]:
    """|z|^2 and y'z for z = L^{-1} of the entries of ``carried`` (d,) that w does without."""
    _, inside, lower, along = masked
    m = inside[w, 0]
    if m == 0:
        return 0.0, 0.0
    if m == 1:
        alone = carried[inside[w, 1]] / lower[w, 0, 0]
        return alone * alone, along[w, 1] * alone
    for i in range(m):
        x[i] = carried[inside[w, 1 + i]]
    square = forward(lower[w], m, x)
    product = 0.0
    for i in range(m):
        product += along[w, 1 + i] * x[i]
    return square, product


@kernel
def insertion_profile(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    masked: Masked,
    cost: NDArray[np.float64],
    before: NDArray[np.bool_],
    variable: int,
    profile: NDArray[np.float64],
) -> int:
    """Fill ``profile[k]`` with the change of sum_v cost[v] * var(v) when ``variable`` ends at k.

    It is infinite at positions that ``before`` forbids. Returns the first best position.
    """
    d = pair.shape[0]
    banned, along = masked.banned, masked.along
    lowest, highest = 0, d - 1
    if before.shape[0] > 0:
        lowest = lowest_position(before, position, variable)
        highest = highest_position(before, position, variable)
    for k in range(d):
        profile[k] = np.inf
    p = position[variable]
    g = masked.lower.shape[1]
    some, m = np.empty(g, dtype=np.int64), 0
    for v in range(d):
        if banned[variable, v]:
            some[m] = v
            m += 1
    sums, A, x = np.empty((d, g, g)), np.empty((g, g)), np.empty(g)
    _own_precisions(pair, diagonal, position, some, m, highest, sums)
    own_cost = cost[variable]
    own = diagonal[p] * diagonal[p] * along[variable, 0]
    profile[p] = 0.0
    carried = np.empty(d)

    # Earlier: the coefficients of the variable on those before k.
    for t in range(d):
        carried[t] = -pair[p, t] * diagonal[p]
    spread = diagonal[p] * diagonal[p]
    saved = 0.0
    for k in range(p - 1, lowest - 1, -1):
        w = order[k]
        r = pair[k, variable]
        row = pair[k]
        for t in range(d):
            carried[t] -= r * row[t]
        spread += r * r
        if not banned[w, variable]:
            square, product = _beside(masked, w, carried, x)
            e = r - product
            saved += cost[w] * diagonal[k] * diagonal[k] * e * e / (spread + square)
        left = spread
        if m > 0:
            left += _quadratic(sums, some, m, position, k - 1, carried, A, x)
        profile[k] = own_cost * (left - own) - saved

    # Later: the column of the precision of those up to k.
    for t in range(d):
        carried[t] = pair[p, t] / diagonal[p]
    precision = 1.0 / (diagonal[p] * diagonal[p])
    lost = 0.0
    for k in range(p + 1, highest + 1):
        w = order[k]
        u = pair[k, variable]
        if not banned[w, variable]:
            square, product = _beside(masked, w, carried, x)
            e = u - product
            lost += cost[w] * diagonal[k] * diagonal[k] * e * e / (precision - square)
        row = pair[k]
        for t in range(d):
            carried[t] += u * row[t]
        carried[w] = u / diagonal[k]
        precision += u * u
        left = precision
        if m > 0:
            left -= _quadratic(sums, some, m, position, k, carried, A, x)
        profile[k] = lost + own_cost * (1.0 / left - own)

    best = 0
    for k in range(1, d):
        if profile[k] < profile[best]:
            best = k
    return best


@kernel
def insert(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    masked: Masked,
    variable: int,
    target: int,
) -> None:
    """Move ``variable`` to ``target`` and bring the tables of the stretch up to date."""
    p = position[variable]
    insert_in_pair(pair, diagonal, order, position, variable, target)
    settle(pair, diagonal, order, position, masked, min(p, target), max(p, target))


@kernel
def insertion_sweep(
    pair: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    order: NDArray[np.int64],
    position: NDArray[np.int64],
    masked: Masked,
    cost: NDArray[np.float64],
    before: NDArray[np.bool_],
    visits: NDArray[np.int64],
    threshold: float,
) -> int:
    """Move each of ``visits`` in turn to its best place; how many moved."""
    profile = np.empty(pair.shape[0])
    moved = 0
    for i in range(visits.size):
        variable = visits[i]
        target = insertion_profile(
            pair, diagonal, order, position, masked, cost, before, variable, profile
        )
        if profile[target] < -threshold:
            insert(pair, diagonal, order, position, masked, variable, target)
            moved += 1
    return moved
