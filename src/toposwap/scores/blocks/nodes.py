"""One variable as an effect: fitted to given parents, and what others would bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from toposwap.kernels.blocks.predictors import decreases, products
from toposwap.kernels.penalized.glm_node import curvature_matrix
from toposwap.losses.levels import BlockLoss
from toposwap.scores.blocks.newton import Rows, Solved, at, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses.levels import Terms
    from toposwap.scores.blocks.design import Design

    Floats = NDArray[np.float64]

#: Nodes are solved well below the tolerance of the certificate.
_TOLERANCE = 1e-10
#: Rows for each cell of a table of values from which on rows are grouped.
_ROWS_A_CELL = 3
#: What the ridge may have of the curvature along a coefficient that the data determine.
_BY_THE_RIDGE = 0.1
#: Where every row is fitted perfectly nothing is left, and nothing to measure it by.
_SMALLEST = float(np.finfo(float).tiny)
#: Fits that are remembered.
REMEMBERED = 20_000


class Fitted(NamedTuple):
    """A node with given parents.

    Attributes
    ----------
    theta
        Coefficients of all columns, (M, q), in units of the design.
    constants
        What belongs to no parent, (e,).
    value
        The loss, with the small ridge.
    """

    theta: Floats
    constants: Floats
    value: float


class Evaluated(NamedTuple):
    """Loss, gradient (M, q), size of what cancels in it, residual of the constants, these."""

    value: float
    gradient: Floats
    size: float
    rest: float
    constants: Floats


class RowsNode:
    """A loss that is a sum over rows, with Newton's method; fits are remembered.

    A node has one minimum for given parents, so that it does not matter where a fit began.

    Parameters
    ----------
    design, node
        Whose column it is.
    loss
        Of the column.
    y
        The column as the loss takes it, (n,).
    ridge
        r of :mod:`~toposwap.scores.blocks.newton`.
    """

    unit = 1.0

    def __init__(self, design: Design, node: int, loss: BlockLoss, y: Any, ridge: float) -> None:
        self.design = design
        self.node = node
        self.loss = loss
        self.y = y
        self.ridge = ridge
        self.q = loss.predictors(int(y.max()) + 1)
        self.start = loss.start(y, design.omega)
        self._fits: dict[bytes, tuple[Fitted, Solved, NDArray[np.int64]]] = {}
        self._anew: dict[bytes, Fitted] = {}
        self._gains: dict[bytes, Floats] = {}
        self._missed: dict[bytes, Floats] = {}

    def fit(self, parents: NDArray[np.bool_], near: NDArray[np.bool_] | None = None) -> Fitted:
        """The minimum with ``parents`` (d,), looked for from that with the parents ``near``."""
        return self._solved(parents, near)[0]

    def anew(self, parents: NDArray[np.bool_]) -> Fitted:
        """The minimum with ``parents`` (d,), the same to the last digit whatever was fitted before.

        That of :meth:`fit` depends in its last digits on where it was looked for from.
        """
        key = parents.tobytes()
        if key not in self._anew:
            index = self.design.index(parents)
            nothing = np.zeros((index.size, self.q))
            self._anew[key] = self._from(parents, index, nothing, self.start)[0]
        return self._anew[key]

    def missed(self, parents: NDArray[np.bool_]) -> Floats:
        """What taking each of ``parents`` (d,) away would cost, to second order, (d,)."""
        key = parents.tobytes()
        if key in self._missed:
            return self._missed[key]
        _, solved, index = self._solved(parents)
        p, q = solved.theta.shape
        costs = np.full(parents.size, np.inf)
        inverse, flat = _inverse(solved.curvature), solved.theta.T.ravel()
        owner = np.searchsorted(self.design.starts, index, side="right") - 1
        for i in np.flatnonzero(parents):
            of = (np.flatnonzero(owner == i) + p * np.arange(q)[:, None]).ravel()
            costs[i] = 0.5 * float(flat[of] @ _inverse(inverse[np.ix_(of, of)]) @ flat[of])
        if len(self._missed) < REMEMBERED:
            self._missed[key] = costs
        return costs

    def covariance(self, parents: NDArray[np.bool_]) -> tuple[Floats, float]:
        """Of the coefficients of ``parents`` (d,), (pq, pq), and the degrees of freedom: no end.

        The inverse of the information, predictor by predictor, in units of the design. NaN along
        coefficients without a finite maximum of the likelihood, which the ridge alone holds.
        """
        _, solved, _ = self._solved(parents)
        inner = solved.theta.size
        inverse = _inverse(solved.curvature)[:inner, :inner]
        infinite = self.ridge * np.diag(inverse) > _BY_THE_RIDGE
        inverse[infinite] = inverse[:, infinite] = np.nan
        return inverse / self.design.n, np.inf

    def gains(self, parents: NDArray[np.bool_]) -> Floats:
        """What adding each variable to ``parents`` (d,) would bring, to second order, (d,)."""
        key = parents.tobytes()
        if key in self._gains:
            return self._gains[key]
        fitted, solved, index = self._solved(parents)
        design = self.design
        rows = Rows(design.Z[index], self.y, design.omega)
        terms = at(self.loss, rows, solved.theta, solved.constants)
        gradient, gains = np.empty(fitted.theta.shape), np.empty(parents.size)
        products(design.Z, terms.slope, gradient)
        weight, root = self._average(terms)
        size = len(design.Z)
        H = curvature_matrix(design.Z, weight, np.arange(size), size)
        decreases(H, design.starts, parents, gradient, root, gains)
        gains[self.node] = 0.0
        if len(self._gains) < REMEMBERED:
            self._gains[key] = gains
        return gains

    def evaluate(self, theta: Floats, constants: Floats | None) -> Evaluated:
        """Loss with the ridge and its gradient (M, q) at ``theta`` (M, q), all rows gone through.

        Without constants, at the best ones.
        """
        design = self.design
        index = np.flatnonzero(theta.any(axis=1))
        rows = Rows(design.Z[index], self.y, design.omega)
        if constants is None:
            constants = self._best_constants(rows, theta[index])
        terms = at(self.loss, rows, theta[index], constants)
        gradient = np.empty(theta.shape)
        products(design.Z, terms.slope, gradient)
        value = terms.value + 0.5 * self.ridge * float(np.square(theta).sum())
        rest = float(np.abs(terms.own).max(initial=0.0)) / max(terms.size, _SMALLEST)
        return Evaluated(value, gradient + self.ridge * theta, terms.size, rest, constants)

    # --- inside ----------------------------------------------------------------------------------

    def _solved(
        self, parents: NDArray[np.bool_], near: NDArray[np.bool_] | None = None
    ) -> tuple[Fitted, Solved, NDArray[np.int64]]:
        key = parents.tobytes()
        known = self._fits.get(key)
        if known is not None:
            return known
        index = self.design.index(parents)
        start, constants = np.zeros((index.size, self.q)), self.start
        known = None if near is None else self._fits.get(near.tobytes())
        if known is not None:
            start, constants = known[0].theta[index], known[0].constants
        found = self._from(parents, index, start, constants)
        if len(self._fits) < REMEMBERED:
            self._fits[key] = found
        return found

    def _from(
        self,
        parents: NDArray[np.bool_],
        index: NDArray[np.int64],
        start: Floats,
        constants: Floats,
    ) -> tuple[Fitted, Solved, NDArray[np.int64]]:
        """The minimum with ``parents``, whose columns are ``index``, looked for from ``start``."""
        rows = self._rows(parents, index)
        solved = solve(self.loss, rows, start, constants, self.ridge, _TOLERANCE)
        theta = np.zeros((len(self.design.Z), self.q))
        theta[index] = solved.theta
        return Fitted(theta, solved.constants, solved.value), solved, index

    def _rows(self, parents: NDArray[np.bool_], index: NDArray[np.int64]) -> Rows:
        """The rows, grouped by their values where parents and node have few."""
        design = self.design
        n, cells, place = design.omega.size, 1, None
        for i in (*np.flatnonzero(parents), self.node):
            known = design.places[i]
            if known is None or cells * known[1] > n // _ROWS_A_CELL:
                return Rows(design.Z[index], self.y, design.omega)
            cells *= known[1]
            place = known[0] if place is None else place * known[1] + known[0]
        assert place is not None
        weight = np.bincount(place, weights=design.omega, minlength=cells).astype(np.float64)
        one = np.zeros(cells, dtype=np.int64)
        one[place] = np.arange(n)
        one = one[weight > 0.0]
        return Rows(
            np.ascontiguousarray(design.Z[index][:, one]), self.y[one], weight[weight > 0.0]
        )

    def _average(self, terms: Terms) -> tuple[Floats, Floats]:
        """The curvature as a product: a weight of each row, (n,), and A^(-1/2), (q, q)."""
        if self.q == 1:
            return terms.curvature[0], np.ones((1, 1))
        a, b = np.tril_indices(self.q)
        weight = terms.curvature[a == b].sum(axis=0) / self.q
        A = np.empty((self.q, self.q))
        A[a, b] = A[b, a] = terms.curvature.sum(axis=1)
        A /= weight.sum()
        A[np.diag_indices_from(A)] += 1e-9
        return weight, np.linalg.inv(np.linalg.cholesky(A))

    def _best_constants(self, rows: Rows, theta: Floats) -> Floats:
        """The constants that minimise the loss at ``theta`` (p, q)."""
        shifted = _Shifted(self.loss, rows, theta)
        nothing = Rows(rows.Z[:0], rows.y, rows.omega)
        start = np.zeros((0, self.q))
        return solve(shifted, nothing, start, self.start, 0.0, 0.01 * _TOLERANCE).constants


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a positive definite matrix; a pseudo-inverse where rounding spoils that."""
    if len(matrix) == 1 and matrix[0, 0] > 0.0:
        return np.asarray(1.0 / matrix)
    root, info = lapack.dpotrf(matrix, lower=1, clean=0)
    if info == 0:
        half, info = lapack.dpotri(root, lower=1)
        if info == 0:
            return np.tril(half) + np.tril(half, -1).T
    return np.asarray(np.linalg.pinv(matrix, hermitian=True))


class _Shifted(BlockLoss):
    """A loss with fixed coefficients, as a function of its constants."""

    name = "shifted"

    def __init__(self, loss: BlockLoss, rows: Rows, theta: Floats) -> None:
        self._loss = loss
        self.intercepts = loss.intercepts  # type: ignore[misc]
        self._eta = theta.T @ rows.Z

    def predictors(self, levels: int) -> int:
        """As many as the loss has."""
        return self._loss.predictors(levels)

    def start(self, y: Any, omega: Floats) -> Floats:
        """Where the loss begins."""
        return self._loss.start(y, omega)

    def terms(self, eta: Floats, constants: Floats, y: Any, omega: Floats) -> Terms:
        """At the fixed part of the predictors and ``eta``."""
        return self._loss.terms(eta + self._eta, constants, y, omega)

    def hessian(self, terms: Terms, Z: Floats, index: NDArray[np.int64], y: Any) -> Floats:
        """By the constants alone."""
        return self._loss.hessian(terms, Z, index, y)
