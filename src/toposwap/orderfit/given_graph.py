"""The best parameters of a graph that somebody gives: every one of its edges, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.core.graph import acyclic_order
from toposwap.core.order import Order
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.base import BoundScore


def fit_graph(bound: BoundScore, edges: NDArray[np.bool_], name: str = "the graph") -> Any:
    """Argmin of Q over the parameters of ``edges`` (d, d), a DAG; ``bound`` is left as it was.

    Each edge is required, so that no penalty on its size or its presence is asked for it.
    """
    order = Order(acyclic_order(edges, name))
    before = reachability(edges)
    before &= ~np.eye(len(edges), dtype=bool)
    return bound.under(Admissible(edges, before, edges)).fit(order).parameters()
