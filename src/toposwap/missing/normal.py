r"""Mean and covariance by maximum likelihood from rows with gaps.

.. math:: \ell(\mu, \Sigma) = \sum_r w_r \log N(x_{r,O_r};\, \mu_{O_r}, \Sigma_{O_r O_r}) ,

with :math:`O_r` the columns that row r has. EM: the E-step gives the moments that the complete rows
would have on average, the M-step the model that fits these best. No step lowers :math:`\ell`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.kernels.missing.expectation import expectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from toposwap.core.gaps import Incomplete
    from toposwap.core.runtime.deadline import Deadline

#: Share of a variance below which nothing is left of it.
_NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class Moments:
    """A mean (d,) and a covariance (d, d), in standard units of the columns."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    def distance(self, other: Moments) -> float:
        """The largest difference of an entry, relative to the deviations of the columns."""
        sizes = np.sqrt(np.diag(self.covariance))
        means = np.abs(self.mean - other.mean) / sizes
        covariances = np.abs(self.covariance - other.covariance) / np.outer(sizes, sizes)
        return float(max(means.max(), covariances.max()))


@dataclass(frozen=True, eq=False)
class Normal:
    """N(mean, K^-1): a mean (d,) and a precision (d, d), in standard units."""

    mean: NDArray[np.float64]
    precision: NDArray[np.float64]


#: From expected moments to the model that fits them best.
MStep = "Callable[[Moments], Normal]"


@dataclass(frozen=True, eq=False)
class Trace:
    """Where EM ended.

    Attributes
    ----------
    moments
        Expected under the last model.
    model
        The last model.
    log_likelihoods
        Of the values that are there, one for each E-step, in the units of the data.
    change
        By how much the last step changed the moments.
    """

    moments: Moments
    model: Normal
    log_likelihoods: tuple[float, ...]
    change: float


class Patterns:
    """Rows with gaps, sorted by which of their values are missing.

    Rows that lack every value say nothing and are left out. Columns are about the mean of their
    values and in units of their deviation, so that nothing here depends on units.

    Parameters
    ----------
    table
        The rows; checked by :meth:`~toposwap.core.gaps.Incomplete.check`.
    """

    def __init__(self, table: Incomplete) -> None:
        used = ~table.gaps.all(axis=1)
        gaps, values = table.gaps[used], table.values[used]
        weights = table.weights[used]
        self.center = table.center
        self.shift = table.means if table.center else np.zeros(table.d)
        deviations = np.where(gaps, 0.0, values - self.shift)
        # Squares of what is divided by the largest of a column stay in range.
        largest = np.abs(deviations).max(axis=0)
        squares = weights @ np.square(deviations / largest)
        self.unit = largest * np.sqrt(squares / (weights @ ~gaps))
        patterns, of_row = np.unique(gaps, axis=0, return_inverse=True)
        of_row = of_row.ravel()
        #: Where the sorted rows stand in the table, (n,).
        self.places = np.flatnonzero(used)[np.argsort(of_row, kind="stable")]
        by_pattern = np.argsort(of_row, kind="stable")
        self.rows = (deviations / self.unit)[by_pattern]
        self.weights = weights[by_pattern]
        self.total = float(weights.sum())
        counts = np.bincount(of_row, minlength=len(patterns))
        self.starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        # Columns with gaps first.
        self.columns = np.argsort(~patterns, axis=1, kind="stable").astype(np.int64)
        self.gaps = patterns.sum(axis=1).astype(np.int64)
        #: Of the log-likelihood what does not depend on the model.
        there = self.weights @ (~gaps)[by_pattern]
        self.constant = float(-0.5 * there.sum() * np.log(2.0 * np.pi) - there @ np.log(self.unit))

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1])

    def independent(self) -> Moments:
        """Those of columns that have nothing to do with each other."""
        return Moments(np.zeros(self.d), np.eye(self.d))

    def expect(self, model: Normal) -> tuple[Moments, float]:
        """The E-step: expected moments, and the log-likelihood of ``model``.

        Raises
        ------
        InputError
            If the precision of ``model`` is not positive definite.
        """
        rows, spread, log_determinant = self._filled(model)
        products = rows.T @ (rows * self.weights[:, None])
        sign, log_precision = np.linalg.slogdet(model.precision)
        if not (sign > 0.0 and np.isfinite(log_determinant)):
            raise InputError(DETERMINED)
        quadratic = float(np.sum(model.precision * products))
        value = self.constant - 0.5 * (
            log_determinant - self.total * float(log_precision) + quadratic
        )
        share = self.weights @ rows / self.total if self.center else np.zeros(self.d)
        covariance = (products + spread) / self.total - np.outer(share, share)
        return Moments(model.mean + share, 0.5 * (covariance + covariance.T)), value

    def completed(self, model: Normal) -> NDArray[np.float64]:
        """The rows (n, d) in the units of the data, gaps at their expectation."""
        rows, _, _ = self._filled(model)
        return (rows + model.mean) * self.unit + self.shift

    def _filled(self, model: Normal) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Rows about the mean with expectations in their gaps, their spread, and log |K_AA|."""
        rows = self.rows - model.mean
        spread = np.zeros((self.d, self.d))
        log_determinant = expectation(
            rows,
            self.starts,
            self.columns,
            self.gaps,
            self.weights,
            np.ascontiguousarray(model.precision),
            spread,
        )
        return rows, spread, float(log_determinant)

    def maximise(
        self,
        start: Moments,
        m_step: Callable[[Moments], Normal],
        *,
        tolerance: float,
        deadline: Deadline,
        enough: Callable[[list[float]], bool] | None = None,
        most: int = 2000,
    ) -> Trace:
        """EM from expected moments ``start`` until a step changes them by less than ``tolerance``.

        Parameters
        ----------
        start
            For the first M-step.
        m_step
            The model for given moments.
        tolerance
            On :meth:`Moments.distance`.
        deadline
            After which no further step is made.
        enough
            Asked with the log-likelihoods so far whether they tell enough already.
        most
            Steps.
        """
        moments, change = start, np.inf
        told: list[float] = []
        while True:
            model = m_step(moments)
            new, value = self.expect(model)
            told.append(value)
            change, moments = new.distance(moments), new
            over = change < tolerance or len(told) >= most or deadline.passed
            if over or (enough is not None and enough(told)):
                return Trace(moments, model, tuple(told), change)


DETERMINED = (
    "missing='em': some columns determine each other among the rows that have them, so that no "
    "covariance is the likeliest one: leave out one of each such group"
)


def any_covariance(moments: Moments) -> Normal:
    """The M-step without a graph: the moments themselves.

    Raises
    ------
    InputError
        If columns determine each other.
    """
    sizes = np.sqrt(np.diag(moments.covariance))
    correlation = moments.covariance / np.outer(sizes, sizes)
    try:
        lower = np.linalg.cholesky(correlation)
    except np.linalg.LinAlgError:
        raise InputError(DETERMINED) from None
    if np.square(np.diag(lower)).min() < _NOTHING:
        raise InputError(DETERMINED)
    inverse = np.linalg.inv(lower) / sizes
    return Normal(moments.mean, inverse.T @ inverse)


def of_graph(
    moments: Moments, weights: NDArray[np.float64], *, pooled: bool, unit: NDArray[np.float64]
) -> Normal:
    r"""The model of weights (d, d) on the edges of a graph, in standard units.

    .. math:: K = (I - W) \Omega^{-1} (I - W)^\top

    with the residual variances of ``moments`` on the diagonal of Omega; with ``pooled`` their mean
    in the units of the data, which are ``unit`` (d,) times the standard ones.
    """
    left = np.eye(len(weights)) - weights
    variances = np.einsum("ij,ik,kj->j", left, moments.covariance, left, optimize=True)
    if pooled:
        largest = unit.max()
        mean = np.mean(variances * np.square(unit / largest))
        variances = mean / np.square(unit / largest)
    variances = np.maximum(variances, _NOTHING * np.diag(moments.covariance))
    return Normal(moments.mean, (left / variances) @ left.T)


def regressions(covariance: NDArray[np.float64], graph: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Least squares of each column on its parents in ``graph`` (d, d): weights (d, d)."""
    weights = np.zeros(graph.shape)
    for j in range(len(graph)):
        parents = np.flatnonzero(graph[:, j])
        if parents.size:
            try:
                weights[parents, j] = np.linalg.solve(
                    covariance[np.ix_(parents, parents)], covariance[parents, j]
                )
            except np.linalg.LinAlgError:
                raise InputError(DETERMINED) from None
    return weights


@dataclass(frozen=True, eq=False)
class Start:
    """Moments to begin with.

    Attributes
    ----------
    moments
        Maximum likelihood without a graph, or those of independent columns where that has no
        maximum.
    unrestricted
        Which of the two.
    """

    moments: Moments = field(repr=False)
    unrestricted: bool


def start(patterns: Patterns, deadline: Deadline, tolerance: float = 1e-5) -> Start:
    """The likeliest mean and covariance; independent columns where there are none."""
    independent = patterns.independent()
    if patterns.total > patterns.d + 1:
        try:
            trace = patterns.maximise(
                independent, any_covariance, tolerance=tolerance, deadline=deadline
            )
        except InputError:
            pass
        else:
            return Start(trace.moments, True)
    model = Normal(independent.mean, independent.covariance)
    return Start(patterns.expect(model)[0], False)
