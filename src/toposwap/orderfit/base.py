r"""The solution :math:`\Theta^*_\pi` at an order, the changes of Q from there, and the moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.scores.base import BoundScore, Point


class OrderFit(ABC):
    r"""The solution :math:`\Theta^*_\pi` at a current order, and the way to other orders.

    Subclasses provide :meth:`delta`, :meth:`reorder` and :meth:`parameters`; the rest is derived
    from these and may be overridden with something faster.
    """

    bound: BoundScore
    order: Order
    #: Q at the solution.
    value: float

    @abstractmethod
    def delta(self, order: Order) -> float:
        r""":math:`Q(\Theta^*_{\pi'}) - Q(\Theta^*_\pi)` for another order :math:`\pi'`."""

    @abstractmethod
    def reorder(self, order: Order) -> None:
        """Make ``order`` the current one and fit it."""

    @abstractmethod
    def parameters(self) -> Any:
        """The solution, as :meth:`BoundScore.evaluate` takes it."""

    def point(self) -> Point:
        """Q and its derivatives at the solution."""
        return self.bound.evaluate(self.parameters())

    @property
    def resolution(self) -> float:
        """Changes of Q below this are rounding error, not improvement."""
        return 1e-10 * max(abs(self.value), np.finfo(float).tiny)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Change of Q for each position that ``variable`` could end at, (d,)."""
        here = self.order.positions[variable]
        return np.array(
            [
                0.0 if k == here else self.delta(self.order.insert(variable, k))
                for k in range(len(self.order))
            ]
        )

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Change of Q for exchanging the variables of each row of ``pairs`` (m, 2), (m,)."""
        return np.array([self.delta(self.order.swap(int(i), int(j))) for i, j in pairs])

    def insert(self, variable: int, position: int) -> None:
        """Move ``variable`` to ``position``."""
        self.reorder(self.order.insert(variable, position))

    def swap(self, i: int, j: int) -> None:
        """Exchange variables ``i`` and ``j``."""
        self.reorder(self.order.swap(i, j))

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Move each of ``visits`` in turn to its best place; the number of moves made."""
        moved = 0
        for variable in visits:
            profile = self.insertion_profile(int(variable))
            position = int(profile.argmin())
            if profile[position] < -self.resolution:
                self.insert(int(variable), position)
                moved += 1
        return moved

    def snapshot(self) -> Any:
        """What :meth:`restore` needs to come back to this solution."""
        return self.order

    def restore(self, snapshot: Any) -> None:
        """Come back to where ``snapshot`` was taken."""
        self.reorder(snapshot)

    def copy_from(self, other: Self) -> None:
        """Be equal to ``other`` to the last bit: the same moves have the same deltas from now on.

        :meth:`restore` comes back to a solution, but what was remembered on the way may differ.
        """
        vars(self).update(deepcopy(vars(other), {id(other.bound): other.bound}))

    def copy(self) -> Self:
        """An equal fit that moves on its own."""
        copy = object.__new__(type(self))
        copy.copy_from(self)
        return copy

    def swap_candidates(self) -> NDArray[np.int64]:
        """Pairs that a local search should evaluate, (m, 2): all unless that is expensive."""
        return self.all_pairs()

    def refresh(self) -> None:  # noqa: B027 - optional
        """Clear accumulated rounding error; nothing to do for a fit that is solved afresh."""

    def all_pairs(self) -> NDArray[np.int64]:
        """Every pair of variables, the earlier one first, (d(d-1)/2, 2)."""
        earlier, later = np.triu_indices(len(self.order), 1)
        variables = self.order.variables
        return np.column_stack([variables[earlier], variables[later]])
