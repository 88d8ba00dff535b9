"""The sum of absolute coefficients."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.runtime.settings import checked
from toposwap.kernels.compiled import penalty_terms, proximal_step
from toposwap.penalties.base import ProximalPenalty


@penalty_terms
def terms(size: float, weight: float, _b: float, _c: float) -> tuple[float, float, float]:
    """A kink at zero, straight elsewhere."""
    return weight * size, weight, 0.0


@proximal_step
def step(z: float, curvature: float, weight: float, _b: float, _c: float) -> float:
    """(z - weight)_+ / curvature."""
    return max(z - weight, 0.0) / curvature


class L1(ProximalPenalty):
    """rho(w) = weight * |w|.

    Parameters
    ----------
    weight
        Penalty of a unit of coefficient: scaling a column changes the answer.
    """

    name: ClassVar[str] = "l1"
    convex: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    degree: ClassVar[int] = 1
    terms = terms
    step = step

    def __init__(self, weight: float = 0.1) -> None:
        self.weight = checked("L1 weight", weight)

    @property
    def numbers(self) -> tuple[float]:
        """The weight alone, as a; b and c are not used."""
        return (self.weight,)
