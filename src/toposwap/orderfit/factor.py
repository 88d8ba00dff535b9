"""Fits that are a triangular factor of the data in the current order, kept up to date by rotations.

Moving a variable rotates rows of the factor; deltas are read off it by compiled kernels. Least
squares has one column for each variable, additive models have a block of columns.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.order import Order
from toposwap.kernels.graphs.precedence import possible_swaps, precedence_table
from toposwap.orderfit.base import OrderFit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from numpy.typing import NDArray


#: Visits times variables of one piece of a sweep under a time limit: some milliseconds.
_PIECE = 100_000


class FactorFit(OrderFit):
    """What factors of columns and of blocks of columns have in common.

    ``bound`` has the weight ``cost`` (d,) of each variable's squares and the ``unit`` of all.
    """

    bound: Any
    #: The kernels: ``insertion_profile``, ``insert`` and ``insertion_sweep`` of the state.
    kernels: ModuleType
    #: Who must stand before whom, see :mod:`toposwap.kernels.graphs.precedence`.
    _before: NDArray[np.bool_]

    _order: NDArray[np.int64]
    _position: NDArray[np.int64]
    _rotated: bool

    def __init__(self, bound: Any, order: Order) -> None:
        self.bound = bound
        self._before = precedence_table(bound.admissible.before)
        self._factorise(order.variables.copy())

    @abstractmethod
    def _factorise(self, order: NDArray[np.int64]) -> None:
        """Factorise the data in ``order`` (d,), and make it the current one."""

    @property
    @abstractmethod
    def _state(self) -> tuple[NDArray[Any], ...]:
        """The arrays that all kernels take first: the factor, then order and positions."""

    @abstractmethod
    def _swap_deltas(self, reach: NDArray[np.int64]) -> NDArray[np.float64]:
        """Deltas (d, d) of exchanging positions p and q > p, for q up to ``reach[p]``."""

    @property
    def order(self) -> Order:  # type: ignore[override]
        """The order that the factor's rows follow; made of the array that kernels change."""
        return Order.of_permutation(self._order)

    def reorder(self, order: Order) -> None:
        """Factorise the data in ``order`` and stay there."""
        self._factorise(order.variables.copy())

    def refresh(self) -> None:
        """Factorise the data again in the current order, unless nothing happened since."""
        if self._rotated:
            self._factorise(self._order)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Exact deltas (d,), read off the factor by one kernel without changing it."""
        profile = np.empty(self._order.size)
        self.kernels.insertion_profile(
            *self._state, self.bound.cost, self._before, variable, profile
        )
        return profile * self._half

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Exact deltas (m,); the work grows with the number of first positions among the pairs."""
        if len(pairs) == 0:
            return np.empty(0)
        positions = np.sort(self._position[pairs], axis=1)
        reach = np.full(self._order.size, -1)
        np.maximum.at(reach, positions[:, 0], positions[:, 1])
        deltas = self._swap_deltas(reach)
        if self._before.size:
            deltas = np.where(possible_swaps(self._before, self._order), deltas, np.inf)
        changes: NDArray[np.float64] = deltas[positions[:, 0], positions[:, 1]] * self._half
        return changes

    def insert(self, variable: int, position: int) -> None:
        """One rotation for each variable passed."""
        state = self._state
        self._rotated = True
        self.kernels.insert(*state, variable, position)

    def swap(self, i: int, j: int) -> None:
        """Two insertions, i to the place of j and j to that of i: O(d) rotations."""
        p, q = int(self._position[i]), int(self._position[j])
        self.insert(i, q)
        self.insert(j, p)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """All of ``visits`` in one compiled loop, in pieces where time is limited."""
        moved, visits = 0, np.asarray(visits, dtype=np.int64)
        for piece in self.bound.deadline.pieces(visits, _PIECE // visits.size):
            some: int = self.kernels.insertion_sweep(
                *self._state, self.bound.cost, self._before, piece, self.resolution / self._half
            )
            self._rotated |= some > 0
            moved += some
        return moved

    def descend(self) -> None:
        """Insertions while they help, then the best swap, and again, with nothing recorded."""
        d = self._order.size
        all_behind = np.full(d, d - 1)
        lowest = np.inf
        while True:
            before = np.inf
            while self.value < before:
                before = self.value
                if not self.insertion_sweep(self._order.copy()):
                    break
            if getattr(self.bound, "delicate", True):
                self.refresh()
            # What moves for rounding error alone would move for ever.
            if not self.value < lowest:
                return
            lowest = self.value
            deltas = self._swap_deltas(all_behind)
            if self._before.size:
                deltas = np.where(possible_swaps(self._before, self._order), deltas, np.inf)
            p, q = divmod(int(deltas.argmin()), d)
            if not deltas[p, q] * self._half < -self.resolution:
                return
            self.swap(int(self._order[p]), int(self._order[q]))

    @property
    def _half(self) -> float:
        unit: float = self.bound.unit
        return 0.5 * unit * unit
