r"""A penalty inside a kernel: :math:`\rho_u(w) = v_u \rho(s_u w)` for the coordinates u of a node.

Solvers work in units in which all columns have size one; :math:`s_u` and :math:`v_u` lead back to
those of the data, and where :math:`s_u` is zero a coordinate bears no penalty (an intercept).
:math:`\rho` is even, so a penalty gives its formula for sizes :math:`t = |s_u w| \ge 0`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.jit import kernel
from toposwap.kernels.pointers import call_penalty_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Rho(NamedTuple):
    """The addresses of a penalty's terms and of its sweep, its slope at zero, its numbers."""

    terms: int
    sweep: int
    kink: float
    a: float
    b: float
    c: float


@kernel(inner=True, inlined=True)
def rho_terms(w: float, rho: Rho, s: float, v: float) -> tuple[float, float, float]:
    """rho_u(w), its slope and its curvature; at zero the slope is that to the right."""
    if s == 0.0:
        return 0.0, 0.0, 0.0
    value, slope, curvature = call_penalty_terms(rho.terms, s * abs(w), rho.a, rho.b, rho.c)
    return v * value, math.copysign(v * s * slope, w), v * s * s * curvature


@kernel(inner=True, inlined=True)
def stationarity(w: float, gradient: float, rho: Rho, s: float, v: float) -> float:
    """Distance of zero from the subdifferential, given the gradient of the smooth part."""
    if w == 0.0:
        return max(abs(gradient) - v * s * rho.kink, 0.0)
    return abs(gradient + rho_terms(w, rho, s, v)[1])


@kernel(inner=True)
def penalty_sum(
    w: NDArray[np.float64], rho: Rho, s: NDArray[np.float64], v: NDArray[np.float64]
) -> float:
    """sum_u rho_u(w_u) over w (m,) with units s and v, (m,) each; zeros add nothing."""
    total = 0.0
    for u in range(w.size):
        if w[u] != 0.0:
            total += rho_terms(w[u], rho, s[u], v[u])[0]
    return total


@kernel
def rho_sum(w: NDArray[np.float64], rho: Rho) -> float:
    """The sum of rho(w_u) over ``w`` (m,)."""
    total = 0.0
    for u in range(w.size):
        if w[u] != 0.0:
            total += rho_terms(w[u], rho, 1.0, 1.0)[0]
    return total


@kernel
def rho_everywhere(
    w: NDArray[np.float64],
    rho: Rho,
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> None:
    """rho, rho' and rho'' at each entry of ``w`` (m,); all zero where it is zero."""
    for u in range(w.size):
        value[u] = slope[u] = curvature[u] = 0.0
        if w[u] != 0.0:
            value[u], slope[u], curvature[u] = rho_terms(w[u], rho, 1.0, 1.0)
