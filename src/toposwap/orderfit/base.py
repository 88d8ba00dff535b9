r"""The solution :math:`\Theta^*_\pi` at an order, the deltas of Q from there, and the moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.core.runtime.deadline import Deadline
    from toposwap.scores.base import BoundScore, Point


class OrderFit(ABC):
    r"""The solution :math:`\Theta^*_\pi` at a current order, and the way to other orders.

    A fit stands at one order at a time. *Deltas* are changes of Q from there and leave the fit
    where it is; *moves* bring it to another order, and a move whose delta was asked for ends at the
    Q that the delta told. Deltas of moves that ``bound.positions`` does not permit are infinite.

    Subclasses provide :meth:`delta`, :meth:`reorder` and :meth:`parameters`; the rest is derived
    from these and may be overridden with something faster.
    """

    bound: BoundScore
    order: Order
    #: Q at the solution.
    value: float

    # --- the solution ----------------------------------------------------------------------------

    @abstractmethod
    def parameters(self) -> Any:
        """Theta at the solution, as :meth:`BoundScore.evaluate` takes it.

        Edges outside ``bound.candidates(order)`` are exactly zero.
        """

    def point(self) -> Point:
        """Q and its derivatives at the solution."""
        return self.bound.evaluate(self.parameters())

    @property
    def resolution(self) -> float:
        """Changes of Q below this are rounding error, not improvement."""
        return 1e-10 * max(abs(self.value), np.finfo(float).tiny)

    def refresh(self) -> None:  # noqa: B027 - optional
        """Clear accumulated rounding error, and solve to the end what was solved roughly.

        Nothing to do for a fit that is solved afresh. Q does not rise by more than rounding error.
        """

    def polish(self, deadline: Deadline) -> None:  # noqa: ARG002 - cheap but for a few
        """:meth:`refresh` as far as it can be begun before ``deadline``.

        What is left then stays as it is, and :meth:`parameters` returns it so.
        """
        self.refresh()

    # --- deltas ----------------------------------------------------------------------------------

    @abstractmethod
    def delta(self, order: Order) -> float:
        r""":math:`Q(\Theta^*_{\pi'}) - Q(\Theta^*_\pi)` for another order :math:`\pi'`.

        Parameters
        ----------
        order
            Any order that is permitted.

        Returns
        -------
        float
            Exact to within :attr:`resolution` where a node has one solution; where it may have
            several, the change that :meth:`reorder` will bring about.
        """

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Deltas for each position that ``variable`` could end at, (d,).

        Zero where it stands, infinite where it must not.
        """
        here = self.order.positions[variable]
        profile = np.full(len(self.order), np.inf)
        for k in self.bound.positions(self.order, variable):
            profile[k] = 0.0 if k == here else self.delta(self.order.insert(variable, k))
        return profile

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Deltas (m,) for exchanging the variables of each row of ``pairs`` (m, 2)."""
        changes = np.full(len(pairs), np.inf)
        for row, (i, j) in enumerate(pairs.tolist()):
            order = self.order.swap(i, j)
            if self.bound.admissible.obeys(order):
                changes[row] = self.delta(order)
        return changes

    def swap_candidates(self) -> NDArray[np.int64]:
        """Pairs that a local search should evaluate, (m, 2): all unless that is expensive."""
        return self.all_pairs()

    def all_pairs(self) -> NDArray[np.int64]:
        """Every pair of variables, the earlier one first, (d(d-1)/2, 2)."""
        earlier, later = np.triu_indices(len(self.order), 1)
        variables = self.order.variables
        return np.column_stack([variables[earlier], variables[later]])

    # --- moves -----------------------------------------------------------------------------------

    @abstractmethod
    def reorder(self, order: Order) -> None:
        """Make ``order``, which must be permitted, the current one and solve it."""

    def insert(self, variable: int, position: int) -> None:
        """Take ``variable`` out and put it where it ends up at ``position``."""
        self.reorder(self.order.insert(variable, position))

    def swap(self, i: int, j: int) -> None:
        """Exchange the places of variables ``i`` and ``j``."""
        self.reorder(self.order.swap(i, j))

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Move each of ``visits`` in turn to its best place; the number of moves made.

        Every move lowers Q by more than :attr:`resolution`.
        """
        moved = 0
        for variable in visits:
            profile = self.insertion_profile(int(variable))
            position = int(profile.argmin())
            if profile[position] < -self.resolution:
                self.insert(int(variable), position)
                moved += 1
        return moved

    # --- ways back, and copies -------------------------------------------------------------------

    def snapshot(self) -> Any:
        """What :meth:`restore` needs to come back to this solution."""
        return self.order

    def restore(self, snapshot: Any) -> None:
        """Come back to the solution where ``snapshot`` was taken, with its Q."""
        self.reorder(snapshot)

    def copy_from(self, other: Self) -> None:
        """Be equal to ``other`` to the last bit: the same moves have the same deltas from now on.

        :meth:`restore` comes back to a solution, but what was remembered on the way may differ.
        """
        vars(self).update(deepcopy(vars(other), {id(other.bound): other.bound}))

    def copy(self) -> Self:
        """An equal fit that moves on its own; both share ``bound``."""
        fit = object.__new__(type(self))
        fit.copy_from(self)
        return fit
