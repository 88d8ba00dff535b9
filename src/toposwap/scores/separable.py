r"""Scores that are sums over nodes, :math:`Q(\Theta) = \sum_j Q_j(\theta_j)`.

One verb, ``fit_node``, is enough: the price of a move is the sum over the nodes whose set of
predecessors changes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.order import Order
from toposwap.scores.base import BoundScore, OrderFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REMEMBERED_FITS = 4096


@dataclass(frozen=True, eq=False)
class NodeFit:
    """The solution of one node: its part of Q and its parameters."""

    value: float
    parameters: Any


class SeparableScore(BoundScore):
    """A bound score given by its nodes."""

    @abstractmethod
    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Minimise Q_node with parents among ``allowed`` (d,), starting from ``warm`` if given."""

    @abstractmethod
    def assemble(self, nodes: list[NodeFit]) -> Any:
        """Put the parameters of all nodes together for :meth:`evaluate`."""

    def fit(self, order: Order) -> SeparableFit:
        """Fit every node to its predecessors."""
        return SeparableFit(self, order)

    def best_order(self) -> Order | None:
        r"""Dynamic programming over sets, :math:`2^d d` node fits.

        B(S) = min_{v in S} B(S - v) + Q_v(S - v), exact because Q is a sum.
        """
        d = self.data.d
        best = np.full(1 << d, np.inf)
        last = np.zeros(1 << d, dtype=np.int8)
        best[0] = 0.0
        bits = 1 << np.arange(d)
        for subset in range((1 << d) - 1):
            allowed = (subset & bits) != 0
            for v in np.flatnonzero(~allowed):
                total = best[subset] + self.fit_node(int(v), allowed, None).value
                if total < best[subset | bits[v]]:
                    best[subset | bits[v]] = total
                    last[subset | bits[v]] = v
        order = []
        subset = (1 << d) - 1
        while subset:
            order.append(int(last[subset]))
            subset ^= int(bits[order[-1]])
        return Order(order[::-1])


class SeparableFit(OrderFit):
    """Node fits at the current order, with a memory of recent ones."""

    def __init__(self, bound: SeparableScore, order: Order) -> None:
        self.bound: SeparableScore = bound
        self._memory: OrderedDict[tuple[int, bytes], NodeFit] = OrderedDict()
        self._nodes: list[NodeFit | None] = [None] * bound.data.d
        self.reorder(order)

    def price(self, order: Order) -> float:
        """Refit the nodes whose predecessors differ between the two orders."""
        return sum(
            self._fit_node(v, order).value - self._node(v).value for v in self._affected(order)
        )

    def reorder(self, order: Order) -> None:
        """Refit what changed."""
        nodes = list(self._nodes)
        for v in range(self._d) if nodes[0] is None else self._affected(order):
            nodes[v] = self._fit_node(v, order)
        # Assigned at once: an interruption leaves the previous solution whole.
        self._nodes, self.order = nodes, order
        self.value = float(sum(self._node(v).value for v in order))

    def parameters(self) -> Any:
        """The parameters of all nodes together."""
        return self.bound.assemble([self._node(v) for v in range(self._d)])

    @property
    def _d(self) -> int:
        return len(self._nodes)

    def _node(self, v: int) -> NodeFit:
        node = self._nodes[v]
        assert node is not None
        return node

    def _affected(self, order: Order) -> list[int]:
        """Variables whose set of predecessors is not the same in ``order``."""
        changed = np.flatnonzero(order.variables != self.order.variables)
        if changed.size == 0:
            return []
        old, new = set[int](), set[int]()
        affected: list[int] = []
        for k in range(changed[0], changed[-1] + 1):
            if order[k] != self.order[k] or old != new:
                affected.append(order[k])
            old.add(self.order[k])
            new.add(order[k])
        return affected

    def _fit_node(self, v: int, order: Order) -> NodeFit:
        allowed = order.positions < order.positions[v]
        key = (v, np.packbits(allowed).tobytes())
        known = self._memory.get(key)
        if known is None:
            known = self.bound.fit_node(v, allowed, self._nodes[v])
            self._memory[key] = known
            if len(self._memory) > _REMEMBERED_FITS:
                self._memory.popitem(last=False)
        else:
            self._memory.move_to_end(key)
        return known
