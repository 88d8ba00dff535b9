r"""Additive models that choose their edges by BIC, whatever the units and noise variances.

.. math:: Q(\theta) = \sum_j \tfrac12 \log \Bigl\lVert x_j - \sum_i \Phi_i \theta_{ij} \Bigr\rVert^2
          + \frac{\text{factor} \cdot \log n}{2n} \sum_{ij} m_i\, [\theta_{ij} \ne 0] .
"""

from __future__ import annotations

from functools import cached_property
from math import log
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.kernels.additive import group_l0
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.scores.additive.design import Additive, Design, refit
from toposwap.scores.base import Point, Score
from toposwap.scores.densities import Densities
from toposwap.scores.dependence import determined_remarks
from toposwap.scores.strategy import MOST_RESTARTS, Strategy, patience

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.basis import Family
    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit

#: A node has at most this share of the rows as coefficients.
_MOST = 0.5


class BasisBIC(Score):
    """sum_j 1/2 log ||x_j - sum_i f_ij(x_i)||^2 + penalty per coefficient; separable, not convex.

    The Gaussian likelihood with a noise variance for each node: the units of the columns do not
    matter. Curves tell directions apart; along lines with Gaussian noise nothing does.

    Parameters
    ----------
    factor
        1 is Schwarz's criterion; larger values ask for more evidence.
    basis, n_functions
        As for :class:`~toposwap.scores.Basis`.
    """

    name: ClassVar[str] = "basis-bic"
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True

    def __init__(
        self,
        factor: float = 1.0,
        basis: str | Family = "splines",
        n_functions: int | None = None,
    ) -> None:
        self.factor = factor
        self.basis = basis
        self.n_functions = n_functions

    def bind(self, data: Dataset) -> BoundBasisBIC:
        """Check the factor and expand the columns into orthonormal functions."""
        checked("factor", self.factor)
        return BoundBasisBIC(self, data, Design.of(data, self.basis, self.n_functions))


class BoundBasisBIC(Additive, SeparableScore):
    """BIC of additive models on given data."""

    def __init__(self, score: BasisBIC, data: Dataset, design: Design) -> None:
        super().__init__(data, design)
        self.score: BasisBIC = score
        self.weight = score.factor * log(data.n) / (2.0 * data.n)
        self.sizes = design.present.sum(axis=1)
        self.most = max(int(_MOST * data.n), self.size)
        self._factor = design.factor(np.zeros(design.present.shape))
        U = self._factor * design.present.ravel()
        self._gram = np.ascontiguousarray(U.T @ U)
        self.strategy = Strategy(restarts=MOST_RESTARTS, patience=patience(data.n, data.d))

    @cached_property
    def gradient_unit(self) -> float:
        """The logarithm has no units, coefficients have those of their effect."""
        return float(np.exp(-np.log(self.design.deviations).mean()))

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Parents worth their penalty, from those at hand."""
        parents, worth = np.zeros(self.data.d, dtype=bool), np.empty(self.data.d)
        if warm is not None and warm.support is not None:
            parents = warm.support & allowed
        wanted = self.admissible.required_of(node)
        required = np.zeros(self.data.d, dtype=bool) if wanted is None else wanted.copy()
        parents |= required
        most = max(self.most, int(self.sizes[required].sum()))
        group_l0.select(
            self._gram, self.sizes, node, allowed, required, self.weight, most, parents, worth
        )
        # The solution itself comes from the factor, which knows more digits than the moments.
        theta = refit(self._factor, self.size, node, parents) * self.design.present
        residual = self._factor[:, node * self.size] - self._factor @ theta.ravel()
        deviation = self.design.deviations[node]
        value = self._loss(float(residual @ residual), deviation)
        value += self.weight * float(self.sizes[parents].sum())
        violating = (worth > 1e-10) & ~allowed
        return NodeFit(value, theta * deviation, support=parents, violating=violating)

    def assemble(self, nodes: list[NodeFit]) -> NDArray[np.float64]:
        """Stack the nodes' (d, m) to theta, (d, m, d)."""
        return np.stack([node.parameters for node in nodes], axis=2)

    def _loss(self, share: float, deviation: float) -> float:
        """1/2 log of the residual sum of squares, of which ``share`` is left, or DEPENDENT."""
        return 0.5 * log(max(share, group_l0.DEPENDENT)) + log(deviation) + 0.5 * log(self.data.n)

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        """Q and the 1-norms of the gradient of present blocks; an absent one is always stationary.

        Leaving zero costs at once.
        """
        d, m = self.data.d, self.size
        deviations = self.design.deviations
        scaled = parameters.reshape(d * m, d) / deviations
        U, residual = self._residual(scaled)
        share = np.einsum("ij,ij->j", residual, residual)
        least = np.maximum(share, group_l0.DEPENDENT)
        slopes = np.abs((U.T @ residual / least).reshape(d, m, d)).sum(axis=1)
        weights = np.abs(parameters).sum(axis=1)
        present = weights != 0.0
        if self.admissible.required is not None:
            present |= self.admissible.required
        np.fill_diagonal(present, val=False)
        penalty = self.weight * float((self.sizes[:, None] * present).sum())
        losses = [self._loss(float(s), float(v)) for s, v in zip(share, deviations, strict=True)]
        return Point(
            weights=weights,
            value=float(sum(losses)) + penalty,
            penalty=penalty,
            gradient=np.where(present, slopes / deviations, 0.0),
            row_scale=np.full(d, float(m)),
            column_scale=(1.0 + np.abs(scaled).sum(axis=0)) / least / deviations,
            remarks=determined_remarks(self.data, share, group_l0.DEPENDENT),
        )

    def densities(self, parameters: NDArray[np.float64]) -> Densities:
        """Normal distributions about the sums of functions."""
        deviations = self.design.deviations
        _, residual = self._residual(parameters.reshape(-1, self.data.d) / deviations)
        return Densities.normal(np.einsum("ij,ij->j", residual, residual) * deviations**2)

    def _residual(
        self, scaled: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """U, (d m, d m), and what ``scaled`` (d m, d) leaves of the standardised columns."""
        d = self.data.d
        left = -scaled
        left[np.arange(d) * self.size, np.arange(d)] += 1.0
        U = self._factor * self.design.present.ravel()
        return U, U @ left

    def solve_exactly(self, fit: OrderFit) -> bool:  # noqa: ARG002 - always refused
        """Refuse: parents are chosen step by step."""
        raise InputError(
            f"search='exact' proves a global minimum, and {self.score!r} chooses the parents of a "
            "node step by step; use search='auto'"
        )
