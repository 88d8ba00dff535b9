r"""The solution :math:`\Theta^*_\pi` at an order, the deltas of Q from there, and the moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.core.runtime.deadline import Deadline
    from toposwap.scores.base import BoundScore, Point


class ImprovingSwaps(NamedTuple):
    """Swaps that lower Q, in no particular order.

    ``pairs`` (m, 2) and ``changes`` (m,) are as :meth:`OrderFit.swap_changes` takes and returns
    them; ``tried`` is the number of swaps that they are chosen from.
    """

    pairs: NDArray[np.int64]
    changes: NDArray[np.float64]
    tried: int


class OrderFit(ABC):
    r"""The solution :math:`\Theta^*_\pi` at a current order, and the way to other orders.

    A fit stands at one order at a time. *Deltas* are changes of Q from there and leave the fit
    where it is; *moves* bring it to another order, and a move whose delta was asked for ends at the
    Q that the delta told. Deltas of moves that ``bound.positions`` does not permit are infinite.

    Deltas raise :class:`~toposwap.core.runtime.deadline.TimeUp` instead of beginning something long
    after ``bound.deadline``; the fit then stands, whole, where the last move brought it.

    Subclasses provide :meth:`delta`, :meth:`reorder` and :meth:`parameters`; the rest is derived
    from these and may be overridden with something faster.

    Attributes
    ----------
    bound
        The score on its data, shared by all its fits.
    order
        Where the fit stands; it obeys ``bound.admissible``.
    value
        Q at the solution.
    """

    bound: BoundScore
    order: Order
    value: float
    #: Whether every solution satisfies the KKT conditions: they ask nothing of absent edges.
    always_stationary: ClassVar[bool] = False

    # --- the solution ----------------------------------------------------------------------------

    @abstractmethod
    def parameters(self) -> Any:
        """Theta at the solution, as :meth:`BoundScore.evaluate` takes it.

        Edges outside ``bound.candidates(order)`` are exactly zero.
        """

    def point(self) -> Point:
        """Q and its derivatives at the solution, as ``bound.evaluate`` computes them afresh.

        A fit that has them at hand may return its own; ``bound.evaluate`` then agrees with them.
        """
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
            Any order that is permitted; the current one has delta 0.

        Returns
        -------
        float
            Exact to within :attr:`resolution` where a node has one solution; where it may have
            several, the change that :meth:`reorder` will bring about.
        """

    def fine_delta(self, order: Order) -> float:
        """:meth:`delta`, with digits that are noise elsewhere.

        For an order at which the present solution is feasible and violates the KKT conditions, so
        that Q is sure to fall, by however little.
        """
        return self.delta(order)

    def change_since(self, snapshot: Any, value: float) -> float:  # noqa: ARG002
        """Q here minus Q at ``snapshot``, where it was ``value``.

        A sum over nodes tells changes that its total rounds away.
        """
        return self.value - value

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Deltas for each position that ``variable`` could end at.

        Parameters
        ----------
        variable
            The one that moves; the others keep their order.

        Returns
        -------
        array
            (d,): ``[k]`` is the delta of ``order.insert(variable, k)``, zero where it stands,
            infinite where it must not.
        """
        here = self.order.positions[variable]
        profile = np.full(len(self.order), np.inf)
        for k in self.bound.positions(self.order, variable):
            self.bound.deadline.check()
            profile[k] = 0.0 if k == here else self.delta(self.order.insert(variable, k))
        return profile

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Deltas of swaps.

        Parameters
        ----------
        pairs
            (m, 2): the two variables of each swap, in either order.

        Returns
        -------
        array
            (m,): each by itself from the current order; infinite for swaps that are not permitted.
        """
        changes = np.full(len(pairs), np.inf)
        for row, (i, j) in enumerate(pairs.tolist()):
            order = self.order.swap(i, j)
            self.bound.deadline.check()
            if self.bound.admissible.obeys(order):
                changes[row] = self.delta(order)
        return changes

    def swap_candidates(self) -> NDArray[np.int64]:
        """Pairs that a local search should evaluate, (m, 2): here all d(d-1)/2.

        A fit leaves out pairs whose deltas are expensive and which insertions can stand in for.
        """
        return self.all_pairs()

    def improving_swaps(self) -> ImprovingSwaps:
        """Those of :meth:`swap_candidates` that lower Q by more than :attr:`resolution`."""
        pairs = self.swap_candidates()
        changes = self.swap_changes(pairs)
        improving = changes < -self.resolution
        return ImprovingSwaps(pairs[improving], changes[improving], len(pairs))

    def all_pairs(self) -> NDArray[np.int64]:
        """Every pair of variables, the earlier one first, (d(d-1)/2, 2)."""
        earlier, later = np.triu_indices(len(self.order), 1)
        variables = self.order.variables
        return np.column_stack([variables[earlier], variables[later]])

    # --- moves -----------------------------------------------------------------------------------

    @abstractmethod
    def reorder(self, order: Order) -> None:
        """Go to ``order`` and solve it.

        Parameters
        ----------
        order
            Any order that is permitted. Afterwards it is the current one, and ``value`` has changed
            by its delta if that was asked for. An exception leaves a fit that :meth:`restore` can
            bring back.
        """

    def insert(self, variable: int, position: int) -> None:
        """Take ``variable`` out and put it where it ends up at ``position``, which is permitted."""
        self.reorder(self.order.insert(variable, position))

    def swap(self, i: int, j: int) -> None:
        """Exchange the places of variables ``i`` and ``j``, which is permitted."""
        self.reorder(self.order.swap(i, j))

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Move each of ``visits`` in turn to its best place.

        Parameters
        ----------
        visits
            Variables, (m,); each is moved from where its predecessors in the list have left it.

        Returns
        -------
        int
            How many moved. Every move lowers Q by more than :attr:`resolution`.
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
        """What :meth:`restore` needs to come back to this solution; moves do not change it."""
        return self.order

    def restore(self, snapshot: Any) -> None:
        """Come back to the solution where this fit's ``snapshot`` was taken, with its Q.

        It holds after any number of moves, and after one that an interruption cut in two.
        """
        self.reorder(snapshot)

    def state(self) -> Any:
        """All that the fit remembers but for ``bound``: arrays, containers and plain classes.

        What :meth:`resumed` makes of it is equal to this fit to the last bit.
        """
        return {name: value for name, value in vars(self).items() if name != "bound"}

    @classmethod
    def resumed(cls, bound: BoundScore, state: Any) -> Self:
        """The fit that was in this ``state``, on the same data."""
        fit = object.__new__(cls)
        fit.bound = bound
        vars(fit).update(state)
        return fit

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
