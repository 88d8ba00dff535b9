"""The sum of squared coefficients."""

from __future__ import annotations

from typing import ClassVar

from toposwap.penalties.base import Shape, Shaped, checked


class Ridge(Shaped):
    """rho(w) = weight / 2 * w^2.

    Parameters
    ----------
    weight
        Curvature added to every coefficient: scaling a column changes the answer.
    """

    name: ClassVar[str] = "ridge"
    convex: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False

    def __init__(self, weight: float = 0.1) -> None:
        self.weight = checked("Ridge weight", weight)

    @property
    def shape(self) -> Shape:
        """Curvature alone."""
        return Shape(0.0, 0.0, self.weight)
