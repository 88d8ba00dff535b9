"""The factor pair of least squares at an order: value, deltas, moves, and the solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.linalg import lapack

from toposwap.core.factor import retriangularise
from toposwap.kernels.graphs.precedence import possible_swaps, precedence_table
from toposwap.kernels.least_squares import (
    factor_pair,
    improving_swaps,
    swap_deltas,
    worn_pair,
)
from toposwap.orderfit.base import ImprovingSwaps
from toposwap.orderfit.factor import FactorFit
from toposwap.scores.base import Point
from toposwap.scores.least_squares.rounds import Rounds, is_poor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.scores.least_squares.score import BoundLeastSquares

_EPS = float(np.finfo(float).eps)
# Columns from which on looking whether digits were lost pays, and what may be lost of the factor
# and its inverse before they are computed afresh.
_WIDE, _WORN, _WORN_INVERSE = 1000, 1e-13, 1e-9


class LeastSquaresFit(FactorFit):
    """The factor pair of :mod:`toposwap.kernels.least_squares.factor_pair` at the current order."""

    bound: BoundLeastSquares
    kernels = factor_pair
    #: Whether all predecessors are parents, as :mod:`toposwap.scores.least_squares.rounds` has it.
    leaves_by_rounds: ClassVar[bool] = True
    #: The factor pair; None while nobody has asked for more than Q of a poor order.
    _made: NDArray[np.float64] | None
    #: What leads out of a poor order of many columns, until the first sweep.
    _rounds: Rounds | None

    def __init__(self, bound: BoundLeastSquares, order: Order) -> None:
        self._rounds = None
        wide = len(order) >= _WIDE and not bound.delicate
        if wide and self.leaves_by_rounds and is_poor(bound, order.variables):
            rounds = Rounds(bound, order.variables.copy())
            if rounds.possible:
                self.bound, self._rounds, self._made = bound, rounds, None
                self._before = precedence_table(bound.admissible.before)
                self._stand_at(rounds.order, rounds.diagonal)
                return
        super().__init__(bound, order)

    @property
    def value(self) -> float:  # type: ignore[override]
        """1/2 sum_k R_kk^2 in the units of the data, less what the ridge's rows add."""
        return self.bound.value_of(self._diagonal**2, self.bound.cost[self._order])

    @property
    def resolution(self) -> float:
        """A few digits above the rounding error of the sum."""
        return 1e-12 * self.value

    def delta(self, order: Order) -> float:
        """Factorise the data in ``order``."""
        variables = order.variables
        diagonal = np.diag(retriangularise(self.bound.factor[:, variables]))
        return self.bound.value_of(diagonal**2, self.bound.cost[variables]) - self.value

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Those of many variables that gain from it; others gain in a later sweep, if at all.

        Rounding errors are cleared after each sweep where columns are nearly dependent.
        """
        if self._rounds is not None and len(visits) == len(self._order):
            rounds, self._rounds = self._rounds, None
            moved = rounds.run(self._before, self.bound.deadline)
            if moved:
                self._factorise(rounds.order)
                return moved
        if len(self._order) >= _WIDE:
            visits = self._gaining(np.asarray(visits, dtype=np.int64))
            if not visits.size:
                return 0
        moved = super().insertion_sweep(visits)
        if self.bound.delicate:
            self.refresh()
        return moved

    def _gaining(self, visits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of ``visits`` whom another place would suit better."""
        least = factor_pair.best_changes(*self._factors, self.bound.cost, self._before)
        return visits[least[visits] < -self.resolution / self._half]

    def refresh(self) -> None:
        """Factorise again where anything was rotated; with many columns, where that cost digits."""
        if self.bound.delicate or len(self._order) < _WIDE or self._worn():
            super().refresh()

    def _worn(self) -> bool:
        """Whether rotations have cost digits, as products of one vector tell in O(d^2)."""
        x = np.cos(np.arange(1.0, len(self._order) + 1.0))
        along, back, around = worn_pair.products(*self._factors, x)
        true = (self.bound.factor @ x) @ self.bound.factor
        sizes = self.bound.deviations * np.linalg.norm(along)
        lost = float(np.abs((back - true) / sizes).max())
        return not (lost <= _WORN and float(np.abs(around - x[self._order]).max()) <= _WORN_INVERSE)

    def parameters(self) -> NDArray[np.float64]:
        """W, exactly zero where it is zero to within rounding error."""
        return self.point().weights

    def point(self) -> Point:
        """Read weights and gradient off the factor pair, O(d^2)."""
        bound = self.bound
        weights, gradient = factor_pair.solution(
            *self._factors, bound.scale, bound.deviations, 8.0 * _EPS
        )
        deviations = bound.deviations * bound.scale
        return Point(
            weights=weights.T,
            value=self.value,
            gradient=gradient.T,
            row_scale=deviations,
            column_scale=deviations + np.abs(weights) @ deviations,
        )

    @property
    def _pair(self) -> NDArray[np.float64]:
        """The factor pair, made now if nobody has asked for it."""
        if self._made is None:
            self._factorise(self._order)
        assert self._made is not None
        return self._made

    @property
    def _factors(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """The factor pair and its order, whatever else the state of a kernel has."""
        return self._pair, self._diagonal, self._order, self._position

    @property
    def _state(self) -> tuple[Any, ...]:
        return self._factors

    def _swap_deltas(self, reach: NDArray[np.int64]) -> NDArray[np.float64]:
        return swap_deltas.swap_deltas(
            self._pair[:, self._order], self._diagonal, self.bound.cost[self._order], reach
        )

    def improving_swaps(self) -> ImprovingSwaps:
        """By bounds from the prices of insertions, and sums that end where they cannot improve."""
        columns = np.ascontiguousarray(self._pair[:, self._order].T)
        cost = self.bound.cost[self._order]
        threshold = self.resolution / self._half
        room = 8 * len(self._order)
        while True:
            places = np.empty((room, 2), dtype=np.int64)
            changes = np.empty(room)
            found = improving_swaps.improving_swaps(
                columns, self._diagonal, cost, threshold, places, changes
            )
            if found <= room:
                break
            room = found
        places, changes = places[:found], changes[:found]
        if self._before.size:
            possible = possible_swaps(self._before, self._order)[places[:, 0], places[:, 1]]
            places, changes = places[possible], changes[possible]
        d = len(self._order)
        return ImprovingSwaps(self._order[places], changes * self._half, d * (d - 1) // 2)

    def _factorise(self, order: NDArray[np.int64]) -> None:
        triangle = retriangularise(self.bound.factor[:, order])
        inverse, _ = lapack.dtrtri(triangle, lower=0)
        diagonal = triangle.diagonal().copy()
        # Above the diagonal R, below it the transposed inverse, columns back to the variables.
        triangle += inverse.T
        np.einsum("ii->i", triangle)[:] = diagonal
        pair = np.empty_like(triangle, order="C")
        pair[:, order] = triangle
        self._made, self._rounds = pair, None
        self._stand_at(order, diagonal)

    def _stand_at(self, order: NDArray[np.int64], diagonal: NDArray[np.float64]) -> None:
        """Take over an order and the diagonal of its triangle, (d,) each."""
        position = np.empty_like(order)
        position[order] = np.arange(order.size)
        self._diagonal, self._order, self._position = diagonal, order, position
        self._rotated = False
