r"""Newton's method for a node with one predictor, its parents given.

.. math:: \min_{w, b} \sum_i \omega_i\, g(y_i, b + Z_{\cdot i}^\top w)
          + \tfrac12 r \lVert w \rVert^2 ,

g being the terms of any loss, by their address.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.linalg.dot import dot
from toposwap.kernels.penalized.glm_node import curvature_matrix, loss_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_DAMPING = 1e8
_DECREASE = 1e-4
_ROUNDING = 1e-14


@kernel(inner=True)
def solve_positive(
    H: NDArray[np.float64],
    damping: float,
    gradient: NDArray[np.float64],
    lower: NDArray[np.float64],
    step: NDArray[np.float64],
) -> bool:
    """Put -(H + damping I)^-1 gradient into ``step`` (k,); False if H is not positive definite."""
    k = gradient.size
    for a in range(k):
        for b in range(a + 1):
            rest = H[a, b]
            if a == b:
                rest += damping
            for t in range(b):
                rest -= lower[a, t] * lower[b, t]
            if a == b:
                if not rest > 1e-14 * (H[a, a] + damping):
                    return False
                lower[a, a] = math.sqrt(rest)
            else:
                lower[a, b] = rest / lower[b, b]
    for a in range(k):
        rest = -gradient[a]
        for t in range(a):
            rest -= lower[a, t] * step[t]
        step[a] = rest / lower[a, a]
    for a in range(k - 1, -1, -1):
        rest = step[a]
        for t in range(a + 1, k):
            rest -= lower[t, a] * step[t]
        step[a] = rest / lower[a, a]
    return True


@kernel
def newton_one(
    Z: NDArray[np.float64],
    y: NDArray[np.float64],
    omega: NDArray[np.float64],
    terms: int,
    parameters: NDArray[np.float64],
    w: NDArray[np.float64],
    b: float,
    r: float,
    tolerance: float,
    most: int,
    H: NDArray[np.float64],
) -> tuple[float, float]:
    """Minimise in place from ``w`` (p,) and b; returns b and the minimum.

    ``Z`` is (p, n), ``y`` and ``omega`` are (n,). ``H`` (p + 1, p + 1) receives the curvature, the
    intercept last. A step that does not go down is tried again with more of the identity added.
    """
    p, n = Z.shape
    slope, curvature = np.empty(n), np.empty(n)
    work = np.arange(p)
    gradient, step, trial = np.empty(p + 1), np.empty(p + 1), np.empty(p)
    lower = np.empty((p + 1, p + 1))
    value, size = loss_terms(Z, omega, y, terms, parameters, w, b, slope, curvature)
    for u in range(p):
        value += 0.5 * r * w[u] * w[u]
    damping = 0.0
    for count in range(most + 1):
        part = curvature_matrix(Z, curvature, work, p)
        for u in range(p + 1):
            for v in range(p + 1):
                H[u, v] = part[u, v]
            if u < p:
                H[u, u] += r
        largest = 0.0
        for u in range(p):
            gradient[u] = dot(Z[u], slope) + r * w[u]
        gradient[p] = slope.sum()
        for u in range(p + 1):
            largest = max(largest, abs(gradient[u]))
        if not largest > tolerance * size or count == most:
            return b, value
        moved = False
        while damping <= _LARGEST_DAMPING:
            if solve_positive(H, damping * size, gradient, lower, step):
                foretold = 0.0
                for u in range(p):
                    trial[u] = w[u] + step[u]
                for u in range(p + 1):
                    foretold += gradient[u] * step[u]
                after, reached = loss_terms(
                    Z, omega, y, terms, parameters, trial, b + float(step[p]), slope, curvature
                )
                for u in range(p):
                    after += 0.5 * r * trial[u] * trial[u]
                if after <= value + _DECREASE * foretold + _ROUNDING * (abs(value) + size):
                    moved = True
                    break
            damping = max(10.0 * damping, 1e-6)
        if not moved:
            loss_terms(Z, omega, y, terms, parameters, w, b, slope, curvature)
            return b, value
        damping = 0.0 if damping <= 1e-6 else 0.1 * damping
        for u in range(p):
            w[u] = trial[u]
        b += float(step[p])
        value, size = after, reached
    return b, value
