r"""What a penalty is: :math:`\sum_{ij} \rho(W_{ij})`, and what solvers need to know of it.

There are two kinds. A :class:`ProximalPenalty` depends on the size of a coefficient: it writes down
:math:`\rho, \rho', \rho''` and the proximal step once, compiled, and every solver, certificate and
report uses these. An :class:`EdgePenalty` depends on whether there is an edge, and solvers choose
edges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.compiled import Compiled
    from toposwap.kernels.penalized.rho import Rho

#: As large as a coefficient may be thought to become.
_HUGE = 1e100
#: Units of a coefficient, and weights of a penalty with units and without, beyond which nothing
#: changes any more: where columns have size one, such a penalty is everything or nothing.
_LARGEST_UNIT, _LARGEST_WEIGHT, _LARGEST_ALONE = 1e60, 1e150, 1e306


class Penalty(ABC):
    """sum_ij rho(W_ij), with rho(0) = 0, rho >= 0 and rho(-w) = rho(w).

    Settings only. Solvers know the two kinds below and refuse any other.
    """

    name: ClassVar[str]
    #: rho is convex.
    convex: ClassVar[bool]
    #: Coefficients become exactly zero, so that no threshold is needed afterwards.
    selects_edges: ClassVar[bool]
    #: rho depends on the size of a coefficient, and so on the units of the columns.
    by_size: ClassVar[bool] = True

    def bind(self, n: int, d: int) -> Penalty:  # noqa: ARG002 - most weights depend on neither
        """The penalty on ``n`` rows of ``d`` columns, its weight worked out where these decide it.

        Scores evaluate what this returns, and not the settings.
        """
        return self

    @abstractmethod
    def value(self, W: NDArray[np.float64]) -> float:
        """The sum of rho(W) over all entries of an array of any shape."""

    @abstractmethod
    def slope(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """rho'(W), of the shape of W: the derivative where W is not zero, and zero where it is."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The largest |gradient of the loss| at which a zero coefficient is stationary.

        rho'(0+) where rho is continuous, infinite where leaving zero costs at once.
        """

    def total(self, W: NDArray[np.float64], required: NDArray[np.bool_] | None) -> float:
        """What W pays, of any shape, where edges that are ``required`` are there in any case.

        A penalty that would hold a coefficient at zero is not asked for them; one that counts
        edges counts them, and one without a kink leaves every edge where it is.
        """
        if required is None or self.threshold == 0.0:
            return self.value(W)
        if np.isinf(self.threshold):
            return self.value(np.where(required & (W == 0.0), 1.0, W))
        return self.value(np.where(required, 0.0, W))

    def lifted(self, required: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        """Those of the edges ``required`` that pay nothing; None where all pay."""
        return required if 0.0 < self.threshold < np.inf else None

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"


class ProximalPenalty(Penalty):
    r"""rho(|w|), rising and differentiable but for a kink at zero.

    A penalty of this kind is three things:

    ``terms(size, a, b, c)``, decorated with :func:`~toposwap.kernels.compiled.penalty_terms`
        :math:`\rho(t), \rho'(t), \rho''(t)` at t = ``size`` >= 0, to the right where they differ.
    ``step(z, curvature, a, b, c)``, with :func:`~toposwap.kernels.compiled.proximal_step`
        :math:`\operatorname{argmin}_{t \ge 0} \tfrac12 \mathrm{curvature}\, t^2 - z t + \rho(t)`,
        the global minimum, for z >= 0 and curvature > 0.
    ``numbers``
        The settings that both take as a, b and c; at most three.

    The threshold, the value and the slope of a matrix, and whether coefficients stay finite follow.
    """

    terms: ClassVar[Compiled]
    step: ClassVar[Compiled]
    #: k where rho(s w) = s^k rho(w) for all s > 0; None where there is no such number.
    degree: ClassVar[int | None] = None

    @property
    @abstractmethod
    def numbers(self) -> tuple[float, ...]:
        """What ``terms`` and ``step`` take as a, b and c: at most three, the missing ones are 0."""

    def rho(self) -> Rho:
        """The penalty as kernels take it: addresses, slope at zero and numbers."""
        return _rho(self.terms, self.step, *self._three())

    def _three(self) -> tuple[float, float, float]:
        a, b, c = (*self.numbers, 0.0, 0.0, 0.0)[:3]
        return float(a), float(b), float(c)

    def in_units(
        self,
        units: NDArray[np.float64],
        weight: float = 1.0,
        size: float = 1.0,
        required: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Units s and weights v, (d,) each, with v rho(s w) = weight / size^2 * rho(units * w).

        Both are zero for ``required`` coefficients (d,) that pay nothing.

        Solvers take them where columns have size one, so that coefficients have too. Columns in
        units of 1e-150 and 1e150 make ``units`` whose squares are no numbers. A homogeneous rho
        needs no units besides its weights; any other is told by its slope at zero where the units
        are tiny, and by its end where they are huge.
        """
        with np.errstate(over="ignore", under="ignore"):
            if self.degree is None:
                weights = weight * np.minimum(units * _LARGEST_UNIT, 1.0) / size / size
                units = np.clip(units, 1.0 / _LARGEST_UNIT, _LARGEST_UNIT)
                most = _LARGEST_WEIGHT
            else:
                weights = weight * units / size
                weights = weights * units ** (self.degree - 1) / size
                units, most = np.ones_like(units), _LARGEST_ALONE
            weights[weights * units < 1.0 / most] = 0.0
        weights = np.minimum(weights, most)
        free = self.lifted(required)
        if free is not None:
            units, weights = np.where(free, 0.0, units), np.where(free, 0.0, weights)
        return units, weights

    def value(self, W: NDArray[np.float64]) -> float:
        """The sum of rho(W) over all entries, by the compiled ``terms``."""
        from toposwap.kernels.penalized.rho import rho_sum

        return rho_sum(np.array(W, dtype=np.float64).ravel(), self.rho())

    def slope(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """rho'(W), the shape of W, from ``terms``; zero where W is."""
        return self._everywhere(W)[1]

    def curvature(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """rho''(W), of the shape of W, negative where rho is concave; zero where W is."""
        return self._everywhere(W)[2]

    def proximal(self, z: float, curvature: float) -> float:
        """argmin_w curvature/2 w^2 - z w + rho(w), the global minimum, for curvature > 0."""
        return float(np.copysign(self.step(abs(z), curvature, *self._three()), z))

    @property
    def threshold(self) -> float:
        """rho'(0+), the slope to the right of zero: the half-width of its kink."""
        return float(self.terms(0.0, *self._three())[1])

    @property
    def unbounded(self) -> bool:
        """Whether rho grows without end, so that no coefficient does."""
        return bool(self.terms(_HUGE, *self._three())[1] > 0.0)

    def _everywhere(
        self, W: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        from toposwap.kernels.penalized.rho import rho_everywhere

        flat = np.array(W, dtype=np.float64).ravel()
        parts = np.empty((3, flat.size))
        rho_everywhere(flat, self.rho(), *parts)
        value, slope, curvature = parts.reshape(3, *np.shape(W))
        return value, slope, curvature


class EdgePenalty(Penalty):
    """A penalty of an edge, whatever its coefficient: no gradient sees it."""

    convex: ClassVar[bool] = False
    selects_edges: ClassVar[bool] = True
    by_size: ClassVar[bool] = False

    def slope(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """Zero: the penalty does not depend on the coefficient."""
        return np.zeros_like(W)

    @property
    def threshold(self) -> float:
        """Infinite: leaving zero costs at once, so zero is always stationary."""
        return np.inf


@lru_cache(maxsize=256)
def _rho(terms: Compiled, step: Compiled, a: float, b: float, c: float) -> Rho:
    from toposwap.kernels.penalized.rho import Rho
    from toposwap.kernels.penalized.sweeps import sweep_with

    kink = terms(0.0, a, b, c)[1]
    return Rho(terms.address, sweep_with(step).address, kink, a, b, c)
