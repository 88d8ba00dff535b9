r"""Scores that are sums over nodes, :math:`Q(\Theta) = \sum_j Q_j(\theta_j)`.

One verb, ``fit_node``, is enough: the delta of a move is the sum over the nodes whose set of
predecessors changes, see :mod:`~toposwap.orderfit.separable`. Sparse scores say with each
solution which changes would matter to it, so that most nodes need not be fitted again.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toposwap.orderfit.exact import best_order, members
from toposwap.scores.base import BoundScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.orderfit.separable import SeparableFit


@dataclass(frozen=True, eq=False)
class NodeFit:
    """The solution of one node: its part of Q and its parameters.

    Attributes
    ----------
    value
        Q_node.
    parameters
        Whatever :meth:`SeparableScore.assemble` takes.
    support
        (d,): the solution would change if this variable were no longer allowed. None: any would.
    violating
        (d,): the solution would change if this variable, now absent, were allowed. None: any would.
    """

    value: float
    parameters: Any
    support: NDArray[np.bool_] | None = None
    violating: NDArray[np.bool_] | None = None


class SeparableScore(BoundScore):
    """A bound score given by its nodes."""

    @abstractmethod
    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Minimise Q_node with parents among ``allowed`` (d,), starting from ``warm`` if given."""

    #: Several nodes at once cost less than one by one, so that deltas should be asked for together.
    batches: bool = False

    def fit_nodes(
        self, wanted: Sequence[tuple[int, NDArray[np.bool_], NodeFit | None]]
    ) -> list[NodeFit]:
        """:meth:`fit_node` for several nodes, or for one with several sets of candidates."""
        return [self.fit_node(node, allowed, warm) for node, allowed, warm in wanted]

    @abstractmethod
    def assemble(self, nodes: list[NodeFit]) -> Any:
        """Put the parameters of all nodes together for :meth:`evaluate`."""

    def fit(self, order: Order) -> SeparableFit:
        """Fit every node to its predecessors."""
        from toposwap.orderfit.separable import SeparableFit

        return SeparableFit(self, order)

    def best_order(self) -> Order | None:
        """Dynamic programming over sets of variables, ``2^d d`` node fits."""
        d = self.data.d
        return best_order(d, lambda v, subset: self.fit_node(v, members(subset, d), None).value)
