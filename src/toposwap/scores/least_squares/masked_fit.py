"""Least squares where a few edges are ruled out: the factor pair, and what nodes do without."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.kernels.least_squares import masked_pair
from toposwap.kernels.least_squares.masked_pair import Masked
from toposwap.orderfit.base import ImprovingSwaps, OrderFit
from toposwap.scores.least_squares.fit import LeastSquaresFit
from toposwap.scores.least_squares.score import BoundLeastSquares

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from toposwap.core.admissible import Admissible
    from toposwap.core.order import Order
    from toposwap.scores.base import Point

#: Parents that a node may have to do without for this to be faster than solving it by itself.
MOST = 8
#: Columns up to which all swaps are evaluated, each by a factorisation.
_MOST_SWAPPED = 20


def banned_parents(admissible: Admissible, d: int) -> NDArray[np.bool_]:
    """``[w, v]`` (d, d): v may stand before w, and must not be its parent."""
    assert admissible.parents is not None
    banned = ~admissible.parents.T & ~np.eye(d, dtype=bool)
    return banned if admissible.before is None else banned & ~admissible.before


class MaskedLeastSquaresFit(LeastSquaresFit):
    """The factor pair with the tables of :mod:`toposwap.kernels.least_squares.masked_pair`."""

    kernels = masked_pair
    leaves_by_rounds: ClassVar[bool] = False

    def __init__(self, bound: BoundLeastSquares, order: Order) -> None:
        d = bound.data.d
        banned = banned_parents(bound.admissible, d)
        most = int(banned.sum(axis=1).max(initial=1))
        self._masked = Masked(
            banned,
            np.zeros((d, 1 + most), dtype=np.int64),
            np.zeros((d, most, most)),
            np.zeros((d, 1 + most)),
        )
        self._weights: NDArray[np.float64] | None = None
        super().__init__(bound, order)

    @property
    def value(self) -> float:  # type: ignore[override]
        """1/2 sum_k R_kk^2 (1 + |y_k|^2) in the units of the data."""
        variance = self._diagonal**2 * self._masked.along[self._order, 0]
        return self.bound.value_of(variance, self.bound.cost[self._order])

    def delta(self, order: Order) -> float:
        """Factorise the data in ``order``."""
        return MaskedLeastSquaresFit(self.bound, order).value - self.value

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """By a factorisation each."""
        return OrderFit.swap_changes(self, pairs)

    def improving_swaps(self) -> ImprovingSwaps:
        """Of :meth:`swap_candidates`."""
        return OrderFit.improving_swaps(self)

    def swap_candidates(self) -> NDArray[np.int64]:
        """All pairs of a few columns; of many none, as insertions can stand in for them."""
        few = len(self.order) <= _MOST_SWAPPED
        return self.all_pairs() if few else np.empty((0, 2), dtype=np.int64)

    def point(self) -> Point:
        """Q and its derivatives at :meth:`parameters`."""
        return self.bound.evaluate(self.parameters())

    def insert(self, variable: int, position: int) -> None:
        """Move, and forget the coefficients."""
        super().insert(variable, position)
        self._weights = None

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """Sweep, and forget the coefficients if anything moved."""
        moved = super().insertion_sweep(visits)
        if moved:
            self._weights = None
        return moved

    def _gaining(self, visits: NDArray[np.int64]) -> NDArray[np.int64]:
        """All: the prices of the pair alone are those of every predecessor as a parent."""
        return visits

    def parameters(self) -> NDArray[np.float64]:
        """W, worked out once for an order."""
        if self._weights is None:
            self._weights = self._coefficients()
        return self._weights.copy()

    def _coefficients(self) -> NDArray[np.float64]:
        r"""The coefficients on all predecessors, less what those ruled out stood for.

        .. math:: w_B = \beta_B - \Theta_{BG} \Theta_{GG}^{-1} \beta_G, \qquad
                  \Theta_{GG}^{-1} \beta_G = - R_{kk} L^{-\top} y,

        of all nodes at once: :math:`\Theta_{\cdot G} = V_{<k}^\top V_{<k, G}` is one product.
        """
        bound, d = self.bound, len(self._order)
        if bound.delicate:
            allowed = bound.candidates(self.order)
            return bound.assemble([bound.fit_node(v, allowed[:, v], None) for v in range(d)])
        V = np.tril(self._pair[:, self._order], -1)
        V[np.diag_indices(d)] = 1.0 / self._diagonal
        inside, lower, along = (table[self._order] for table in self._masked[1:])
        # Positions are rows and columns from here on: column k belongs to the node at k.
        size = inside[:, 0]
        unused = np.arange(lower.shape[1]) >= size[:, None]
        L = np.where(unused[:, :, None] | unused[:, None, :], 0.0, np.tril(lower))
        L += np.eye(L.shape[1]) * unused[:, :, None]
        y = np.where(unused, 0.0, along[:, 1:])
        stood_for = np.linalg.solve(L.transpose(0, 2, 1), y[:, :, None])[:, :, 0]
        combined = np.zeros((d, d))
        for i in range(int(size.max(initial=0))):
            some = np.flatnonzero(size > i)
            column = self._position[inside[some, 1 + i]]
            combined[:, some] += V[:, column] * stood_for[some, i]
        earlier = np.triu(np.ones((d, d), dtype=bool), 1)
        beta = V.T @ np.where(earlier, combined, 0.0) - V.T
        beta = np.where(earlier, beta * self._diagonal, 0.0)
        for i in range(int(size.max(initial=0))):
            some = np.flatnonzero(size > i)
            beta[self._position[inside[some, 1 + i]], some] = 0.0
        weights = np.empty((d, d))
        weights[np.ix_(self._order, self._order)] = beta
        return weights * bound.scale / bound.scale[:, None]

    @property
    def _state(self) -> tuple[Any, ...]:
        return *super()._state, self._masked

    def _factorise(self, order: NDArray[np.int64]) -> None:
        super()._factorise(order)
        self._weights = None
        masked_pair.settle(
            self._pair, self._diagonal, self._order, self._position, self._masked, 0, order.size - 1
        )
