r"""What a penalty is: :math:`\sum_{ij} \rho(W_{ij})`, and what solvers need to know of it.

Away from zero every penalty here but l0 has the form

.. math:: \rho'(w) = \operatorname{sign}(w) \max(\mathrm{kink} - \mathrm{concavity}\, |w|,\, 0)
          + \mathrm{ridge}\, w,

so three numbers, :class:`Shape`, are all that a compiled solver takes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Shape(NamedTuple):
    """kink, concavity and ridge of the formula above."""

    kink: float
    concavity: float
    ridge: float


class Penalty(ABC):
    """rho, summed over the entries of W; the diagonal of W is zero and rho(0) = 0."""

    name: ClassVar[str]
    #: rho is convex.
    convex: ClassVar[bool]
    #: Coefficients become exactly zero, so that no threshold is needed afterwards.
    selects_edges: ClassVar[bool]

    def bind(self, n: int, d: int) -> Penalty:  # noqa: ARG002 - most weights depend on neither
        """The penalty with weights that depend on ``n`` rows and ``d`` columns worked out."""
        return self

    @abstractmethod
    def value(self, W: NDArray[np.float64]) -> float:
        """Sum rho(W) over all entries."""

    @abstractmethod
    def slope(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """rho'(W), the shape of W, right where W is not zero (and zero where it is)."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The largest |gradient of the loss| for which a zero coefficient is stationary."""

    @property
    def shape(self) -> Shape | None:
        """The numbers for a coordinate descent, None where there is an L0 penalty instead."""
        return None

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class Shaped(Penalty):
    """A penalty that is nothing but its :class:`Shape`."""

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """kink, concavity, ridge."""

    def value(self, W: NDArray[np.float64]) -> float:
        """The integral of the slope from zero."""
        kink, concavity, ridge = self.shape
        size = np.abs(W)
        total = 0.5 * ridge * float(np.square(size).sum())
        if concavity > 0.0:
            size = np.minimum(size, kink / concavity)
        return total + float((kink * size - 0.5 * concavity * size * size).sum())

    def slope(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """sign(W) max(kink - concavity |W|, 0) + ridge W."""
        kink, concavity, ridge = self.shape
        return np.sign(W) * np.maximum(kink - concavity * np.abs(W), 0.0) + ridge * W

    @property
    def threshold(self) -> float:
        """The kink."""
        return self.shape.kink


def checked(argument: str, value: Any, *, positive: bool = False) -> float:
    """``value`` as a float if it is a finite number >= 0 (> 0 with ``positive``)."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)
    if not number or not 0.0 <= value < np.inf or (positive and value == 0.0):
        limit = "> 0" if positive else ">= 0"
        raise InputError(f"{argument}: must be a number {limit}, got {value!r}")
    return float(value)
