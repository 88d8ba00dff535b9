r"""The polynomial formulation: :math:`h(B) = \operatorname{tr}((I + B/d)^d) - d`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.acyclicity.base import Acyclicity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order


class Polynomial(Acyclicity):
    r""":math:`h(B) = \operatorname{tr}((I + B/d)^d) - d`.

    :math:`\nabla h = ((I + B/d)^{d-1})^\top`.
    """

    name: ClassVar[str] = "polynomial"

    def _trace(self, block: NDArray[np.float64], d: int) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            trace = float(np.trace(power_minus_identity(block / d, d)))
        return np.inf if np.isnan(trace) else trace

    def _walks(
        self,
        nonnegative: NDArray[np.float64],
        order: Order | None,  # noqa: ARG002 - powers need no order
    ) -> NDArray[np.float64]:
        d = len(nonnegative)
        walks = power_minus_identity(nonnegative / d, d - 1)
        walks[np.diag_indices_from(walks)] += 1.0
        return walks

    def evaluate(self, nonnegative: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """With M = (I + B/d)^(d-1) - I: tr(M) + tr(B)/d + tr(M B)/d, and (I + M) transposed."""
        d = len(nonnegative)
        with np.errstate(over="ignore", invalid="ignore"):
            walks = power_minus_identity(nonnegative / d, d - 1)
            crossed = float(np.einsum("ij,ji->", walks, nonnegative))
            trace = float(np.trace(walks)) + (float(np.trace(nonnegative)) + crossed) / d
        walks[np.diag_indices_from(walks)] += 1.0
        return (trace if np.isfinite(trace) else np.inf), walks.T


def power_minus_identity(step: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    """Return (I + A)^m - I by repeated squaring of the part beyond the identity."""
    result = np.zeros_like(step)
    factor = step
    while power:
        if power & 1:
            result = result + factor + result @ factor
        power >>= 1
        if power:
            factor = 2.0 * factor + factor @ factor
    return result
