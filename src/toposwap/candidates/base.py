"""What a generator of candidate swaps is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


class Survey(ABC):
    """Candidates at one order, made on demand."""

    #: Y(Theta, 0, 0), (m, 2): pairs (i, j) for which the KKT conditions fail, so that putting i
    #: before j is sure to lower a separable score (Lemma 3).
    violations: NDArray[np.int64]

    @abstractmethod
    def pairs(self, size: int) -> NDArray[np.int64]:
        """About ``size`` pairs (i, j) to swap, (m, 2)."""


class Candidates(ABC):
    """Proposes pairs of variables to swap."""

    @abstractmethod
    def survey(self, fit: OrderFit, rng: np.random.Generator) -> Survey:
        """Look around at the current order of ``fit``."""

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"
