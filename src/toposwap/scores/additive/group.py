r"""Additive models that choose their edges: a penalty on the size of whole functions.

.. math:: Q(\theta) = \frac{1}{2n} \sum_j \Bigl\lVert x_j - \sum_i \Phi_i \theta_{ij} \Bigr\rVert^2
          + \sum_{ij} \rho_i(\lVert \theta_{ij} \rVert_2), \qquad
          \rho_i'(0) = \text{weight} \cdot \sqrt{m_i} .

The functions of a variable are orthonormal, so :math:`\lVert \theta_{ij} \rVert_2` is the standard
deviation of :math:`f_{ij}(x_i)` over the data.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.kernels.additive import group_descent
from toposwap.orderfit.descent import descend
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.orderfit.starts import smallest_variance_order
from toposwap.scores.additive.design import Additive, Design
from toposwap.scores.additive.group_newton import newton_steps
from toposwap.scores.additive.score import surrogate
from toposwap.scores.base import Point, Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.basis import Family
    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit

#: Nodes are solved well below the tolerance of the certificate.
_NODE_TOLERANCE = 1e-11
#: Sweeps at a time, before Newton's method, and how often the two take turns.
_SWEEPS, _MOST_TURNS = 200, 30


class GroupBasis(Score):
    r"""1/(2n) sum_j ||x_j - sum_i f_ij(x_i)||^2 + sum_ij rho(sd(f_ij)); separable.

    Like least squares, right when all noise variances are equal and the units of the columns are
    meaningful.

    Parameters
    ----------
    penalty
        "mcp" (group MCP, which leaves strong functions as they are; not convex) or "lasso" (the
        group lasso, convex).
    weight
        Slope of the penalty at zero, over the root of the number of functions of the parent. By
        default :math:`\sigma (1 + \sqrt{2 \log d / m}) / \sqrt n`, which the gradient of a function
        that is not needed rarely exceeds, with the noise deviation :math:`\sigma` of
        :class:`~toposwap.scores.Basis` at its best order.
    beta
        How far the slope of "mcp" reaches: it is zero beyond ``beta`` times that at zero; > 1.
    basis, n_functions
        As for :class:`~toposwap.scores.Basis`.
    """

    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    scale_dependent: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True

    def __init__(
        self,
        penalty: str = "mcp",
        weight: float | None = None,
        beta: float = 3.0,
        basis: str | Family = "splines",
        n_functions: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.weight = weight
        self.beta = beta
        self.basis = basis
        self.n_functions = n_functions

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name with its penalty: "basis-mcp" or "basis-lasso"."""
        return f"basis-{self.penalty}"

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """True for the group lasso; the group MCP is concave beyond zero."""
        return self.penalty == "lasso"

    def bind(self, data: Dataset) -> BoundGroupBasis:
        """Expand the columns and find the weight."""
        if self.penalty not in ("mcp", "lasso"):
            raise InputError(f"penalty: must be 'mcp' or 'lasso', got {self.penalty!r}")
        if not checked("beta", self.beta) > 1.0:
            raise InputError(f"beta: must be a number > 1, got {self.beta!r}")
        design = Design.of(data, self.basis, self.n_functions)
        if self.weight is not None:
            return BoundGroupBasis(self, data, design, checked("weight", self.weight))
        noise = _noise(data, design)
        spread = sqrt(2.0 * log(data.d) / design.size)
        weight = noise * (1.0 + spread) / sqrt(data.n)
        design.choices += (f"penalty weight {weight:.3g}, for a noise deviation of {noise:.3g}",)
        return BoundGroupBasis(self, data, design, weight)


def _noise(data: Dataset, design: Design) -> float:
    """The noise deviation, one for all columns: at the best order, less what overfitting hides."""
    fit = surrogate(data, design).fit(smallest_variance_order(data))
    descend(fit)
    coefficients = float(design.present.sum()) * (data.d - 1) / 2.0 / data.d
    share = max(1.0 - (1.0 + coefficients) / data.n, 0.2)
    return sqrt(2.0 * fit.value / data.d / share)


class BoundGroupBasis(Additive, SeparableScore):
    """A sparse additive model on given data."""

    def __init__(self, score: GroupBasis, data: Dataset, design: Design, weight: float) -> None:
        super().__init__(data, design)
        self.score: GroupBasis = score
        self.weight = weight
        self.concavity = 1.0 / score.beta if score.penalty == "mcp" else 0.0
        sizes = design.present.sum(axis=1)
        self.kinks = weight * np.sqrt(sizes)
        # Filled-up columns are zero: nothing is explained by them, whatever their coefficient.
        U = design.factor(np.zeros(design.present.shape))
        U = U * design.present.ravel()
        self._gram = np.ascontiguousarray(U.T @ U)

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Solve ``node`` and say which changes of ``allowed`` would change the solution.

        A node of the group MCP may have several local minima: the better one of those that are
        reached from ``warm`` and from zero is taken.
        """
        best = None if warm is None else self._solve(node, allowed, warm.parameters)
        if best is None or self.concavity > 0.0:
            cold = self._solve(node, allowed, None)
            if best is None or cold.value < best.value:
                best = cold
        return best

    def _solve(
        self, node: int, allowed: NDArray[np.bool_], start: NDArray[np.float64] | None
    ) -> NodeFit:
        # In units of the deviation of the node, where y is the first column of its own block.
        deviation = self.design.deviations[node]
        shape = self.design.present.shape
        theta = np.zeros(shape)
        if start is not None:
            theta = np.where(allowed[:, None], start / deviation, 0.0)
        slack = np.empty(shape)
        kinks = self.kinks / deviation
        required = self.admissible.required_of(node)
        if required is not None:
            kinks = np.where(required, 0.0, kinks)
        target = self._gram[node * shape[1]]
        for _ in range(_MOST_TURNS):
            sweeps = group_descent.solve_node(
                self._gram,
                target,
                allowed,
                kinks,
                self.concavity,
                theta,
                slack,
                _NODE_TOLERANCE,
                _SWEEPS,
            )
            if sweeps < _SWEEPS:
                break
            newton_steps(self._gram, target, kinks, self.concavity, theta, self.design.present)
        # |y - U theta|^2 from the moments.
        explained = float(np.sum(theta * (target.reshape(shape) + slack)))
        left = max(float(target[node * shape[1]]) - explained, 0.0)
        lengths = np.sqrt(np.einsum("ir,ir->i", theta, theta))
        value = 0.5 * left + float(self._penalty(lengths, kinks).sum())
        steep = np.sqrt(np.einsum("ir,ir->i", slack, slack))
        violating = (steep > kinks + 10.0 * _NODE_TOLERANCE) & ~allowed
        violating[node] = False
        return NodeFit(
            value * deviation * deviation,
            theta * deviation,
            support=lengths > 0.0,
            violating=violating,
        )

    def assemble(self, nodes: list[NodeFit]) -> NDArray[np.float64]:
        """Stack the nodes' (d, m) to theta, (d, m, d)."""
        return np.stack([node.parameters for node in nodes], axis=2)

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        """Q and, for each edge, the 1-norm of the least subgradient with respect to its block."""
        d, m = self.data.d, self.size
        deviations = self.design.deviations
        theta = parameters / deviations
        flat = theta.reshape(d * m, d)
        left = -flat
        left[np.arange(d) * m, np.arange(d)] += 1.0
        slack = self._gram @ left
        variance = np.einsum("ij,ij->j", left, slack)
        lengths = np.sqrt(np.einsum("irj,irj->ij", theta, theta))
        kinks = self.kinks[:, None] / deviations
        if self.admissible.required is not None:
            kinks = np.where(self.admissible.required, 0.0, kinks)
        penalties = self._penalty(lengths, kinks).sum(axis=0)
        slopes = np.maximum(kinks - self.concavity * lengths, 0.0)
        slack = slack.reshape(d, m, d)
        with np.errstate(divide="ignore", invalid="ignore"):
            along = np.where(lengths > 0.0, slopes / lengths, 0.0)[:, None, :] * theta
            steep = np.sqrt(np.einsum("irj,irj->ij", slack, slack))
            excess = np.where(steep > kinks, 1.0 - kinks / steep, 0.0)
        present = np.abs(along - slack).sum(axis=1)
        absent = excess * np.abs(slack).sum(axis=1)
        gradient = np.where(lengths > 0.0, present, absent)
        np.fill_diagonal(gradient, 0.0)
        weights = np.abs(parameters).sum(axis=1)
        penalty = float(penalties @ deviations**2)
        return Point(
            weights=weights,
            value=0.5 * float(variance @ deviations**2) + penalty,
            penalty=penalty,
            gradient=gradient * deviations,
            row_scale=np.full(d, float(m)),
            column_scale=deviations + weights.sum(axis=0),
        )

    def _penalty(
        self, lengths: NDArray[np.float64], kinks: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """rho, the integral of its slope."""
        reach = np.minimum(lengths, kinks / self.concavity) if self.concavity else lengths
        return kinks * reach - 0.5 * self.concavity * reach * reach

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Refuse where a node may have several solutions, of which a solver finds one."""
        if not self.score.convex:
            raise InputError(
                f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
                "several local ones; use search='auto'"
            )
        return super().solve_exactly(fit)
