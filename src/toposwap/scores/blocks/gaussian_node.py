"""A variable as an effect whose columns are Gaussian, from second moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.blocks import moments
from toposwap.scores.blocks.nodes import REMEMBERED, Evaluated, Fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.blocks.design import Design

    Floats = NDArray[np.float64]


class GaussianNode:
    r"""1/2 log det of the residual covariance of the node's own columns, q of them.

    For a number, 1/2 log of the residual sum of squares. Coefficients come from the triangular
    factor, which knows more digits than the moments.
    """

    def __init__(self, design: Design, node: int) -> None:
        self.design = design
        self.node = node
        self.own = design.of(node)
        self.q = self.own.stop - self.own.start
        self.unit = float(design.columns[node].unit)
        #: What the logarithm of a number's scale adds.
        self._constant = np.log(self.unit) + 0.5 * np.log(design.n) if self.q == 1 else 0.0
        self._fits: dict[bytes, Fitted] = {}

    def fit(self, parents: NDArray[np.bool_]) -> Fitted:
        """Regress the node's columns on those of ``parents`` (d,)."""
        key = parents.tobytes()
        known = self._fits.get(key)
        if known is None:
            known = self._regression(parents)
            if len(self._fits) < REMEMBERED:
                self._fits[key] = known
        return known

    def _regression(self, parents: NDArray[np.bool_]) -> Fitted:
        factor, index = self.design.factor, self.design.index(parents)
        theta = np.zeros((len(factor), self.q))
        if index.size:
            solved, *_ = np.linalg.lstsq(factor[:, index], factor[:, self.own], rcond=None)
            theta[index] = solved
        return Fitted(theta, np.zeros(0), self.loss(self.residual(theta))[0])

    def residual(self, theta: Floats) -> Floats:
        """What ``theta`` (M, q) leaves of the node's columns of the factor, (M, q)."""
        return np.asarray(self.design.factor[:, self.own] - self.design.factor @ theta)

    def loss(self, residual: Floats) -> tuple[float, Floats]:
        """The loss, and the inverse of the covariance of the residuals, (q, q)."""
        left = residual.T @ residual
        if self.q == 1:
            left = np.maximum(left, moments.DEPENDENT)
            return 0.5 * float(np.log(left[0, 0])) + self._constant, 1.0 / left
        values, vectors = np.linalg.eigh(left)
        values = np.maximum(values, moments.DEPENDENT)
        inverse = (vectors / values) @ vectors.T
        return 0.5 * float(np.log(values).sum()) + self._constant, inverse

    def covariance(self, parents: NDArray[np.bool_]) -> tuple[Floats, float]:
        """Of the coefficients of ``parents`` (d,) of a number, (p, p), and the degrees of freedom.

        s^2 (Z_P Z_P')^-1 with the residual variance s^2, in units of the design; NaN where parents
        determine each other or no freedom is left.
        """
        index = self.design.index(parents)
        freedom = self.design.n - index.size - 1
        triangle = np.linalg.qr(self.design.factor[:, index], mode="r")
        if freedom < 1 or np.square(np.diag(triangle)).min(initial=1.0) < moments.DEPENDENT:
            return np.full((index.size, index.size), np.nan), float(freedom)
        residual = self.residual(self.fit(parents).theta)
        inverse = np.linalg.inv(triangle)
        return float(np.square(residual).sum()) / freedom * inverse @ inverse.T, float(freedom)

    def select(
        self,
        parents: NDArray[np.bool_],
        allowed: NDArray[np.bool_],
        required: NDArray[np.bool_],
        weight: float,
        most: int,
    ) -> NDArray[np.float64]:
        """Improve ``parents`` (d,) in place; what each absent variable would be worth, (d,)."""
        worth = np.empty(parents.size)
        most = max(most, int(self.design.sizes[required].sum()))
        moments.select(
            self.design.gram,
            self.design.starts,
            self.node,
            allowed,
            required,
            weight,
            most,
            parents,
            worth,
        )
        return worth

    def evaluate(self, theta: Floats, constants: Floats | None) -> Evaluated:  # noqa: ARG002
        """Loss and gradient (M, q) at ``theta`` (M, q)."""
        residual = self.residual(theta)
        value, inverse = self.loss(residual)
        gradient = -(self.design.factor.T @ residual) @ inverse
        size = (1.0 + np.abs(theta).sum()) * float(np.abs(inverse).max())
        return Evaluated(value, gradient, size, 0.0, np.zeros(0))

    def mean(self, theta: Floats) -> float:
        """What the node, a number, is where all columns of the design are zero."""
        rest = self.design.means[self.own] - theta.T @ self.design.means
        return float(self.design.columns[self.node].mean + self.unit * rest[0])  # type: ignore[attr-defined]

    def share(self, theta: Floats) -> float:
        """The least share of the variance of a combination of the node's columns that is left."""
        residual = self.residual(theta)
        return float(np.linalg.eigvalsh(residual.T @ residual)[0])
