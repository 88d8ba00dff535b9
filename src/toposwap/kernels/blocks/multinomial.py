r"""A column of L categories at q = L - 1 predictors.

.. math:: g(y, \eta) = \log \sum_l \exp (C \eta)_l - (C \eta)_y, \qquad
          C^\top C = I, \quad 1^\top C = 0, \quad C \in \mathbb R^{L \times q} :

the logarithms of the chances about their mean, in coordinates that no category is special in.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def multinomial_terms(
    eta: NDArray[np.float64],
    y: NDArray[np.int64],
    omega: NDArray[np.float64],
    C: NDArray[np.float64],
    slope: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> tuple[float, float]:
    """The loss, weighted by ``omega`` (n,), and the size of the terms that cancel in its slope.

    ``eta`` is (q, n), ``y`` (n,) the category of each row. ``slope`` (q, n) receives omega dg/deta,
    ``curvature`` (q (q + 1) / 2, n) the second derivatives by a and b <= a, row by row of the
    triangle.
    """
    q, n = eta.shape
    levels = C.shape[0]
    p, c = np.empty(levels), np.empty(q)
    value = given = fitted = 0.0
    for i in range(n):
        top = -np.inf
        for k in range(levels):
            f = 0.0
            for a in range(q):
                f += C[k, a] * eta[a, i]
            p[k] = f
            top = max(top, f)
        own = p[y[i]]
        total = 0.0
        for k in range(levels):
            p[k] = math.exp(p[k] - top)
            total += p[k]
        weight = omega[i]
        value += weight * (math.log(total) + top - own)
        for k in range(levels):
            p[k] /= total
        row = 0
        for a in range(q):
            mean = 0.0
            for k in range(levels):
                mean += C[k, a] * p[k]
            c[a] = mean
            fitted += weight * mean * mean
            given += weight * C[y[i], a] * C[y[i], a]
            slope[a, i] = weight * (mean - C[y[i], a])
            for b in range(a + 1):
                both = 0.0
                for k in range(levels):
                    both += C[k, a] * C[k, b] * p[k]
                curvature[row, i] = weight * (both - mean * c[b])
                row += 1
    return value, math.sqrt(given) + math.sqrt(fitted)
