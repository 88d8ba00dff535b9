r"""One node of a logistic or Poisson score with a penalty on its coefficients.

.. math:: \min_{w, b} \sum_i \omega_i \left( A(\eta_i) - y_i \eta_i \right) + \rho(w), \qquad
          \eta = b + Z^\top w, \quad A(\eta) = \log(1 + e^\eta) \text{ or } e^\eta .

Proximal Newton steps on the columns that are in use or violate their condition. A step that does
not go down is tried again with a larger multiple of the identity added to the curvature: in the
limit that is a short proximal gradient step, which goes down for any penalty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.penalized.coordinate_descent import (
    penalty_value,
    solve_quadratic,
    stationarity,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOGISTIC, POISSON = 0, 1
_STEPS = 200
_LARGEST_DAMPING = 1e6
_ROUNDING = 1e-13


@kernel
def loss_terms(
    Z: NDArray[np.float64],
    omega: NDArray[np.float64],
    y: NDArray[np.float64],
    kind: int,
    w: NDArray[np.float64],
    b: float,
    residual: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> tuple[float, float]:
    """The loss and sum omega mu^2; omega (mu - y) and omega A'' are written to the last two.

    ``Z`` is (d, n), ``omega``, ``y``, ``residual`` and ``curvature`` are (n,), ``w`` is (d,).
    """
    n = y.size
    eta = np.full(n, b)
    for u in range(w.size):
        if w[u] != 0.0:
            z = Z[u]
            for i in range(n):
                eta[i] += w[u] * z[i]
    total = squares = 0.0
    for i in range(n):
        if kind == LOGISTIC:
            e = math.exp(-abs(eta[i]))
            mu = 1.0 / (1.0 + e) if eta[i] >= 0.0 else e / (1.0 + e)
            slope = e / ((1.0 + e) * (1.0 + e))
            # y eta from the side on which it does not cancel with log(1 + e^eta).
            signed = eta[i] if eta[i] >= 0.0 else 0.0
            term = math.log1p(e) + signed - y[i] * eta[i]
        else:
            mu = math.exp(eta[i])
            slope = mu
            term = mu - y[i] * eta[i]
        total += omega[i] * term
        squares += omega[i] * mu * mu
        residual[i] = omega[i] * (mu - y[i])
        curvature[i] = omega[i] * slope
    return total, squares


@kernel
def _curvature_matrix(
    Z: NDArray[np.float64], curvature: NDArray[np.float64], work: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Z diag(curvature) Z' on the rows ``work`` (m,), the intercept last: (m + 1, m + 1)."""
    m, n = work.size, curvature.size
    H = np.empty((m + 1, m + 1))
    H[m, m] = curvature.sum()
    weighted = np.empty(n)
    for i in range(m):
        z = Z[work[i]]
        total = 0.0
        for t in range(n):
            weighted[t] = curvature[t] * z[t]
            total += weighted[t]
        H[i, m] = total
        H[m, i] = total
        for k in range(i + 1):
            H[i, k] = np.dot(weighted, Z[work[k]])
            H[k, i] = H[i, k]
    return H


@kernel
def solve_glm(
    Z: NDArray[np.float64],
    omega: NDArray[np.float64],
    y: NDArray[np.float64],
    kind: int,
    deviations: NDArray[np.float64],
    allowed: NDArray[np.bool_],
    w: NDArray[np.float64],
    b: float,
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
    tolerance: float,
    gradient: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> tuple[float, float, bool]:
    """Minimise in place from ``w`` (d,), zero outside ``allowed``; b, the loss, and convergence.

    ``gradient`` (d,) receives the gradient of the loss, ``scale`` (d,) the size of the terms that
    cancel in it.
    """
    d, n = Z.shape
    residual, curvature = np.empty(n), np.empty(n)
    work = np.empty(d, dtype=np.int64)
    size_y = 0.0
    for i in range(n):
        size_y += omega[i] * y[i] * y[i]
    loss, squares = loss_terms(Z, omega, y, kind, w, b, residual, curvature)
    total = loss + _penalty(w, kink, concavity, ridge)
    for _ in range(_STEPS):
        size = math.sqrt(size_y) + math.sqrt(squares)
        gradient[:] = Z @ residual
        own = residual.sum()
        stationary = abs(own) <= tolerance * size
        m = 0
        for u in range(d):
            scale[u] = deviations[u] * size
            if not allowed[u]:
                continue
            off = stationarity(w[u], gradient[u], kink[u], concavity[u], ridge[u])
            if off > tolerance * scale[u]:
                stationary = False
            if w[u] != 0.0 or off > 0.0 or kink[u] == 0.0:
                work[m] = u
                m += 1
        if stationary:
            return b, loss, True
        some = work[:m]
        H = _curvature_matrix(Z, curvature, some)
        flat = np.zeros(m + 1)
        flat[:m] = kink[some]
        bend = np.zeros(m + 1)
        bend[:m] = concavity[some]
        round_ = np.zeros(m + 1)
        round_[:m] = ridge[some]
        close = np.full(m + 1, 0.01 * tolerance * size)
        close[:m] *= deviations[some]
        here = np.empty(m + 1)
        here[:m] = w[some]
        here[m] = b
        down = np.empty(m + 1)
        down[:m] = gradient[some]
        down[m] = own
        damping = 0.0
        trial = w.copy()
        while True:
            start = here.copy()
            solve_quadratic(H, H @ here - down, start, flat, bend, round_, close)
            for i in range(m):
                trial[work[i]] = start[i]
            loss, squares = loss_terms(Z, omega, y, kind, trial, start[m], residual, curvature)
            after = loss + _penalty(trial, kink, concavity, ridge)
            # Sums over many rows are no more accurate than this.
            if after <= total + _ROUNDING * (abs(total) + size):
                break
            grown = max(10.0 * damping, 1e-3 * (1.0 + size))
            if grown > _LARGEST_DAMPING * (1.0 + size):
                loss, squares = loss_terms(Z, omega, y, kind, w, b, residual, curvature)
                return b, loss, False
            for i in range(m + 1):
                H[i, i] += grown - damping
            damping = grown
        w[:] = trial
        b = start[m]
        total = after
    return b, loss, False


@kernel
def _penalty(
    w: NDArray[np.float64],
    kink: NDArray[np.float64],
    concavity: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> float:
    total = 0.0
    for u in range(w.size):
        if w[u] != 0.0:
            total += penalty_value(w[u], kink[u], concavity[u], ridge[u])
    return total
