"""The likelihood of categories without an order."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.kernels.blocks.multinomial import multinomial_terms
from toposwap.losses.levels import LevelLoss, Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@lru_cache(maxsize=64)
def contrasts(levels: int) -> Floats:
    """C (L, L - 1): orthonormal columns, each with sum zero (Helmert's)."""
    C = np.zeros((levels, levels - 1))
    for a in range(levels - 1):
        C[: a + 1, a] = 1.0
        C[a + 1, a] = -(a + 1.0)
        C[:, a] /= np.sqrt((a + 1.0) * (a + 2.0))
    C.setflags(write=False)
    return C


class MultinomialLoss(LevelLoss):
    """log sum_l exp (C f)_l - (C f)_y: a multinomial logit with q = L - 1 predictors.

    C f are the logarithms of the chances about their mean. No category is a reference, so that
    names and order of the categories do not matter, and the length of a coefficient vector is that
    of L coefficients with sum zero.
    """

    name: ClassVar[str] = "multinomial"

    def predictors(self, levels: int) -> int:
        """L - 1."""
        return levels - 1

    def start(self, y: NDArray[np.int64], omega: Floats) -> Floats:
        """The logarithms of the shares of the values, in the coordinates C."""
        share = np.bincount(y, weights=omega)
        return np.asarray(contrasts(share.size).T @ np.log(share))

    def terms(
        self,
        eta: Floats,
        constants: Floats,  # noqa: ARG002 - in eta
        y: NDArray[np.int64],
        omega: Floats,
    ) -> Terms:
        """The constants are the intercepts, in ``eta`` already."""
        q, n = eta.shape
        slope, curvature = np.empty((q, n)), np.empty((q * (q + 1) // 2, n))
        C = np.array(contrasts(q + 1))
        value, size = multinomial_terms(eta, y, omega, C, slope, curvature)
        return Terms(value, size, slope, curvature, slope.sum(axis=1))

    def chances(self, eta: Floats, constants: Floats) -> Floats:  # noqa: ARG002 - in eta
        """The exponentials of C f, over their sum."""
        f = (contrasts(len(eta) + 1) @ eta).T
        f = np.exp(f - f.max(axis=1, keepdims=True))
        return np.asarray(f / f.sum(axis=1, keepdims=True))
