"""The sum of squared coefficients."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.runtime.settings import checked
from toposwap.kernels.compiled import penalty_terms, proximal_step
from toposwap.penalties.base import ProximalPenalty


@penalty_terms
def terms(size: float, weight: float, _b: float, _c: float) -> tuple[float, float, float]:
    """weight/2 t^2, its slope weight t and its curvature weight: no kink at zero."""
    return 0.5 * weight * size * size, weight * size, weight


@proximal_step
def step(z: float, curvature: float, weight: float, _b: float, _c: float) -> float:
    """Shrunk in proportion: z / (curvature + weight)."""
    return z / (curvature + weight)


class Ridge(ProximalPenalty):
    """rho(w) = weight / 2 * w^2.

    Parameters
    ----------
    weight
        Curvature added to every coefficient: scaling a column changes the answer.
    """

    name: ClassVar[str] = "ridge"
    convex: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False
    degree: ClassVar[int] = 2
    terms = terms
    step = step

    def __init__(self, weight: float = 0.1) -> None:
        self.weight = checked("Ridge weight", weight)

    @property
    def numbers(self) -> tuple[float]:
        """The weight alone, as a; b and c are not used."""
        return (self.weight,)
