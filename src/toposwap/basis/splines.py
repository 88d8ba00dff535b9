"""Cubic B-splines with knots at quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.basis.base import Family, Functions, quantiles
from toposwap.kernels.additive.splines import DEGREE, cubic_splines

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Splines(Family):
    """Cubic B-splines; the inner knots stand at quantiles of the column's distinct values."""

    name: ClassVar[str] = "splines"

    def functions(self, size: int, distinct: NDArray[np.float64]) -> Functions:
        """K = size + 1 splines (they contain the constant), so size - 3 inner knots."""
        inner = max(size + 1 - (DEGREE + 1), 0)
        knots = quantiles(distinct, np.linspace(0.0, 1.0, inner + 2)[1:-1])
        knots = np.unique(knots[(knots > -1.0) & (knots < 1.0)])
        return _BSplines(knots)


class _BSplines(Functions):
    def __init__(self, inner: NDArray[np.float64]) -> None:
        ends = np.ones(DEGREE + 1)
        self._knots = np.concatenate([-ends, inner, ends])
        self._breaks = np.concatenate([[-1.0], inner, [1.0]])

    def __call__(self, u: NDArray[np.float64], derivative: int = 0) -> NDArray[np.float64]:
        return cubic_splines(self._knots, u, derivative)

    @property
    def breaks(self) -> NDArray[np.float64]:
        return self._breaks
