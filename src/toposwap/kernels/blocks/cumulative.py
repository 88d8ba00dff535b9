r"""A column of L ordered categories at one predictor and L - 1 thresholds.

.. math:: g(y, \eta) = -\log \bigl( \sigma(\alpha_{y} - \eta) - \sigma(\alpha_{y-1} - \eta) \bigr),
          \qquad \sigma(t) = 1 / (1 + e^{-t}), \quad
          -\infty = \alpha_{-1} < \alpha_0 < \dots < \alpha_{L-1} = \infty ,

convex in the thresholds and the predictor together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True, inlined=True)
def _logistic(t: float) -> float:
    """1 / (1 + exp(-t)) without overflow."""
    if t >= 0.0:
        return 1.0 / (1.0 + math.exp(-t))
    e = math.exp(t)
    return e / (1.0 + e)


@kernel
def cumulative_terms(
    eta: NDArray[np.float64],
    y: NDArray[np.int64],
    omega: NDArray[np.float64],
    alpha: NDArray[np.float64],
    slope: NDArray[np.float64],
    curvature: NDArray[np.float64],
    cross: NDArray[np.float64],
    own: NDArray[np.float64],
    bend: NDArray[np.float64],
) -> tuple[float, float]:
    """The loss, weighted by ``omega`` (n,), and the size of the terms that cancel in its slope.

    ``slope`` and ``curvature`` (n,) receive the derivatives by ``eta`` (n,), ``own`` (L - 1,) and
    ``bend`` (L - 1, L - 1) those by the thresholds ``alpha``, and ``cross`` (2, n) the mixed ones
    of each row: with the threshold below its category, and with the one above. Infinite where the
    thresholds do not rise.
    """
    k = alpha.size
    for a in range(k):
        own[a] = 0.0
        for b in range(k):
            bend[a, b] = 0.0
        if a > 0 and not alpha[a] > alpha[a - 1]:
            return np.inf, 1.0
    value = given = 0.0
    for i in range(eta.size):
        c, weight = y[i], omega[i]
        # u, v: chances of at most the category, and of less; a', a'' the derivatives of u by its
        # threshold, b', b'' those of v.
        u = v = 0.0
        da = ddu = db = ddv = 0.0
        low, high = c - 1, c
        if high < k:
            u = _logistic(alpha[high] - eta[i])
            # 1 - u from the side on which it has all its digits.
            above = _logistic(eta[i] - alpha[high])
            da = u * above
            ddu = da * (above - u)
        else:
            u, above = 1.0, 0.0
        if low >= 0:
            v = _logistic(alpha[low] - eta[i])
            below = _logistic(eta[i] - alpha[low])
            db = v * below
            ddv = db * (below - v)
        else:
            v, below = 0.0, 1.0
        # u - v, of which the smaller differences have more digits.
        p = u - v if u + v < 1.0 else below - above
        p = max(p, 1e-300)
        value -= weight * math.log(p)
        ga, gb = -da / p, db / p
        slope[i] = -weight * (ga + gb)
        given += weight * (da * da + db * db) / (p * p)
        haa, hbb, hab = ga * ga - ddu / p, gb * gb + ddv / p, ga * gb
        curvature[i] = weight * (haa + 2.0 * hab + hbb)
        cross[0, i] = -weight * (hab + hbb)
        cross[1, i] = -weight * (haa + hab)
        if high < k:
            own[high] += weight * ga
            bend[high, high] += weight * haa
        if low >= 0:
            own[low] += weight * gb
            bend[low, low] += weight * hbb
            if high < k:
                bend[low, high] += weight * hab
                bend[high, low] += weight * hab
    return value, math.sqrt(given)


@kernel
def cumulative_cross(
    Z: NDArray[np.float64],
    index: NDArray[np.int64],
    y: NDArray[np.int64],
    cross: NDArray[np.float64],
    mixed: NDArray[np.float64],
) -> None:
    """Put the second derivatives by thresholds and coefficients into ``mixed`` (L - 1, p).

    ``Z`` (M, n) holds the columns, of which ``index`` (p,) are meant.
    """
    k, n = mixed.shape[0], y.size
    for t in range(index.size):
        z = Z[index[t]]
        for a in range(k):
            mixed[a, t] = 0.0
        for i in range(n):
            if y[i] > 0:
                mixed[y[i] - 1, t] += cross[0, i] * z[i]
            if y[i] < k:
                mixed[y[i], t] += cross[1, i] * z[i]
