"""No penalty: the loss alone, and every edge that the order allows."""

from __future__ import annotations

from typing import ClassVar

from toposwap.kernels.compiled import penalty_terms, proximal_step
from toposwap.penalties.base import ProximalPenalty


@penalty_terms
def terms(_size: float, _a: float, _b: float, _c: float) -> tuple[float, float, float]:
    """(0, 0, 0): value, slope and curvature at any size."""
    return 0.0, 0.0, 0.0


@proximal_step
def step(z: float, curvature: float, _a: float, _b: float, _c: float) -> float:
    """No shrinkage: z / curvature."""
    return z / curvature


class NoPenalty(ProximalPenalty):
    """rho(w) = 0: nothing is shrunk and nothing set to zero."""

    name: ClassVar[str] = "none"
    convex: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False
    by_size: ClassVar[bool] = False
    degree: ClassVar[int] = 1
    terms = terms
    step = step

    @property
    def numbers(self) -> tuple[float, ...]:
        """Empty: ``terms`` and ``step`` take no settings."""
        return ()
