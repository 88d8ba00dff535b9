r"""Scores whose parameters cannot be solved node by node.

Each order is one optimisation over all parameters, with :math:`\theta_{ij} = 0` for every ``i``
that does not precede ``j``.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from toposwap.orderfit.base import OrderFit
from toposwap.scores.base import BoundScore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.core.order import Order


class JointScore(BoundScore):
    """A Q that does not separate: a bound score given by one solver for all its parameters.

    A subclass writes :meth:`solve` and :meth:`evaluate`.
    """

    @abstractmethod
    def solve(self, allowed: NDArray[np.bool_], warm: Any | None) -> tuple[Any, float]:
        """Minimise Q over the parameters of permitted edges.

        Parameters
        ----------
        allowed
            (d, d) of bool: ``allowed[i, j]`` tells whether i -> j may be present. Acyclic, the
            diagonal False; not to be kept or changed.
        warm
            Parameters to start from, possibly with edges that are not allowed; None for none.

        Returns
        -------
        parameters, value
            A stationary point, the minimum if Q is convex, and Q there; edges that are not allowed
            are exactly zero. The parameters are a new object, which later solves may start from.
        """

    def fit(self, order: Order) -> JointFit:
        """Solve all parameters for ``order``, from no start."""
        return JointFit(self, order)


class _Tried(NamedTuple):
    """An order, its solution and Q there: one optimisation that was paid for."""

    order: Order
    parameters: Any
    value: float


class JointFit(OrderFit):
    """One global solution, refitted as a whole for each order that is tried."""

    def __init__(self, bound: JointScore, order: Order) -> None:
        self.bound: JointScore = bound
        self._parameters: Any = None
        self._best: _Tried | None = None
        self._deltas: dict[Order, float] = {}
        self._carry_out(self._solve(order))

    def delta(self, order: Order) -> float:
        """Solve for ``order`` from the current parameters."""
        if order not in self._deltas:
            self.bound.deadline.check()
            tried = self._solve(order)
            # A search carries out the best of what it has evaluated.
            if self._best is None or tried.value < self._best.value:
                self._best = tried
            self._deltas[order] = tried.value - self.value
        return self._deltas[order]

    def reorder(self, order: Order) -> None:
        """Solve for ``order`` and stay there, unless its delta was the best: then it is solved."""
        self._carry_out(self._solve(order))

    def parameters(self) -> Any:
        """The solution at the current order, as ``bound.solve`` returned it."""
        return self._parameters

    def snapshot(self) -> _Tried:
        """Order, parameters and Q: :meth:`restore` then solves nothing."""
        return _Tried(self.order, self._parameters, self.value)

    def restore(self, snapshot: _Tried) -> None:
        """Nothing is solved again: a score that is not convex might end elsewhere."""
        self._carry_out(snapshot)

    def _carry_out(self, tried: _Tried) -> None:
        self.order, self._parameters, self.value = tried
        self._best = None
        self._deltas = {}

    def _solve(self, order: Order) -> _Tried:
        if self._best is not None and self._best.order == order:
            return self._best
        return _Tried(order, *self.bound.solve(self.bound.candidates(order), self._parameters))
