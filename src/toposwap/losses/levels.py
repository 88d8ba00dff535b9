r"""Losses with several predictors, or constants of their own, as columns of L values have.

.. math:: \ell(y, \eta, c) = \sum_i \omega_i\, g(y_i, \eta_{\cdot i}; c), \qquad
          \eta \in \mathbb R^{q \times n},\; c \in \mathbb R^e,\; y_i \in \{0, \dots, L - 1\} .

Parameters are a block of q coefficients for each column of the parents, and the constants c, which
belong to no parent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from toposwap.kernels.penalized.glm_node import curvature_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Terms(NamedTuple):
    """A loss and its derivatives at one point.

    Attributes
    ----------
    value, size
        The loss, and the size of the terms that cancel in its slope.
    slope, curvature
        Weighted derivatives by the predictors, (q, n) and (q (q + 1) / 2, n): the second ones by a
        and b <= a, row by row of the triangle.
    own
        The slope by the constants, (e,).
    bend, cross
        Second derivatives by the constants, (e, e), and what is needed of the mixed ones; None
        where these follow from the curvature.
    """

    value: float
    size: float
    slope: Floats
    curvature: Floats
    own: Floats
    bend: Floats | None = None
    cross: Floats | None = None


class BlockLoss(ABC):
    """A loss whose edges have blocks of parameters: (columns of the parent) x q; convex."""

    name: ClassVar[str]
    #: The constants are the intercepts of the predictors, and in eta already.
    intercepts: ClassVar[bool] = True
    #: Address and parameters of the terms of a loss of one predictor, as kernels take them.
    formula: tuple[int, Floats] | None = None

    @abstractmethod
    def predictors(self, levels: int) -> int:
        """q, for a column of so many values."""

    @abstractmethod
    def start(self, y: Any, omega: Floats) -> Floats:
        """The constants (e,) that are best without parents, for y (n,) with weights ``omega``."""

    @abstractmethod
    def terms(self, eta: Floats, constants: Floats, y: Any, omega: Floats) -> Terms:
        """The loss at predictors ``eta`` (q, n) and ``constants`` (e,).

        ``omega`` (n,) are the weights of the rows, with sum 1.
        """

    def hessian(
        self,
        terms: Terms,
        Z: Floats,
        index: NDArray[np.int64],
        y: Any,  # noqa: ARG002 - for thresholds
    ) -> Floats:
        """Second derivatives by theta (p, q), predictor by predictor, then by the constants.

        (p q + e, p q + e), for the rows ``index`` (p,) of the columns ``Z`` (M, n). Here the
        constants are the intercepts of the predictors.
        """
        return with_intercepts(terms, Z, index)


class LevelLoss(BlockLoss):
    """The negative log-likelihood over n of a column of L values, y in 0 ... L - 1; stateless."""

    #: The values are in an order, and numbers stand for them.
    ordered: ClassVar[bool] = False
    discrete: ClassVar[bool] = True

    @abstractmethod
    def chances(self, eta: Floats, constants: Floats) -> Floats:
        """The chance of each value, (m, L), at predictors ``eta`` (q, m)."""


def with_intercepts(terms: Terms, Z: Floats, index: NDArray[np.int64]) -> Floats:
    """The second derivatives where every predictor has an intercept."""
    q, p = len(terms.slope), index.size
    H = np.empty((q * p + q, q * p + q))
    row = 0
    for a in range(q):
        for b in range(a + 1):
            part = curvature_matrix(Z, terms.curvature[row], index, p)
            of_a, of_b = slice(a * p, (a + 1) * p), slice(b * p, (b + 1) * p)
            H[of_a, of_b] = part[:p, :p]
            H[of_b, of_a] = part[:p, :p]
            H[of_a, q * p + b] = H[q * p + b, of_a] = part[:p, p]
            H[of_b, q * p + a] = H[q * p + a, of_b] = part[:p, p]
            H[q * p + a, q * p + b] = H[q * p + b, q * p + a] = part[p, p]
            row += 1
    return H
