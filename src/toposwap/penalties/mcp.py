"""The minimax concave penalty, with the paper's setting."""

from __future__ import annotations

from typing import ClassVar

from toposwap.penalties.base import Shape, Shaped, checked


class MCP(Shaped):
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

    def __init__(self, weight: float = 0.005, beta: float = 10.0) -> None:
        self.weight = checked("MCP weight", weight)
        self.beta = checked("MCP beta", beta, positive=True)

    @property
    def shape(self) -> Shape:
        """A kink at zero that fades out."""
        return Shape(self.weight, 1.0 / self.beta, 0.0)
