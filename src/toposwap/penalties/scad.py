"""The smoothly clipped absolute deviation of Fan and Li."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.kernels.compiled import penalty_terms, proximal_step
from toposwap.penalties.base import ProximalPenalty


@penalty_terms
def terms(size: float, weight: float, a: float, _c: float) -> tuple[float, float, float]:
    """Straight up to weight, flat from a * weight on, a parabola between them."""
    if size < weight:
        return weight * size, weight, 0.0
    if size < a * weight:
        left = a * weight - size
        value = 0.5 * ((a + 1.0) * weight * weight - left * left / (a - 1.0))
        return value, left / (a - 1.0), -1.0 / (a - 1.0)
    return 0.5 * (a + 1.0) * weight * weight, 0.0, 0.0


@proximal_step
def step(z: float, curvature: float, weight: float, a: float, _c: float) -> float:
    """The best of the three parts, each of which has one candidate."""
    straight = min(max((z - weight) / curvature, 0.0), weight)
    flat = max(z / curvature, a * weight)
    # c t^2 / 2 - z t + rho(t).
    best = straight
    lowest = (0.5 * curvature * straight - z + weight) * straight
    clipped = 0.5 * (a + 1.0) * weight * weight
    if (0.5 * curvature * flat - z) * flat + clipped < lowest:
        best = flat
        lowest = (0.5 * curvature * flat - z) * flat + clipped
    bend = curvature - 1.0 / (a - 1.0)
    if bend > 0.0:
        between = min(max((z - a * weight / (a - 1.0)) / bend, weight), a * weight)
        left = a * weight - between
        value = (0.5 * curvature * between - z) * between + clipped - 0.5 * left * left / (a - 1.0)
        if value < lowest:
            best = between
    return best


class SCAD(ProximalPenalty):
    r"""rho'(w) = weight up to |w| = weight, then (a weight - |w|)_+ / (a - 1).

    Like l1 for small coefficients, and large ones are not shrunk at all; between them it is
    concave.

    Parameters
    ----------
    weight
        Slope at zero.
    a
        The penalty is constant beyond ``a * weight``; > 2, and 3.7 is what its authors advise.
    """

    name: ClassVar[str] = "scad"
    convex: ClassVar[bool] = False
    selects_edges: ClassVar[bool] = True
    terms = terms
    step = step

    def __init__(self, weight: float = 0.1, a: float = 3.7) -> None:
        self.weight = checked("SCAD weight", weight)
        self.a = checked("SCAD a", a)
        if not self.a > 2.0:
            raise InputError(f"SCAD a: must be a number > 2, got {a!r}")

    @property
    def numbers(self) -> tuple[float, float]:
        """The weight, and where the penalty ends in units of it."""
        return self.weight, self.a
