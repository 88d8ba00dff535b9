"""What a generator of candidate swaps is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


class Survey(ABC):
    """Candidates at one order, made on demand; of no use after the fit has moved."""

    #: Y(Theta, 0, 0), (m, 2): pairs (i, j) for which the KKT conditions fail, so that putting i
    #: before j is sure to lower a separable score (Lemma 3).
    violations: NDArray[np.int64]

    @abstractmethod
    def pairs(self, size: int) -> NDArray[np.int64]:
        """Pairs (i, j) to swap.

        Parameters
        ----------
        size
            About how many are asked for, at least 0.

        Returns
        -------
        array of int
            (m, 2), each i to come before its j. There may be fewer than ``size``, or none, or a few
            more where gradients are alike; swaps that are not permitted may be among them.
        """


class Candidates(ABC):
    """Proposes pairs of variables to swap, for :class:`~toposwap.search.PaperSearch`.

    Settings only; a subclass writes :meth:`survey`.
    """

    def begin(self, fit: OrderFit, rng: np.random.Generator) -> Candidates:  # noqa: ARG002
        """The candidates of one run, asked for at its start: these themselves, unless said.

        Parameters
        ----------
        fit
            At the starting order, not to be moved.
        rng
            For what is drawn once for the whole run.

        Returns
        -------
        Candidates
            Whose :meth:`survey` the run asks in each iteration.
        """
        return self

    @abstractmethod
    def survey(self, fit: OrderFit, rng: np.random.Generator) -> Survey:
        """Look around at the current order of ``fit``.

        Parameters
        ----------
        fit
            The solution at the order; asked for its derivatives or its pairs, and not moved.
        rng
            For candidates that are drawn, the only source of randomness.

        Returns
        -------
        Survey
            The violations of the KKT conditions there, and pairs to swap where there are none.
        """

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({settings})"
