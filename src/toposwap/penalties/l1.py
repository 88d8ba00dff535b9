"""The sum of absolute coefficients."""

from __future__ import annotations

from typing import ClassVar

from toposwap.penalties.base import Shape, Shaped, checked


class L1(Shaped):
    """rho(w) = weight * |w|.

    Parameters
    ----------
    weight
        Penalty of a unit of coefficient: scaling a column changes the answer.
    """

    name: ClassVar[str] = "l1"
    convex: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True

    def __init__(self, weight: float = 0.1) -> None:
        self.weight = checked("L1 weight", weight)

    @property
    def shape(self) -> Shape:
        """A kink at zero, straight elsewhere."""
        return Shape(self.weight, 0.0, 0.0)
