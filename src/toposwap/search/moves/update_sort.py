"""UpdateSort: the new order that a pair (i, j) suggests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.graph import topological_order
from toposwap.core.order import Order

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def swapped(order: Order, i: int, j: int) -> Order:
    """Option 1: exchange the places of ``i`` and ``j``."""
    return order.swap(i, j)


def with_edge(
    order: Order,
    weights: NDArray[np.float64],
    i: int,
    j: int,
    admissible: Admissible = EVERYTHING,
) -> Order:
    r"""Option 2: a topological order of the graph of ``weights`` with the edge i -> j added.

    A step of :math:`-\epsilon\, \partial Q / \partial \theta_{ij}` makes the weight of the edge
    non-zero, and that is all its size matters for. Of the many orders of the new graph, the one
    closest to ``order`` is taken. There is one whenever there is no directed walk from j to i, what
    must come before what counting as an edge.
    """
    adjacency = weights != 0.0
    if admissible.before is not None:
        adjacency |= admissible.before
    adjacency[i, j] = True
    variables = topological_order(adjacency, order.variables)
    if variables is None:
        raise ValueError(f"adding {i} -> {j} closes a cycle: there is a walk from {j} to {i}")
    return Order(variables)
