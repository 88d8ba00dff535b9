r"""Additive models: every delta exact, from the triangular factor with blocks of columns.

.. math:: Q(\theta) = \frac{1}{2n} \sum_j \Bigl\lVert x_j - \sum_i \Phi_i \theta_{ij} \Bigr\rVert^2
          + \frac12 \sum_{ij} \theta_{ij}^\top \Lambda_i \theta_{ij}, \qquad
          \Phi_i = (\varphi_{i1}(x_i), \dots, \varphi_{im}(x_i)) \in \mathbb R^{n \times m},

with the orthonormal functions of :mod:`toposwap.basis`, the linear one first, and
:math:`\Lambda_i = \text{smoothness} \cdot \operatorname{diag}(\rho_i) + \text{ridge} \cdot I`. The
parameters are an array ``theta[i, r, j]``, (d, m, d), in the units of :math:`x_j`;
:math:`W_{ij} = \lVert \theta_{ij} \rVert_1`.

Since :math:`x_j = \mu_j + \sigma_j \varphi_{j1}` is itself the first column of its block, one QR of
:math:`U = [\Phi_1 \dots \Phi_d] / \sqrt n`, with the rows :math:`\Lambda^{1/2}` appended, answers
everything, see :mod:`~toposwap.kernels.additive.block_pair`:

.. math:: Q(\pi) = \tfrac12 \sum_k \sigma_{\pi_k}^2 \bigl( (R_{kk})_{11}^2 - \text{ridge} \bigr).

The appended rows of a block are zero for all others, so they raise the residual of node j by the
constant :math:`\text{ridge} \cdot \sigma_j^2`, which is taken off again. A block with fewer than m
functions is filled up with columns that are zero on the data and have a one in a row of their own:
they explain nothing and nothing explains them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.linalg import blas

from toposwap.core.errors import InputError
from toposwap.core.factor import power_of_two
from toposwap.core.order import Order
from toposwap.core.runtime.settings import checked
from toposwap.core.validation import columns, listed
from toposwap.kernels.additive import exact
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.orderfit.exact import go_to
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.scores.additive.design import Additive, Design, refit
from toposwap.scores.base import Point, Score
from toposwap.scores.dependence import relative_residuals
from toposwap.scores.strategy import Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.basis import Family
    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit


#: Of the surrogate, which need not be exact.
_FUNCTIONS = 8
#: Of coefficients in units of the columns' deviations.
_RIDGE = 1e-3


class Basis(Score):
    r"""1/(2n) sum_j ||x_j - sum_i f_ij(x_i)||^2 + penalty, f_ij in an orthonormal basis; convex.

    Like least squares, right when all noise variances are equal and the units of the columns are
    meaningful.

    Parameters
    ----------
    basis
        "splines" (cubic, knots at quantiles), "polynomials", "fourier", or a
        :class:`~toposwap.basis.Family`.
    n_functions
        Functions of each variable, the linear one included. By default 8, or fewer where that would
        give the last node more coefficients than 0.8 of the number of rows.
    smoothness
        Weight of the integrated squared second derivatives, over the bulk of the parent brought to
        [-1, 1]. The linear function is free.
    ridge
        Weight of the squared coefficients.
    """

    name: ClassVar[str] = "basis"
    convex: ClassVar[bool] = True
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False
    scale_dependent: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True

    def __init__(
        self,
        basis: str | Family = "splines",
        n_functions: int | None = None,
        smoothness: float = 1e-5,
        ridge: float = 0.0,
    ) -> None:
        self.basis = basis
        self.n_functions = n_functions
        self.smoothness = smoothness
        self.ridge = ridge

    def bind(self, data: Dataset) -> BoundBasis:
        """Expand the columns and factorise the expansion."""
        checked("smoothness", self.smoothness)
        checked("ridge", self.ridge)
        return self.bound_to(data, Design.of(data, self.basis, self.n_functions))

    def bound_to(self, data: Dataset, design: Design) -> BoundBasis:
        """The same on columns that are expanded already."""
        return BoundBasis(self, data, design)


class BoundBasis(Additive, SeparableScore):
    """An additive model on given data, through the factor of its expanded columns.

    The algebra of the factor has every predecessor as a parent; where single edges are ruled out,
    nodes are solved one by one.
    """

    def __init__(self, score: Basis, data: Dataset, design: Design) -> None:
        super().__init__(data, design)
        self.score: Basis = score
        self.penalty = score.smoothness * design.roughness + score.ridge * design.present
        self.factor = design.factor(self.penalty)
        self._refuse_dependent()
        # Deltas are computed in units of the largest column, where nothing overflows.
        self.unit = float(power_of_two(design.deviations).max())
        self.cost = (design.deviations / self.unit) ** 2

    def _refuse_dependent(self) -> None:
        """Every coefficient must be determined."""
        data, present = self.data, self.design.present
        free = int((present & (self.penalty == 0.0)).sum())
        if data.n <= free:
            raise InputError(
                f"{data.n} rows are too few for the {free} coefficients that have no penalty "
                f"(n_samples={data.n} must be larger). Use a ridge (score=Basis(ridge=0.1)), fewer "
                "functions (n_functions=...), fewer columns, or more rows"
            )
        residuals = relative_residuals(self.factor).reshape(present.shape)
        bar = 32.0 * np.finfo(float).eps * np.sqrt(max(data.n, present.size))
        dependent = (residuals <= bar).any(axis=1)
        if dependent.any():
            bad = [data.names[j] for j in np.flatnonzero(dependent)]
            raise InputError(
                f"{columns(len(bad))} {listed(bad)}: functions of one are determined by the others "
                "to within rounding error, so their coefficients are not determined: drop one of "
                "them, or use a ridge (score=Basis(ridge=0.1))"
            )

    def fit(self, order: Order) -> OrderFit:  # type: ignore[override]
        """A factor pair where every predecessor may be a parent, else node by node."""
        from toposwap.scores.additive.fit import BasisFit

        return BasisFit(self, order) if self.admissible.only_orders else super().fit(order)

    def fit_node(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        warm: NodeFit | None,  # noqa: ARG002 - there is one solution
    ) -> NodeFit:
        """Regress the column on the functions of those that are allowed."""
        theta = refit(self.factor, self.size, node, allowed) * self.design.present
        residual = self.factor[:, node * self.size] - self.factor @ theta.ravel()
        deviation = float(self.design.deviations[node])
        value = 0.5 * deviation**2 * (float(residual @ residual) - self.score.ridge)
        return NodeFit(value, theta * deviation, support=np.asarray(theta.any(axis=1)))

    def assemble(self, nodes: list[NodeFit]) -> NDArray[np.float64]:
        """Stack the nodes' (d, m) to theta, (d, m, d)."""
        return np.stack([node.parameters for node in nodes], axis=2)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Dynamic programming over sets of variables, O(2^d d^2 m^2) time and 9 * 2^d bytes."""
        if not self.admissible.only_orders:
            return super().solve_exactly(fit)
        d, m = self.data.d, self.size
        blocks = np.ascontiguousarray(self.factor.T).reshape(d, m, d * m)
        before = precedence_table(self.admissible.before)
        go_to(fit, Order(exact.exact_order(blocks, self.cost, before)))
        return True

    strategy = Strategy(pruner="f-tests")

    def value_of(self, residual_variance: NDArray[np.float64], cost: NDArray[np.float64]) -> float:
        """1/2 sum_v cost_v (var_v - ridge) in the units of the data."""
        half = 0.5 * float(cost @ (residual_variance - self.score.ridge))
        return half * self.unit * self.unit

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        r"""Q and the 1-norms of :math:`-U_i^\top U (\sigma_j e_{j1} - \theta_j)`."""
        d, m = self.data.d, self.size
        # Over the deviation of the effect, coefficients have the size of correlations.
        scaled = parameters.reshape(d * m, d) / self.design.deviations
        column_scale = 1.0 + np.abs(scaled).sum(axis=0)
        left = -scaled
        left[np.arange(d) * m, np.arange(d)] += 1.0
        residual = blas.dtrmm(1.0, self.factor, left)
        variance = np.einsum("ij,ij->j", residual, residual)
        gradient = blas.dtrmm(1.0, self.factor, residual, trans_a=1).reshape(d, m, d)
        weights = np.abs(parameters).sum(axis=1)
        norms = np.abs(gradient).sum(axis=1)
        np.fill_diagonal(norms, 0.0)
        squares = np.einsum("irj,ir->j", scaled.reshape(d, m, d) ** 2, self.penalty)
        return Point(
            weights=weights,
            value=self.value_of(variance, self.cost),
            penalty=0.5 * float(squares @ self.cost) * self.unit * self.unit,
            gradient=norms * self.design.deviations,
            row_scale=np.full(d, float(m)),
            column_scale=column_scale * self.design.deviations,
        )


def surrogate(data: Dataset, design: Design | None = None) -> BoundBasis:
    """An additive model that any table allows, for a starting order or a noise level.

    Eight functions tell a curve from a line; a ridge, so that columns which others determine and
    too few rows are no obstacle.
    """
    if design is not None:
        return Basis(ridge=_RIDGE).bound_to(data, design)
    size = min(_FUNCTIONS, max(1, int(0.8 * data.n / data.d)))
    return Basis(n_functions=size, ridge=_RIDGE).bind(data)
