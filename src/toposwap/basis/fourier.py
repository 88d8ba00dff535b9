"""Sines and cosines of whole multiples of pi u, beside the straight line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.basis.base import Family, Functions

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Fourier(Family):
    """cos and sin of whole multiples of pi u, beside the line, which takes up the trend."""

    name: ClassVar[str] = "fourier"

    def functions(
        self,
        size: int,
        distinct: NDArray[np.float64],  # noqa: ARG002 - no knots
    ) -> Functions:
        """``size - 1`` waves: cos pi u, sin pi u, cos 2 pi u, ..."""
        return _Waves(max(size - 1, 1))


class _Waves(Functions):
    def __init__(self, count: int) -> None:
        index = np.arange(count)
        self._frequency = np.pi * (index // 2 + 1)
        self._phase = np.where(index % 2 == 0, 0.0, -np.pi / 2)

    def __call__(self, u: NDArray[np.float64], derivative: int = 0) -> NDArray[np.float64]:
        # Each derivative of a cosine moves it by a quarter of its period.
        phase = self._phase + derivative * np.pi / 2
        waves = np.cos(np.multiply.outer(u, self._frequency) + phase)
        return waves * self._frequency**derivative
