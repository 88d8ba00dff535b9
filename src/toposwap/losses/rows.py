r"""Losses that are sums over rows.

.. math:: \ell(x, f) = \sum_i \omega_i\, g(y_i, \eta_i), \qquad
          \eta = (f - \text{location}) / \text{unit}, \quad \omega_i = \tfrac1n ,

y being the column as the loss sees it: coded, counted, or in units of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from toposwap.losses.base import ColumnLoss, rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.kernels.compiled import Compiled


class Target(NamedTuple):
    """y (n,), and the location and the unit of the predictor."""

    y: NDArray[np.float64]
    location: float = 0.0
    unit: float = 1.0


class RowLoss(ColumnLoss):
    r"""sum_i omega_i g(y_i, eta_i), convex or not.

    A loss of this kind is one function, decorated with
    :func:`~toposwap.kernels.compiled.row_terms`::

        terms(eta, y, omega, parameters, slope, curvature) -> (value, size)

    It writes :math:`\omega_i g'` and :math:`\omega_i g''` (by :math:`\eta_i`, a curvature >= 0) to
    the last two, (n,) each, and returns :math:`\sum_i \omega_i g` with the size of the terms that
    cancel in the slope: residuals relative to it do not depend on units. The rest says how a column
    is seen (:meth:`target`), where a fit begins (:meth:`start`) and, for a loss whose coefficients
    may run away to infinity, how to notice.
    """

    terms: ClassVar[Compiled]
    #: g = A(eta) - y eta: the mean of y stands for all rows with the same predictor.
    canonical: ClassVar[bool] = False
    #: Whether a linear predictor has a constant of its own; a loss without one has location 0.
    intercept: bool = True
    #: What of a column may be told apart perfectly by others, so that coefficients are infinite.
    separated: ClassVar[str | None] = None

    def check(self, data: Dataset, column: int) -> None:  # noqa: ARG002 - any column
        """Refuse data without rows, such as a covariance matrix alone."""
        rows_of(data, self.name)

    def target(self, x: NDArray[np.float64]) -> Target:
        """The column ``x`` (n,) as ``terms`` take it: here as it is, at location 0 in unit 1.

        A location and a unit say what eta = (f - location) / unit makes of a predictor f.
        """
        return Target(np.array(x, dtype=np.float64))

    @property
    def parameters(self) -> tuple[float, ...]:
        """What ``terms`` takes as ``parameters``, (k,): settings of the loss; here none."""
        return ()

    @abstractmethod
    def start(self, y: NDArray[np.float64], omega: NDArray[np.float64]) -> float:
        """The eta, one number for all rows, where fits begin: near the best without parents.

        ``y`` (n,) is that of :meth:`target`, ``omega`` (n,) has sum 1.
        """

    def extreme(self, eta: NDArray[np.float64]) -> float:  # noqa: ARG002 - nothing can run away
        """How certain the most certain of the predictors ``eta`` (n,) is, in logarithms of odds.

        Large values are the sign of coefficients on their way to infinity; 0 where none can be.
        """
        return 0.0

    def mean(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of a column at ``f``, of its shape: A'(f) of a canonical loss, else f."""
        if not self.canonical:
            return f
        eta = np.array(f, dtype=np.float64).ravel()
        slope, curvature = np.empty(eta.size), np.empty(eta.size)
        self.terms(eta, np.zeros(eta.size), np.ones(eta.size), self._given(), slope, curvature)
        largest = np.finfo(np.float64).max
        return np.asarray(np.minimum(slope, largest).reshape(np.shape(f)))

    def value(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> float:
        """sum_i omega_i g(y_i, eta_i) with omega_i = 1/n, for (n,) each."""
        return self.everything(x, f)[0]

    def slope(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """``g' / (n unit)``, (n,): the derivative of :meth:`value` by f."""
        return self.everything(x, f)[1]

    def curvature(self, x: NDArray[np.float64], f: NDArray[np.float64]) -> NDArray[np.float64]:
        """``g'' / (n unit^2)`` >= 0, (n,): the second derivative of :meth:`value` by each f."""
        return self.everything(x, f)[2]

    def everything(
        self, x: NDArray[np.float64], f: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Value, slope and curvature by ``f``, (n,) each."""
        y, location, unit = self.target(x)
        eta = (np.asarray(f, dtype=np.float64) - location) / unit
        omega = np.full(y.size, 1.0 / y.size)
        slope, curvature = np.empty(y.size), np.empty(y.size)
        value, _ = self.terms(eta, y, omega, self._given(), slope, curvature)
        return float(value), slope / unit, curvature / unit**2

    def _given(self) -> NDArray[np.float64]:
        return np.array(self.parameters, dtype=np.float64)
