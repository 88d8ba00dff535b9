"""The minimax concave penalty, with the paper's setting."""

from __future__ import annotations

from typing import ClassVar

from toposwap.core.runtime.settings import checked
from toposwap.kernels.compiled import penalty_terms, proximal_step
from toposwap.penalties.base import ProximalPenalty


@penalty_terms
def terms(size: float, weight: float, concavity: float, _c: float) -> tuple[float, float, float]:
    """A kink at zero that fades out at weight / concavity."""
    slope = weight - concavity * size
    if slope > 0.0:
        return weight * size - 0.5 * concavity * size * size, slope, -concavity
    end = weight / concavity
    return weight * end - 0.5 * concavity * end * end, 0.0, 0.0


@proximal_step
def step(z: float, curvature: float, weight: float, concavity: float, _c: float) -> float:
    """Zero, on the slope, or beyond its end; concave in between if the curvature is small."""
    if curvature <= concavity:
        return z / curvature if z * z * concavity > weight * weight * curvature else 0.0
    if z <= weight:
        return 0.0
    inner = (z - weight) / (curvature - concavity)
    return inner if inner <= weight / concavity else z / curvature


class MCP(ProximalPenalty):
    r"""rho(w) = weight |w| - w^2 / (2 beta) up to |w| = beta weight, then beta weight^2 / 2.

    Large coefficients are not shrunk at all. The defaults are the paper's.

    Parameters
    ----------
    weight
        Slope at zero, the paper's :math:`\lambda`.
    beta
        How far the slope reaches: the penalty is constant beyond ``beta * weight``.
    """

    name: ClassVar[str] = "mcp"
    convex: ClassVar[bool] = False
    selects_edges: ClassVar[bool] = True
    terms = terms
    step = step

    def __init__(self, weight: float = 0.005, beta: float = 10.0) -> None:
        self.weight = checked("MCP weight", weight)
        self.beta = checked("MCP beta", beta, positive=True)

    @property
    def numbers(self) -> tuple[float, float]:
        """The weight, and by how much the slope falls."""
        return self.weight, 1.0 / self.beta
