"""Half the mean square of the residuals: convex, and in the units of the column."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toposwap.kernels.compiled import variance_terms
from toposwap.losses.moments import MomentLoss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.losses.base import ColumnFacts


@variance_terms
def terms(s: float, _n: float, scale: float) -> tuple[float, float, float]:
    """Half the residual variance."""
    return 0.5 * s * scale * scale, 0.5, 0.0


class LeastSquaresLoss(MomentLoss):
    """1/(2n) ||x - f||^2.

    The intercept is the one that minimises it, which centring the columns amounts to.
    """

    name: ClassVar[str] = "least-squares"
    convex = True
    has_units = True
    terms = terms

    def log_density(
        self,
        x: NDArray[np.float64],
        f: NDArray[np.float64],
        facts: ColumnFacts,  # noqa: ARG002 - no likelihood
    ) -> NDArray[np.float64]:
        """-1/2 (x - f)^2: minus the loss, which is no likelihood, since it knows no variance."""
        return -0.5 * (x - f) ** 2
