r"""Out of a poor order in a few rounds: all variables move at once, in one direction.

A random order is left by nearly every variable, over a third of all places: one after the other
that is :math:`O(d^3)` rotations of pairs of rows, which wait for the memory. In a round each
variable goes where one half of its insertion profile says, as if no other moved, and the new order
is factorised by products of matrices. Some four rounds towards the causes end within a percent of a
local minimum, and one towards the effects halves the way that is left. R is Cholesky's here, of the
covariance matrix: it has half of the digits, and only leads to where the exact search begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from toposwap.core.factor import scaled_covariance
from toposwap.kernels.least_squares.one_way import earlier_places, later_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.scores.least_squares.score import BoundLeastSquares

#: A round that lowers Q, or promises to lower it, by a smaller share is the last of its direction.
_LITTLE = 0.01
#: The most variables at the head of an order, and the share of the others that must belong before
#: the last of them for the order to be a poor one.
_HEAD, _MISPLACED = 64, 0.1


def is_poor(bound: BoundLeastSquares, order: NDArray[np.int64]) -> bool:
    """Whether many variables have less left than the last of the first few, given those before."""
    first = max(1, min(_HEAD, order.size // 10))
    basis, triangle = np.linalg.qr(bound.factor[:, order[:first]])
    left = bound.deviations**2 - np.square(basis[:, :-1].T @ bound.factor).sum(axis=0)
    last = triangle[-1, -1] ** 2 * bound.cost[order[first - 1]]
    return float(np.mean((bound.cost * left)[order[first:]] < last)) > _MISPLACED


class Rounds:
    """R of the columns in ``order``, and the rounds from there.

    Attributes
    ----------
    order
        Where the rounds have led.
    """

    def __init__(self, bound: BoundLeastSquares, order: NDArray[np.int64]) -> None:
        self._cost = bound.cost
        self._covariance = scaled_covariance(bound.factor)
        self.order = order
        self._moved = np.zeros(order.size, dtype=np.bool_)
        found = self._factorised(order)
        #: Whether the covariance matrix has a factor in floating point.
        self.possible = found is not None
        self._columns = np.empty((0, 0)) if found is None else found

    @property
    def diagonal(self) -> NDArray[np.float64]:
        """That of R, (d,), by position."""
        return self._columns.diagonal().copy()

    def run(self, before: NDArray[np.bool_], deadline: Deadline) -> int:
        """Rounds while they help; the number of variables that moved.

        ``before`` as in :mod:`toposwap.kernels.graphs.precedence`.
        """
        again = True
        while again and not deadline.passed:
            places, gains = self._places(before, later=False)
            value = self._value
            again = gains > _LITTLE * value and self._go(places)
            again = again and self._value < (1.0 - _LITTLE) * value
        if self._moved.any() and not deadline.passed:
            self._go(self._places(before, later=True)[0])
        return int(self._moved.sum())

    @property
    def _value(self) -> float:
        """sum_v cost[v] var(v)."""
        return float(self._columns.diagonal() ** 2 @ self._cost[self.order])

    def _places(self, before: NDArray[np.bool_], *, later: bool) -> tuple[NDArray[np.int64], float]:
        position = np.empty_like(self.order)
        position[self.order] = np.arange(self.order.size)
        given = self._cost, self.order, position, before
        if not later:
            return earlier_places(self._columns, *given)
        inverse, _ = lapack.dtrtri(self._columns.T, lower=0)
        return later_places(np.ascontiguousarray(inverse), *given)

    def _go(self, places: NDArray[np.int64]) -> bool:
        """Move all at once from each position to ``places`` (d,), if that lowers Q.

        A variable passes the one that stands at its place; those who want to the same keep their
        order.
        """
        onwards = np.sign(places - np.arange(places.size))
        there = np.argsort(places + 0.5 * onwards, kind="stable")
        value, order, columns = self._value, self.order, self._columns
        found = self._factorised(order[there])
        if found is not None:
            self.order, self._columns = order[there], found
            if self._value < value:
                self._moved[order[onwards != 0]] = True
                return True
            self.order, self._columns = order, columns
        return False

    def _factorised(self, order: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """The columns of R, (d, d), one a row; None where rounding errors leave none."""
        permuted = self._covariance.take(order, axis=0).take(order, axis=1)
        # The entries beside the triangle are left as they are, and nobody reads them.
        triangle, info = lapack.dpotrf(permuted.T, lower=0, clean=0, overwrite_a=1)
        return None if info else triangle.T
