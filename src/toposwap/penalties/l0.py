"""L0 penalties: a weight for each edge, given or that of an information criterion."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.penalties.base import EdgePenalty

if TYPE_CHECKING:
    from numpy.typing import NDArray


class L0(EdgePenalty):
    """rho(w) = weight * [w != 0].

    Parameters
    ----------
    weight
        Penalty of an edge, whatever its coefficient; the units of the columns do not matter to it.
    """

    name: ClassVar[str] = "l0"

    def __init__(self, weight: float) -> None:
        self.weight = checked("L0 weight", weight)

    def value(self, W: NDArray[np.float64]) -> float:
        """Weight * number of edges."""
        return self.weight * int(np.count_nonzero(W))


class BIC(EdgePenalty):
    r"""rho(w) = factor * log(n) / (2n) * [w != 0].

    With the Gaussian likelihood 2n Q = sum_j n log ||x_j - f_j||^2 + factor * log(n) * edges. For
    logistic and Poisson losses, which are -1/n log-likelihoods too, it is the same criterion.

    Parameters
    ----------
    factor
        1 is Schwarz's criterion; larger values ask for more evidence.
    """

    name: ClassVar[str] = "bic"

    def __init__(self, factor: float = 2.0) -> None:
        self.factor = checked("BIC factor", factor)

    def bind(self, n: int, d: int) -> L0:  # noqa: ARG002 - the number of columns plays no part
        """l0 with the weight for ``n`` rows."""
        return L0(self.factor * log(n) / (2 * n))

    def value(self, W: NDArray[np.float64]) -> float:  # noqa: ARG002
        """Refuse: the weight of an edge is not known before :meth:`bind`."""
        raise _unbound(self)


class EBIC(BIC):
    r"""rho(w) = (factor * log(n) + 4 gamma * log(d)) / (2n) * [w != 0].

    The extended criterion of Foygel and Drton: with many columns there are more edges that look
    right by chance.

    Parameters
    ----------
    factor
        As for :class:`BIC`.
    gamma
        0 is BIC; 0.5 and 1 are usual.
    """

    name: ClassVar[str] = "ebic"

    def __init__(self, factor: float = 2.0, gamma: float = 0.5) -> None:
        self.factor = checked("EBIC factor", factor)
        self.gamma = checked("EBIC gamma", gamma)

    def bind(self, n: int, d: int) -> L0:
        """l0 with the weight for ``n`` rows and ``d`` columns."""
        return L0((self.factor * log(n) + 4.0 * self.gamma * log(d)) / (2 * n))


def _unbound(penalty: EdgePenalty) -> InputError:
    return InputError(f"{penalty!r}: the weight depends on the data; call bind(n, d) first")
