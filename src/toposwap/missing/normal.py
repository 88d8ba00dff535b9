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
from toposwap.kernels.missing.regressions import regressions as _regressions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.core.tables.gaps import Incomplete

#: Steps of EM between two extrapolations.
_STEPS = 3
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
        The rows; checked by :meth:`~toposwap.core.tables.gaps.Incomplete.check`.
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
        most: int = 600,
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
        path: list[Moments] = [start]
        told: list[float] = []
        while True:
            model = m_step(path[-1])
            new, value = self.expect(model)
            told.append(value)
            change = new.distance(path[-1])
            path.append(new)
            over = change < tolerance or len(told) >= most or deadline.passed
            if over or (enough is not None and enough(told)):
                return Trace(new, model, tuple(told), change)
            if enough is None and len(path) >= _STEPS + 3:
                path = [self._ahead(path[-3:], m_step, value)]

    def _ahead(
        self, path: list[Moments], m_step: Callable[[Moments], Normal], value: float
    ) -> Moments:
        """Where two steps of EM are leading to, if it is no less likely than their end.

        Of three moments in a row the steps r and r + v make the extrapolation of SQUAREM, by
        -2a r + a^2 v from the first, a = -|r| / |v|.
        """
        vectors = [np.concatenate((one.mean, one.covariance.ravel())) for one in path]
        r = vectors[1] - vectors[0]
        v = vectors[2] - vectors[1] - r
        bend = float(np.linalg.norm(v))
        far = -float(np.linalg.norm(r)) / bend if bend > 0.0 else 0.0
        if far < -1.0:
            ahead = vectors[0] - 2.0 * far * r + far * far * v
            tried = Moments(ahead[: self.d], ahead[self.d :].reshape(self.d, self.d))
            try:
                positive = (np.diag(tried.covariance) > 0.0).all()
                if positive and self.expect(m_step(tried))[1] >= value:
                    return tried
            except InputError:
                pass
        return path[-1]


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
    with np.errstate(over="ignore", invalid="ignore"):
        inverse = np.linalg.inv(lower) / sizes
        precision = inverse.T @ inverse
    if not np.isfinite(precision).all():
        raise InputError(DETERMINED)
    return Normal(moments.mean, precision)


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
    if not _regressions(np.ascontiguousarray(covariance), np.ascontiguousarray(graph), weights):
        raise InputError(DETERMINED)
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
