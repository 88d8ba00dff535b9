r"""Additive models: every price exact, from the triangular factor with blocks of columns.

.. math:: Q(\theta) = \frac{1}{2n} \sum_j \Bigl\lVert x_j - \sum_i \Phi_i \theta_{ij} \Bigr\rVert^2
          + \frac12 \sum_{ij} \theta_{ij}^\top \Lambda_i \theta_{ij}, \qquad
          \Phi_i = (\varphi_{i1}(x_i), \dots, \varphi_{im}(x_i)) \in \mathbb R^{n \times m},

with the orthonormal functions of :mod:`toposwap.basis`, the linear one first, and
:math:`\Lambda_i = \text{smoothness} \cdot \operatorname{diag}(\rho_i) + \text{ridge} \cdot I`. The
parameters are an array ``theta[i, r, j]``, (d, m, d), in the units of :math:`x_j`;
:math:`W_{ij} = \lVert \theta_{ij} \rVert_1`.

Since :math:`x_j = \mu_j + \sigma_j \varphi_{j1}` is itself the first column of its block, one QR of
:math:`U = [\Phi_1 \dots \Phi_d] / \sqrt n`, with the rows :math:`\Lambda^{1/2}` appended, answers
everything, see :mod:`~toposwap.kernels.block_pair`:

.. math:: Q(\pi) = \tfrac12 \sum_k \sigma_{\pi_k}^2 \bigl( (R_{kk})_{11}^2 - \text{ridge} \bigr).

The appended rows of a block are zero for all others, so they raise the residual of node j by the
constant :math:`\text{ridge} \cdot \sigma_j^2`, which is taken off again. A block with fewer than m
functions is filled up with columns that are zero on the data and have a one in a row of their own:
they explain nothing and nothing explains them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.linalg import blas, lapack

from toposwap.basis import BASES, Expansion, Family, expand
from toposwap.dataset.factor import power_of_two, retriangularise, row_blocks
from toposwap.errors import InputError
from toposwap.penalties.base import checked
from toposwap.registry import resolve
from toposwap.scores.base import BoundScore, Point, Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.dataset import Dataset
    from toposwap.order import Order
    from toposwap.scores.basis_fit import BasisFit

#: Functions of a variable where there are rows enough: the splines have five inner knots.
_USUAL_SIZE = 8
#: Most coefficients that the last node of an order should have, over the number of rows.
_MOST_COEFFICIENTS = 0.8


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
        return BoundBasis(self, data, Design.of(data, self.basis, self.n_functions))


class Design:
    """The expanded columns of a data set.

    Attributes
    ----------
    expansions
        One for each column.
    size
        m, the largest of their sizes.
    deviations
        Root mean squares of the columns, (d,).
    choices, remarks
        What was chosen by looking at the data, and what the user should know.
    """

    def __init__(self, data: Dataset, family: Family, size: int, choices: tuple[str, ...]) -> None:
        assert data.rows is not None
        self.data = data
        self.expansions: list[Expansion] = [
            expand(family, data.rows[:, j], float(data.mean[j]), size) for j in range(data.d)
        ]
        self.size = max(expansion.size for expansion in self.expansions)
        self.deviations = np.array([expansion.scale for expansion in self.expansions])
        self.choices = choices
        self.remarks: tuple[str, ...] = ()
        most = sum(expansion.size for expansion in self.expansions)
        if most > _MOST_COEFFICIENTS * data.n:
            self.remarks = (
                f"{data.n} rows are few for up to {most} coefficients a node: the last nodes of an "
                "order are fitted too closely; use fewer functions (n_functions), more smoothness, "
                "fewer columns or more rows",
            )

    @classmethod
    def of(cls, data: Dataset, basis: str | Family, n_functions: int | None) -> Design:
        """Check the arguments and choose what they leave open."""
        family = resolve("basis", basis, BASES, Family)
        if data.rows is None:
            raise InputError(
                "a basis expansion needs the rows of the table, and only a covariance matrix is "
                "known: give the table"
            )
        if n_functions is None:
            room = int(_MOST_COEFFICIENTS * data.n / data.d)
            size = max(1, min(_USUAL_SIZE, room))
            why = "" if size == _USUAL_SIZE else f", for {data.n} rows and {data.d} columns"
            choices: tuple[str, ...] = (f"{size} functions a variable{why}",)
        else:
            whole = isinstance(n_functions, int | np.integer) and not isinstance(n_functions, bool)
            if not (whole and n_functions >= 1):
                raise InputError(f"n_functions: must be a whole number >= 1, got {n_functions!r}")
            size, choices = int(n_functions), ()
        return cls(data, family, size, choices)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which functions there are, (d, m)."""
        sizes = np.array([expansion.size for expansion in self.expansions])
        return np.arange(self.size) < sizes[:, None]

    @property
    def roughness(self) -> NDArray[np.float64]:
        """rho, (d, m), zero where there is no function."""
        rho = np.zeros((self.data.d, self.size))
        for row, expansion in zip(rho, self.expansions, strict=True):
            row[: expansion.size] = expansion.roughness
        return rho

    def evaluate(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """All functions at ``rows`` (n, d), as (n, d m); zero where there is none."""
        values = np.zeros((len(rows), len(self.expansions), self.size))
        for j, expansion in enumerate(self.expansions):
            values[:, j, : expansion.size] = expansion(rows[:, j])
        return values.reshape(len(rows), -1)

    def factor(self, penalty: NDArray[np.float64]) -> NDArray[np.float64]:
        """R of U over the rows diag(penalty)^(1/2), (d m, d m); ``penalty`` is (d, m)."""
        assert self.data.rows is not None
        weights = np.where(self.present, penalty, 1.0).ravel()
        triangle = np.zeros((weights.size, weights.size), order="F")
        inner = min(weights.size, 32)
        for block in row_blocks(self.data.rows):
            values = np.asfortranarray(self.evaluate(block))
            triangle, *_, info = lapack.dtpqrt(
                0, inner, triangle, values, overwrite_a=1, overwrite_b=1
            )
            assert info == 0
        triangle /= np.sqrt(self.data.n)
        if not weights.any():
            return triangle
        return retriangularise(np.vstack([triangle, np.diag(np.sqrt(weights))]))


class BoundBasis(BoundScore):
    """An additive model on given data, through the factor of its expanded columns."""

    def __init__(self, score: Basis, data: Dataset, design: Design) -> None:
        self.score: Basis = score
        self.data = data
        self.design = design
        self.choices = design.choices
        self.remarks = design.remarks
        self.penalty = score.smoothness * design.roughness + score.ridge * design.present
        self.factor = design.factor(self.penalty)
        self._refuse_dependent()
        self.size = design.size
        # Prices are computed in units of the largest column, where nothing overflows.
        self.unit = float(power_of_two(design.deviations).max())
        self.cost = (design.deviations / self.unit) ** 2

    def _refuse_dependent(self) -> None:
        pass

    @cached_property
    def gradient_unit(self) -> float:
        """The geometric mean of the columns' variances."""
        return float(np.exp(2.0 * np.log(self.design.deviations).mean()))

    def fit(self, order: Order) -> BasisFit:
        """Solve for ``order``."""
        from toposwap.scores.basis_fit import BasisFit

        return BasisFit(self, order)

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
