r"""The exact delta of every swap of two blocks, O(d^3 m^3) for all pairs.

Swap the variables at positions :math:`p < q`, in the notation of
:mod:`~toposwap.kernels.additive.block_pair`. With
:math:`S_{kq} = \sum_{t \ge k} R_{tq}^\top R_{tq}`:

- the later one, now at :math:`p`, has residual variance :math:`(S_{pq})_{11}`;
- the earlier one, now at :math:`q`, has :math:`(P_q^{-1})_{11}`;
- a variable :math:`k` in between loses the one block and gains the other. With :math:`P = P_{k-1}`
  and :math:`E = \sum_{p \le t < k} V_{tp}^\top R_{tq}`, the coefficients of the one block in the
  regression of the other on the first :math:`k` variables, its residual variance is

  .. math:: (R_{kk})_{11}^2 \bigl( 1 + u P^{-1} u^\top - c\, M^{-1} c^\top \bigr), \quad
            M = S_{kq} + E^\top P^{-1} E, \quad c = r - u P^{-1} E,

  :math:`u` and :math:`r` being the first rows of :math:`V_{kp}` and :math:`R_{kq}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.additive.block_pair import add_gram, cholesky, clear, solve_lower
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def swap_deltas(
    pair: NDArray[np.float64],
    own: NDArray[np.float64],
    inverse: NDArray[np.float64],
    order: NDArray[np.int64],
    cost: NDArray[np.float64],
    reach: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Change of sum_v cost[v] * var(v) for swapping positions p < q <= reach[p], shape (d, d).

    ``cost`` is by variable; ``reach[p] <= p`` asks for no swap of p. Entries not asked for are
    infinite.
    """
    d, m = own.shape[0], own.shape[1]
    deltas = np.empty((d, d))
    # S_kq for all k <= q, lower triangles.
    spread = np.empty((d, d, m, m))
    for q in range(d):
        for p in range(d):
            deltas[p, q] = np.inf
        columns = pair[:, order[q] * m : (order[q] + 1) * m]
        clear(spread[q, q])
        add_gram(own[q, :, :m], spread[q, q])
        for k in range(q - 1, -1, -1):
            for i in range(m):
                for j in range(m):
                    spread[k, q, i, j] = spread[k + 1, q, i, j]
            add_gram(columns[k * m : (k + 1) * m], spread[k, q])

    coefficient = np.empty((d, m, m))
    saved = np.empty(d)
    gram = np.empty((m, m))
    lower = np.empty((m, m))
    below = np.empty((m, m))
    half = np.empty((m, m))
    u, x = np.empty(m), np.empty(m)
    for p in range(d - 1):
        last = min(reach[p], d - 1)
        if last <= p:
            continue
        v = order[p]
        mine = pair[:, v * m : (v + 1) * m]
        here = own[p, 0, 0] * own[p, 0, 0]
        clear(gram)
        add_gram(inverse[p, :, :m], gram)
        cholesky(gram, lower)
        for q in range(p + 1, last + 1):
            clear(coefficient[q])
            w = order[q]
            rows = pair[p * m : (p + 1) * m, w * m : (w + 1) * m]
            accumulate(inverse[p, :, :m], rows, coefficient[q])
            saved[q] = 0.0
        lost = 0.0
        for k in range(p + 1, last + 1):
            block = mine[k * m : (k + 1) * m]
            residual = own[k, 0, 0] * own[k, 0, 0]
            weight = cost[order[k]] * residual
            for i in range(m):
                u[i] = block[0, i]
            # u becomes L^{-1} u, of which the products with L^{-1} E are taken.
            gained = solve_lower(lower, u)
            for q in range(k + 1, last + 1):
                w = order[q]
                rows = pair[k * m : (k + 1) * m, w * m : (w + 1) * m]
                divide_by_lower(lower, coefficient[q], half)
                for i in range(m):
                    for j in range(m):
                        below[i, j] = spread[k, q, i, j]
                add_gram(half[:, :m], below)
                for j in range(m):
                    x[j] = rows[0, j]
                for t in range(m):
                    factor = u[t]
                    for j in range(m):
                        x[j] -= factor * half[t, j]
                cholesky(below, below)
                saved[q] += weight * solve_lower(below, x)
                accumulate(block, rows, coefficient[q])
            # Now that k is among those passed, v may take its place.
            add_gram(block, gram)
            lost_here = weight * gained
            cholesky(gram, lower)
            for i in range(m):
                x[i] = 0.0
            x[0] = 1.0
            later = cost[order[k]] * (spread[p, k, 0, 0] - residual)
            earlier = cost[v] * (solve_lower(lower, x) - here)
            deltas[p, k] = later + earlier + lost - saved[k]
            lost += lost_here
    return deltas


@kernel(inner=True, inlined=True)
def divide_by_lower(
    lower: NDArray[np.float64], right: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Fill ``out`` with L^{-1} E, for L = ``lower`` and E = ``right``, (m, m) each."""
    m = out.shape[0]
    for i in range(m):
        for j in range(m):
            out[i, j] = right[i, j]
        for t in range(i):
            factor = lower[i, t]
            for j in range(m):
                out[i, j] -= factor * out[t, j]
        scale = 1.0 / lower[i, i]
        for j in range(m):
            out[i, j] *= scale


@kernel(inner=True, inlined=True)
def accumulate(
    left: NDArray[np.float64], right: NDArray[np.float64], total: NDArray[np.float64]
) -> None:
    """Add left' right to ``total``, (m, m) each; slices of larger arrays."""
    m = total.shape[0]
    for t in range(m):
        for i in range(m):
            factor = left[t, i]
            for j in range(m):
                total[i, j] += factor * right[t, j]
