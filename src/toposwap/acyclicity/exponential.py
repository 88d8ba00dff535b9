r"""The NOTEARS formulation: :math:`h(B) = \operatorname{tr}(e^B) - d`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.acyclicity.base import Acyclicity
from toposwap.kernels.linalg.exponential import exponential_minus_identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order


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

    def evaluate(self, nonnegative: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return tr(e^B) - d and e^B transposed."""
        walks = exponential_minus_identity(nonnegative)
        trace = float(np.trace(walks))
        walks[np.diag_indices_from(walks)] += 1.0
        return (trace if np.isfinite(trace) else np.inf), walks.T
