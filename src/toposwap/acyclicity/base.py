r"""What an acyclicity function is.

:math:`h(B) = \sum_{i \ge 1} c_i \operatorname{tr}(B^i)` with :math:`c_i > 0`, for
:math:`B = |W| \ge 0` of shape (d, d) (Condition 1 of the paper). Then :math:`h(B) = 0` iff ``B`` is
a DAG, and :math:`[\nabla h(B)]_{ij} > 0` iff there is a directed walk from ``j`` to ``i``.

Both statements are about zero patterns, so they are decided on the graph, exactly: only strongly
connected components add to h, and the zeros of the gradient are those of the reachability
relation. Floating point gives the sizes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.graph import square_matrix
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from toposwap.core.order import Order


class Acyclicity(ABC):
    """h and its gradient on B = |W|.

    A subclass writes :meth:`_trace`, :meth:`_walks` and :meth:`evaluate`, which give sizes;
    :meth:`value` and :meth:`gradient` put the zeros where the graph has them, exactly.
    """

    name: ClassVar[str]

    @abstractmethod
    def _trace(self, block: NDArray[np.float64], d: int) -> float:
        """Return sum_i c_i tr(block^i) for one strongly connected block of a (d, d) matrix."""

    @abstractmethod
    def _walks(self, nonnegative: NDArray[np.float64], order: Order | None) -> NDArray[np.float64]:
        """Return sum_i i c_i B^(i-1), (d, d): the transposed gradient; may overflow.

        ``order`` is a topological order of B if the caller knows one.
        """

    @abstractmethod
    def evaluate(self, nonnegative: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return h(B) and its gradient (d, d) from one computation, for B >= 0 of floats.

        For optimisers that call it thousands of times: sizes only, no zero patterns. Outside the
        function's domain, or beyond a double, h is infinite.
        """

    def value(self, weights: ArrayLike) -> float:
        """h(|W|) for ``weights`` (d, d): zero iff W is a DAG, else positive, however small W is."""
        nonnegative = np.abs(square_matrix(weights, "weights"))
        total = 0.0
        for members in cyclic_components(nonnegative != 0.0):
            block = nonnegative[np.ix_(members, members)]
            # A cycle of tiny weights must not vanish in underflow.
            total += max(self._trace(block, len(nonnegative)), np.finfo(float).tiny)
        return total

    def gradient(self, weights: ArrayLike, order: Order | None = None) -> NDArray[np.float64]:
        """dh/dB_ij at B = |W|, (d, d): positive iff there is a directed walk from j to i.

        Parameters
        ----------
        weights
            W, (d, d), with cycles or without.
        order
            A topological order of W if one is known, which saves looking for it.

        Returns
        -------
        array
            (d, d), zero exactly where there is no walk; entries too large for a double are
            infinite. Walks of length zero count, so the diagonal is positive.
        """
        nonnegative = np.abs(square_matrix(weights, "weights"))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            walks = self._walks(nonnegative, order)
        # 0 * inf stands for a sum in which some walk overflowed.
        walks[np.isnan(walks)] = np.inf
        np.maximum(walks, np.finfo(float).tiny, out=walks)
        walks[~_reach(nonnegative != 0.0, order)] = 0.0
        return walks.T

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def cyclic_components(adjacency: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Strongly connected sets of nodes that contain a cycle (self-loops count)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array(adjacency.astype(np.int8))
    _, label = connected_components(graph, directed=True, connection="strong")
    sizes = np.bincount(label)
    cyclic = set(np.flatnonzero(sizes > 1).tolist()) | set(label[np.diag(adjacency)].tolist())
    return [np.flatnonzero(label == component) for component in sorted(cyclic)]


def _reach(adjacency: NDArray[np.bool_], order: Order | None) -> NDArray[np.bool_]:
    """Reachability, read off the order when every pair of variables is adjacent."""
    d = len(adjacency)
    if order is not None and np.count_nonzero(adjacency) == d * (d - 1) // 2:
        return order.positions[:, None] <= order.positions
    return reachability(adjacency)
