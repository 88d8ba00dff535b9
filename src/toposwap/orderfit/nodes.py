r"""Scores that are sums over nodes, :math:`Q(\Theta) = \sum_j Q_j(\theta_j)`.

One verb, ``fit_node``, is enough: the delta of a move is the sum over the nodes whose set of
predecessors changes, see :mod:`~toposwap.orderfit.separable`. Sparse scores say with each
solution which changes would matter to it, so that most nodes need not be fitted again.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from toposwap.orderfit.exact import best_order, go_to
from toposwap.scores.base import BoundScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.orderfit.separable import SeparableFit


@dataclass(frozen=True, eq=False)
class NodeFit:
    """The solution of one node: its part of Q and its parameters.

    Attributes
    ----------
    value
        Q_node at the solution.
    parameters
        Whatever :meth:`SeparableScore.assemble` takes.
    support
        (d,) of bool: the solution would change if this variable were taken from the candidates,
        because it is a parent. None: any would change it.
    violating
        (d,) of bool: the solution would change if this variable, now no candidate, were one,
        because it violates the KKT conditions there. None: any would change it.
    """

    value: float
    parameters: Any
    support: NDArray[np.bool_] | None = None
    violating: NDArray[np.bool_] | None = None


class SeparableScore(BoundScore):
    """Q = sum_j Q_j(theta_j) on given data: a bound score given by its nodes.

    A subclass writes :meth:`fit_node`, :meth:`assemble` and :meth:`evaluate`; deltas and moves
    follow from these.
    """

    @abstractmethod
    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Minimise Q_node over the parameters of permitted parents.

        Parameters
        ----------
        node
            The variable whose term of Q it is.
        allowed
            (d,) of bool: who may be a parent; never ``node`` itself. Not to be kept or changed.
        warm
            The solution for another set of parents, to start from; None for none.

        Returns
        -------
        NodeFit
            A stationary point, the minimum if Q_node is convex. Parameters of variables outside
            ``allowed`` are exactly zero. A change of ``allowed`` that ``support`` and ``violating``
            do not name is taken to change nothing, and the node is not fitted again.
        """

    #: Several nodes at once cost less than one by one, so that deltas should be asked for together.
    batches: ClassVar[bool] = False

    def fit_nodes(
        self, wanted: Sequence[tuple[int, NDArray[np.bool_], NodeFit | None]]
    ) -> list[NodeFit]:
        """:meth:`fit_node` for several nodes, or for one with several sets of candidates.

        Parameters
        ----------
        wanted
            The arguments of each fit: node, ``allowed`` (d,), and ``warm`` or None.

        Returns
        -------
        list of NodeFit
            In the order of ``wanted``, each as :meth:`fit_node` would return it.
        """
        return [self.fit_node(node, allowed, warm) for node, allowed, warm in wanted]

    @abstractmethod
    def assemble(self, nodes: list[NodeFit]) -> Any:
        """Theta for :meth:`evaluate`, from the parameters of ``nodes``, d of them by number."""

    def fit(self, order: Order) -> SeparableFit:
        """Fit every node to its predecessors."""
        from toposwap.orderfit.separable import SeparableFit

        return SeparableFit(self, order)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Dynamic programming over sets of variables, up to ``2^(d-1) d`` fits of nodes."""

        def cost(v: int, before: NDArray[np.bool_]) -> float:
            self.deadline.check()
            return self.fit_node(v, before, None).value

        go_to(fit, best_order(self.data.d, cost, self.admissible))
        return True
