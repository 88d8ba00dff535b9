"""No penalty."""

from __future__ import annotations

from typing import ClassVar

from toposwap.penalties.base import Shape, Shaped


class NoPenalty(Shaped):
    """rho(w) = 0."""

    name: ClassVar[str] = "none"
    convex: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False

    @property
    def shape(self) -> Shape:
        """All zero."""
        return Shape(0.0, 0.0, 0.0)
