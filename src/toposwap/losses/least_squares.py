"""Squared residuals."""

from __future__ import annotations

from typing import ClassVar

from toposwap.kernels.compiled import variance_terms
from toposwap.losses.moments import MomentLoss


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
