r"""The NOTEARS formulation: :math:`h(B) = \operatorname{tr}(e^B) - d`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.acyclicity.base import Acyclicity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.order import Order


class Exponential(Acyclicity):
    r""":math:`h(B) = \operatorname{tr}(e^B) - d`, :math:`\nabla h = (e^B)^\top`."""

    name: ClassVar[str] = "exponential"

    def _trace(self, block: NDArray[np.float64], d: int) -> float:  # noqa: ARG002
        with np.errstate(over="ignore", invalid="ignore"):
            trace = float(np.trace(exponential_minus_identity(block)))
        return np.inf if np.isnan(trace) else trace

    def _walks(
        self,
        nonnegative: NDArray[np.float64],
        order: Order | None,  # noqa: ARG002 - powers need no order
    ) -> NDArray[np.float64]:
        walks = exponential_minus_identity(nonnegative)
        walks[np.diag_indices_from(walks)] += 1.0
        return walks


def exponential_minus_identity(nonnegative: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^B - I without subtracting: every term is non-negative, so no digit cancels.

    Taylor's series of B / 2^s, then s doublings E <- 2 E + E^2.
    """
    norm = float(nonnegative.sum(axis=1).max(initial=0.0))
    doublings = max(0, int(np.frexp(norm)[1]) + 1)
    small = np.ldexp(nonnegative, -doublings)
    term = small
    total = small.copy()
    # The norm is at most 1/2, so 16 terms reach the last digit of a double.
    for k in range(2, 17):
        term = term @ small / k
        total += term
    for _ in range(doublings):
        total = 2.0 * total + total @ total
    return total
