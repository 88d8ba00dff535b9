r"""The loss of one node in units of its own.

With the target divided by a size D, a power of two, a loss of the residual variance is

.. math:: \bigl( \varphi(s D^2) - \text{origin} \bigr) / \text{unit}, \qquad
          s = \tfrac1n \lVert y - f \rVert^2 ,

the unit being D^2 for squares and 1 for a loss without units, and the origin what is left of
:math:`\varphi` when all is divided by D: log D for the logarithm, else 0. So solvers meet numbers
of the size of 1, whatever the units of the column are. Losses that are sums over rows have targets
without units, and D = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.kernels.mlp.network import Formula
from toposwap.losses import MomentLoss, RowLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses import ColumnLoss


@dataclass(frozen=True, eq=False)
class NodeLoss:
    """A loss, and the size D that its target was divided by."""

    loss: ColumnLoss
    size: float = 1.0

    @property
    def by_rows(self) -> bool:
        """Whether it is a sum over rows, and not a function of the residual variance."""
        return isinstance(self.loss, RowLoss)

    @cached_property
    def unit(self) -> float:
        """What one is worth in the units of the data."""
        return self.loss.unit(self.size) if isinstance(self.loss, MomentLoss) else 1.0

    @cached_property
    def origin(self) -> float:
        """What zero is worth in the units of the data."""
        if not isinstance(self.loss, MomentLoss):
            return 0.0
        return self.loss.of_variance(1.0, 1, self.size)[0] - (
            self.unit * self.loss.of_variance(1.0, 1)[0]
        )

    def in_data(self, value: float) -> float:
        """A value, penalties included, in the units of the data."""
        return self.unit * value + self.origin

    @cached_property
    def formula(self) -> Formula:
        """As kernels take it."""
        assert isinstance(self.loss, MomentLoss | RowLoss)
        given = self.loss.parameters if isinstance(self.loss, RowLoss) else ()
        parameters = np.array(given, dtype=np.float64)
        address = self.loss.terms.address
        return Formula(self.by_rows, address, parameters, self.size, self.unit, self.origin)

    def terms(
        self, y: NDArray[np.floating[Any]], f: NDArray[np.floating[Any]]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64] | float, float]:
        """The loss at ``f`` (n,), its negative slope r (n,), its curvature by row, the coupling c.

        The second derivative by f is diag(curvature) + c r r'; a sum over rows has c = 0.
        """
        n, loss = f.size, self.loss
        if isinstance(loss, RowLoss):
            slope, curvature = np.empty(n), np.empty(n)
            eta, target = f.astype(np.float64), y.astype(np.float64)
            parameters = np.array(loss.parameters, dtype=np.float64)
            value, _ = loss.terms(eta, target, np.full(n, 1.0 / n), parameters, slope, curvature)
            return value, -slope, curvature, 0.0
        assert isinstance(loss, MomentLoss)
        r = y - f
        # What rounding leaves of a residual, so that a perfect fit has a logarithm.
        least = float(np.finfo(r.dtype).eps) ** 2 * float(y @ y) / n
        value, rate, bend = loss.of_variance(max(float(r @ r) / n, least), n, self.size)
        share = n / (2.0 * rate)
        return (value - self.origin) / self.unit, r / share, 1.0 / share, bend / rate**2
