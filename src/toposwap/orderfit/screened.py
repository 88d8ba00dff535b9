"""Fits whose exact deltas are expensive and whose rough deltas are not."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toposwap.orderfit.base import OrderFit

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline


class ScreenedFit(OrderFit):
    """What :class:`~toposwap.search.screened.ScreenedSearch` asks for besides exact deltas."""

    @abstractmethod
    def roughly(self) -> AbstractContextManager[None]:
        """A context in which nodes are solved to fewer digits than the certificate asks for.

        Deltas and moves agree with each other in it as ever, and :meth:`parameters` are those of
        the moment; :meth:`polish` solves to the end.
        """

    @abstractmethod
    def screened_profile(self, variable: int, reach: int) -> NDArray[np.float64]:
        """Roughly the delta of moving ``variable`` up to ``reach`` places, (d,), else infinity.

        Where ``variable`` stands it is infinity too.
        """

    @abstractmethod
    def restart_nodes(self, deadline: Deadline) -> float:
        """Fit nodes from further random starts, keep what is better; by how much Q fell, >= 0."""

    @abstractmethod
    def missing_gradient(self) -> NDArray[np.float64]:
        """How steeply Q would fall with weights that the order does not allow, (d, d)."""
