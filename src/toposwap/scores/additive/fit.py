"""The solution of an additive model at an order, and the deltas of moves from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from toposwap.core.factor import retriangularise
from toposwap.kernels.additive import block_pair, block_swap_deltas
from toposwap.orderfit.factor import FactorFit
from toposwap.scores.base import Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.scores.additive.score import BoundBasis


class BasisFit(FactorFit):
    """The factor pair of :mod:`toposwap.kernels.additive.block_pair` at the current order."""

    bound: BoundBasis
    kernels = block_pair

    @property
    def value(self) -> float:  # type: ignore[override]
        """1/2 sum_k sigma_k^2 (R_kk)_11^2, less what the ridge's rows add."""
        return self.bound.value_of(self._own[:, 0, 0] ** 2, self.bound.cost[self._order])

    @property
    def resolution(self) -> float:
        """A few digits above the rounding error of the sum."""
        return 1e-11 * self.value

    def delta(self, order: Order) -> float:
        """Factorise the expanded data in ``order``."""
        variables = order.variables
        diagonal = np.diag(retriangularise(self.bound.factor[:, self._columns(variables)]))
        firsts = diagonal[:: self.bound.size]
        return self.bound.value_of(firsts**2, self.bound.cost[variables]) - self.value

    def parameters(self) -> NDArray[np.float64]:
        """theta, (d, m, d): minus the first rows of V, over the residuals."""
        d, m = self.bound.data.d, self.bound.size
        deviations = self.bound.design.deviations[self._order]
        rows = self._pair[::m].reshape(d, d, m)
        coefficients = -rows * (self._own[:, 0, 0] * deviations)[:, None, None]
        before = self._position < np.arange(d)[:, None]
        theta = np.zeros((d, m, d))
        # Where there is no function there is no coefficient either.
        before = before[:, :, None] & self.bound.design.present
        theta[:, :, self._order] = np.where(before, coefficients, 0.0).transpose(1, 2, 0)
        return theta

    def point(self) -> Point:
        """Read parameters and gradient off the factor pair, O(d^2 m)."""
        bound = self.bound
        d, m = bound.data.d, bound.size
        theta = self.parameters()
        rows = np.abs(self._pair[::m].reshape(d, d, m)).sum(axis=2)
        deviations = bound.design.deviations
        after = self._position > np.arange(d)[:, None]
        gradient = np.zeros((d, d))
        slopes = rows * (np.abs(self._own[:, 0, 0]) * deviations[self._order])[:, None]
        gradient[:, self._order] = np.where(after, slopes, 0.0).T
        weights = np.abs(theta).sum(axis=1)
        squares = np.einsum("irj,ir->", theta**2, bound.penalty)
        return Point(
            weights=weights,
            value=self.value,
            penalty=0.5 * float(squares),
            gradient=gradient,
            row_scale=np.full(d, float(m)),
            column_scale=deviations + weights.sum(axis=0),
        )

    @property
    def _state(
        self,
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int64],
    ]:
        return self._pair, self._own, self._inverse, self._order, self._position

    def _swap_deltas(self, reach: NDArray[np.int64]) -> NDArray[np.float64]:
        return block_swap_deltas.swap_deltas(*self._state[:4], self.bound.cost, reach)

    def _columns(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        m = self.bound.size
        return (order[:, None] * m + np.arange(m)).ravel()

    def _factorise(self, order: NDArray[np.int64]) -> None:
        d, m = self.bound.data.d, self.bound.size
        columns = self._columns(order)
        triangle = retriangularise(self.bound.factor[:, columns])
        inverse, _ = lapack.dtrtri(triangle, lower=0)
        block = np.arange(d)
        own = triangle.reshape(d, m, d, m)[block, :, block].copy()
        inverses = inverse.T.reshape(d, m, d, m)[block, :, block].copy()
        triangle += np.tril(inverse.T, -1)
        pair = np.empty((d * m, d * m))
        pair[:, columns] = triangle
        position = np.empty_like(order)
        position[order] = np.arange(d)
        self._pair, self._own, self._inverse = pair, own, inverses
        self._order, self._position = order, position
        self._rotated = False
