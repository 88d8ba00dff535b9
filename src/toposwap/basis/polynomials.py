"""Legendre polynomials: smooth everywhere, without knots to place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.basis.base import Family, Functions

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Polynomials(Family):
    """Polynomials up to the degree that the number of functions comes to."""

    name: ClassVar[str] = "polynomials"

    def functions(
        self,
        size: int,
        distinct: NDArray[np.float64],  # noqa: ARG002 - no knots
    ) -> Functions:
        """Legendre polynomials of degrees 2 to ``size``."""
        return _Legendre(size)


class _Legendre(Functions):
    def __init__(self, degree: int) -> None:
        self._degree = max(degree, 2)

    def __call__(self, u: NDArray[np.float64], derivative: int = 0) -> NDArray[np.float64]:
        from numpy.polynomial import legendre

        coefficients = legendre.legder(np.eye(self._degree + 1)[:, 2:], derivative)
        values = legendre.legval(u, coefficients).T
        return np.ascontiguousarray(values, dtype=np.float64)
