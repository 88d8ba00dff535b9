r"""The exact delta of every swap of two variables, O(d^3) for all pairs.

Swap the variables at positions :math:`p < q`. With :math:`R` and :math:`U = R^{-1}` in order
coordinates:

- the later one, now at :math:`p`, has residual variance :math:`S_{pq} = \sum_{t \ge p} R_{tq}^2`;
- the earlier one, now at :math:`q`, has :math:`1 / s_q` where
  :math:`s_k = \sum_{p \le t \le k} U_{pt}^2`;
- a variable :math:`k` in between loses the one as a predictor and gains the other. Without the
  variable of :math:`p` its residual variance is :math:`R_{kk}^2 (1 + U_{pk}^2 / s_{k-1})`; that of
  the variable of :math:`q` given the same set is :math:`S_{kq} + e^2 / s_{k-1}`, their
  covariance :math:`R_{kk} (R_{kq} - U_{pk} e / s_{k-1})`, where
  :math:`e = \sum_{p \le t < k} U_{pt} R_{tq}` is the coefficient of the one in the regression
  of the other on the first :math:`k` variables.

No rotation is needed: with ``e`` kept as a running sum a triple ``(p, k, q)`` costs O(1), and the
innermost loop runs over contiguous ``q``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def swap_deltas(
    triangles: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    cost: NDArray[np.float64],
    reach: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Change of sum_k cost[k] * var(k) for swapping positions p < q <= reach[p], shape (d, d).

    ``triangles`` is the factor pair with its columns in the order (R above the diagonal, its
    inverse transposed below), ``cost`` is by position, ``reach[p] <= p`` asks for no swap of p.
    Entries not asked for are infinite.
    """
    d = triangles.shape[0]
    deltas = np.empty((d, d))
    spread = np.empty((d, d))
    for q in range(d):
        for p in range(d):
            deltas[p, q] = np.inf
        spread[q, q] = diagonal[q] * diagonal[q]
    for k in range(d - 2, -1, -1):
        for q in range(k + 1, d):
            spread[k, q] = triangles[k, q] * triangles[k, q] + spread[k + 1, q]

    coefficient = np.empty(d)
    saved = np.empty(d)
    for p in range(d - 1):
        last = min(reach[p], d - 1)
        if last <= p:
            continue
        own = diagonal[p] * diagonal[p]
        precision = 1.0 / own
        lost = 0.0
        for q in range(p + 1, last + 1):
            coefficient[q] = triangles[p, q] / diagonal[p]
            saved[q] = 0.0
        for k in range(p + 1, last + 1):
            u = triangles[k, p]
            weight = cost[k] * diagonal[k] * diagonal[k]
            share = 1.0 / precision
            deltas[p, k] = (
                cost[k] * (spread[p, k] - diagonal[k] * diagonal[k])
                + cost[p] * (1.0 / (precision + u * u) - own)
                + lost
                - saved[k]
            )
            # Slices start the inner loop at zero, which is what lets it be vectorised.
            row = triangles[k, k + 1 : last + 1]
            total = spread[k, k + 1 : last + 1]
            coefficients = coefficient[k + 1 : last + 1]
            savings = saved[k + 1 : last + 1]
            for t in range(row.size):
                x = row[t]
                e = coefficients[t]
                covariance = x - u * e * share
                savings[t] += weight * (covariance * covariance) / (total[t] + e * e * share)
                coefficients[t] = e + u * x
            lost += weight * (u * u) * share
            precision += u * u
    return deltas
