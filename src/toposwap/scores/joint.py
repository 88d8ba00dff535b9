r"""Scores whose parameters cannot be solved node by node.

Each order is one optimisation over all parameters, with :math:`\theta_{ij} = 0` for every ``i``
that does not precede ``j``.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from toposwap.scores.base import BoundScore, OrderFit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.order import Order


class JointScore(BoundScore):
    """A bound score given by one solver for all parameters."""

    @abstractmethod
    def solve(self, allowed: NDArray[np.bool_], warm: Any | None) -> tuple[Any, float]:
        """Minimise Q with ``allowed[i, j]`` (d, d) telling which edges may be present.

        Returns the parameters and Q there; ``warm`` holds parameters to start from, possibly with
        edges that are no longer allowed.
        """

    def fit(self, order: Order) -> JointFit:
        """Solve once for ``order``."""
        return JointFit(self, order)


class JointFit(OrderFit):
    """One global solution, refitted as a whole for each order that is tried."""

    def __init__(self, bound: JointScore, order: Order) -> None:
        self.bound: JointScore = bound
        self._parameters: Any = None
        self._tried: tuple[Order, Any, float] | None = None
        self.reorder(order)

    def price(self, order: Order) -> float:
        """Solve for ``order`` from the current parameters."""
        _, value = self._solve(order)
        return value - self.value

    def reorder(self, order: Order) -> None:
        """Solve for ``order`` and stay there."""
        self._parameters, self.value = self._solve(order)
        self.order = order

    def parameters(self) -> Any:
        """The solution of the last order."""
        return self._parameters

    def _solve(self, order: Order) -> tuple[Any, float]:
        # The best move is usually carried out right after it was priced.
        if self._tried is None or self._tried[0] != order:
            allowed = order.positions[:, None] < order.positions
            self._tried = (order, *self.bound.solve(allowed, self._parameters))
        return self._tried[1:]
