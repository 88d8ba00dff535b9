"""The likelihood of ordered categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.kernels.blocks.cumulative import cumulative_cross, cumulative_terms
from toposwap.kernels.penalized.glm_node import curvature_matrix
from toposwap.losses.levels import LevelLoss, Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class CumulativeLoss(LevelLoss):
    """-log(P(Y <= y) - P(Y < y)), logit P(Y <= k) = alpha_k - f: proportional odds.

    One predictor, and L - 1 rising thresholds as constants. A rise of f moves the odds of every
    "more than k" by the same factor.
    """

    name: ClassVar[str] = "cumulative"
    intercepts: ClassVar[bool] = False
    ordered: ClassVar[bool] = True

    def predictors(self, levels: int) -> int:  # noqa: ARG002 - however many there are
        """One."""
        return 1

    def start(self, y: NDArray[np.int64], omega: Floats) -> Floats:
        """The logits of the cumulated shares of the values."""
        share = np.bincount(y, weights=omega)
        below = np.cumsum(share)[:-1]
        return np.log(below) - np.log(np.cumsum(share[::-1])[::-1][1:])

    def terms(self, eta: Floats, constants: Floats, y: NDArray[np.int64], omega: Floats) -> Terms:
        """Infinite where the thresholds do not rise."""
        n, e = y.size, constants.size
        slope, curvature, cross = np.empty((1, n)), np.empty((1, n)), np.empty((2, n))
        own, bend = np.empty(e), np.empty((e, e))
        value, size = cumulative_terms(
            eta[0], y, omega, constants, slope[0], curvature[0], cross, own, bend
        )
        return Terms(value, size, slope, curvature, own, bend, cross)

    def chances(self, eta: Floats, constants: Floats) -> Floats:
        """Differences of the cumulated chances."""
        from scipy.special import expit

        f = eta[0][:, None]
        least = np.concatenate([np.zeros_like(f), expit(constants - f), np.ones_like(f)], axis=1)
        most = np.concatenate([np.ones_like(f), expit(f - constants), np.zeros_like(f)], axis=1)
        # From the side on which the differences have their digits.
        return np.where(least[:, 1:] < 0.5, np.diff(least, axis=1), -np.diff(most, axis=1))

    def hessian(
        self, terms: Terms, Z: Floats, index: NDArray[np.int64], y: NDArray[np.int64]
    ) -> Floats:
        """By theta (p, 1) and the thresholds, (p + e, p + e)."""
        assert terms.bend is not None
        assert terms.cross is not None
        p, e = index.size, len(terms.bend)
        H, mixed = np.empty((p + e, p + e)), np.empty((e, p))
        H[:p, :p] = curvature_matrix(Z, terms.curvature[0], index, p)[:p, :p]
        cumulative_cross(Z, index, y, terms.cross, mixed)
        H[p:, :p], H[:p, p:], H[p:, p:] = mixed, mixed.T, terms.bend
        return H
