"""What a search by chains of local optima asks of a fit, beyond the verbs that all fits have."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from toposwap.core.runtime.deadline import NEVER
from toposwap.orderfit.base import OrderFit

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.core.runtime.deadline import Deadline


class FitChain(Protocol):
    """A chain of local optima on its way."""

    @property
    def steps(self) -> int:
        """Perturbations made so far."""

    @property
    def best_at(self) -> int:
        """After how many of them the best optimum was met."""

    def advance(self, steps: int) -> None:
        """Perturb and descend ``steps`` times; what n steps lead to does not depend on the rest."""

    def best(self) -> Any:
        """A snapshot of the best optimum met, for :meth:`OrderFit.restore` of any fit here."""


class OrderTables(Protocol):
    """Orders whose costs are looked up, each node having a few candidates."""

    def walk(self, order: Order, steps: int, seed: int) -> tuple[Order, float]:
        """The best order that a chain of ``steps`` perturbations from ``order`` meets, and its Q.

        Q is that of :attr:`ChainFit.nodes_value`, with candidates alone.
        """

    def parents(self, order: Order) -> NDArray[np.bool_]:
        """The parents that ``order`` wants, (d, d): ``[i, j]`` for i -> j."""


class ChainFit(OrderFit):
    """A fit whose score has compiled chains of local optima: one of the two kinds below."""

    @property
    def quickly_proved(self) -> int:
        """Columns up to which the best of all orders is found in about a second."""
        return 18

    @property
    def effort(self) -> float:
        """How many perturbations are worth their time, as a share of the usual number."""
        return 1.0

    @property
    def patience(self) -> float:
        """How many without a better optimum end a chain, as a share of the usual number."""
        return self.effort

    @abstractmethod
    def rough_descent(self, swept: Callable[[int], None] | None = None) -> None:
        """Descend by insertions with rougher solutions, then solve.

        Quick from far away, and no local optimum. ``swept`` is called after each sweep with the
        number of variables that it moved; a descent that is begun again there does the same.
        """

    def improve_single_edges(self) -> int:
        """Add, exchange or turn edges one by one while that lowers Q; how many were changed.

        By default none: what insertions leave is all that is looked at.
        """
        return 0

    @abstractmethod
    def adjacency(self) -> NDArray[np.bool_]:
        """The edges at the solution, (d, d): ``[i, j]`` for i -> j."""

    def parent_sets(
        self, limits: NDArray[np.float64] | None = None, deadline: Deadline = NEVER
    ) -> list[tuple[NDArray[np.uint64], NDArray[np.float64]]] | None:
        """For each node the sets of parents that some order may want, as bits, and their scores.

        Those of node v that are below ``limits[v]``. None where the score is no sum over nodes,
        there are too many, or time is up; by default.
        """
        del limits, deadline
        return None

    def least_parents(self) -> Callable[[int, int], float] | None:
        """What nodes cost at the least, for :func:`~toposwap.orderfit.relaxation.relax`.

        None where the score is no sum over nodes, and by default.
        """
        return None

    @abstractmethod
    def take_parents(self, order: Order, parents: NDArray[np.bool_]) -> None:
        """Stand at ``order`` with the edges ``parents`` (d, d)."""

    @property
    @abstractmethod
    def nodes_value(self) -> float:
        """The sum of the nodes' scores as :meth:`parent_sets` counts them: Q but for a constant."""

    @property
    @abstractmethod
    def temperature(self) -> float:
        """The difference of Q at which one graph has odds of e to 1 against another."""


class WalkingFit(ChainFit):
    """A fit that is itself perturbed and descends again."""

    @abstractmethod
    def chain(self, seed: int) -> FitChain:
        """Descend from here and begin a chain, which moves this fit and nobody else may.

        Parameters
        ----------
        seed
            Determines the whole chain, together with where the fit stands.
        """


class TabledFit(ChainFit):
    """A fit whose nodes can be tabled for all sets of a few candidates."""

    @abstractmethod
    def descend(self) -> None:
        """To a local optimum under insertions and under changes of any single edge."""

    @abstractmethod
    def rebuild(self, snapshot: Any) -> None:
        """Like :meth:`restore`, but nothing that was computed before is kept, to the last bit."""

    @abstractmethod
    def tables(self, candidates: NDArray[np.bool_]) -> OrderTables:
        """The costs of all orders if u may be a parent of z only where ``candidates[z, u]``."""
