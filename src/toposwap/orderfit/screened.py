"""Fits whose exact deltas are expensive and whose rough deltas are not."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toposwap.orderfit.base import OrderFit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.core.order import Order


class ScreenedFit(OrderFit):
    """What :class:`~toposwap.search.screened.ScreenedSearch` asks for besides deltas."""

    #: Deltas and moves need not be exact to the tolerance of the certificate for the time being.
    loose: bool = False
    #: The order is where coarser scores led, so that they need not be asked again.
    approached: bool = False

    @abstractmethod
    def screened_profile(self, variable: int, reach: int) -> NDArray[np.float64]:
        """Roughly what it costs to move ``variable`` up to ``reach`` places, (d,), else infinity.

        Where ``variable`` stands it is infinity too.
        """

    @abstractmethod
    def restart_nodes(self) -> float:
        """Fit nodes from further random starts, keep what is better, and say what Q fell by."""

    @abstractmethod
    def missing_gradient(self) -> NDArray[np.float64]:
        """How steeply Q would fall with weights that the order does not allow, (d, d)."""

    @abstractmethod
    def pruned_order(self) -> Order:
        """An order of the graph that pruning leaves, as near to this one as it can be."""
