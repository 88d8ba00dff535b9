"""The solution of an additive model at an order, and the prices of moves from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from toposwap.dataset.factor import retriangularise
from toposwap.kernels import block_pair, block_swaps
from toposwap.order import Order
from toposwap.scores.base import OrderFit, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.scores.basis import BoundBasis


class BasisFit(OrderFit):
    """The block factor pair at the current order; see :mod:`toposwap.kernels.block_pair`."""

    bound: BoundBasis

    def __init__(self, bound: BoundBasis, order: Order) -> None:
        self.bound = bound
        self._factorise(order.variables.copy())

    @property
    def order(self) -> Order:  # type: ignore[override]
        """The current order."""
        return Order(self._order)

    @property
    def value(self) -> float:  # type: ignore[override]
        """1/2 sum_k sigma_k^2 (R_kk)_11^2, less what the ridge's rows add."""
        return self.bound.value_of(self._own[:, 0, 0] ** 2, self.bound.cost[self._order])

    @property
    def resolution(self) -> float:
        """A few digits above the rounding error of the sum."""
        return 1e-11 * self.value

    def price(self, order: Order) -> float:
        """Factorise the expanded data in ``order``."""
        variables = order.variables
        diagonal = np.diag(retriangularise(self.bound.factor[:, self._columns(variables)]))
        firsts = diagonal[:: self.bound.size]
        return self.bound.value_of(firsts**2, self.bound.cost[variables]) - self.value

    def reorder(self, order: Order) -> None:
        """Factorise the expanded data in ``order`` and stay there."""
        self._factorise(order.variables.copy())

    def refresh(self) -> None:
        """Factorise again in the current order, unless nothing happened since."""
        if self._rotated:
            self._factorise(self._order)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """O(d m^3), exact."""
        profile = np.empty(self.bound.data.d)
        block_pair.insertion_profile(*self._state, self.bound.cost, variable, profile)
        return profile * self._half

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """O(d^2 m^3) for each first position among the pairs, exact."""
        if len(pairs) == 0:
            return np.empty(0)
        positions = np.sort(self._position[pairs], axis=1)
        reach = np.full(self.bound.data.d, -1)
        np.maximum.at(reach, positions[:, 0], positions[:, 1])
        prices = block_swaps.swap_prices(*self._state[:4], self.bound.cost, reach)
        changes: NDArray[np.float64] = prices[positions[:, 0], positions[:, 1]] * self._half
        return changes

    def insert(self, variable: int, position: int) -> None:
        """An orthogonal transformation of two rows of blocks for each variable passed."""
        self._rotated = True
        block_pair.insert(*self._state, variable, position)

    def swap(self, i: int, j: int) -> None:
        """Two insertions."""
        p, q = int(self._position[i]), int(self._position[j])
        self.insert(i, q)
        self.insert(j, p)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """All of ``visits`` in one compiled loop."""
        moved: int = block_pair.insertion_sweep(
            *self._state,
            self.bound.cost,
            np.asarray(visits, dtype=np.int64),
            self.resolution / self._half,
        )
        self._rotated |= moved > 0
        return moved

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
    def _half(self) -> float:
        return 0.5 * self.bound.unit * self.bound.unit

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
