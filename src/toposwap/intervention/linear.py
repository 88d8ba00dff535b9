r"""Total effects in linear models, exact given the graph.

Column j is regressed on its parents in the graph, :math:`b_j`, with residual variance
:math:`s_j^2` on :math:`n - p_j - 1` degrees of freedom. The total effect of x on y is the sum over
directed paths of the products of their coefficients,

.. math:: \tau = T_{xy}, \qquad T = (I - B)^{-1}, \qquad
          \frac{\partial \tau}{\partial b_{ij}} = T_{xi} T_{jy} .

Given the graph the regressions of different columns are uncorrelated, so that

.. math:: \operatorname{var} \hat\tau = \sum_j T_{jy}^2 \,
          \frac{s_j^2}{n}\, t_j^\top S_j^{-1} t_j, \qquad t_j = T_{x,\, pa(j)}, \quad
          S_j = \tfrac1n X_{pa(j)}^\top X_{pa(j)} .

The interval is that of Student's t with the degrees of freedom of Welch and Satterthwaite; for
an effect of one edge it is the interval of the regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.graph import acyclic_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


class Estimate(NamedTuple):
    """A number with its standard error and the degrees of freedom behind that."""

    value: float
    standard_error: float = 0.0
    freedom: float = np.inf

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """From Student's t."""
        if self.standard_error == 0.0:
            return self.value, self.value
        from scipy.special import stdtrit

        if not (np.isfinite(self.standard_error) and self.freedom > 0.0):
            return -np.inf, np.inf
        reach = float(stdtrit(min(self.freedom, 1e9), 0.5 + level / 2.0)) * self.standard_error
        return self.value - reach, self.value + reach

    def times(self, factor: float) -> Estimate:
        """The estimate of ``factor`` times the number."""
        return Estimate(self.value * factor, self.standard_error * abs(factor), self.freedom)


class Regression(NamedTuple):
    """One column on some others.

    Attributes
    ----------
    on
        The others, (p,).
    coefficients
        (p,), in the units of the data.
    units
        u, (p,): what the columns ``on`` are divided by to be of about the same size.
    root
        r, (p, p) upper triangular, with r'r / n the covariance of ``on`` in these units.
    deviation
        Of the residuals, by their degrees of freedom.
    freedom
        n - p - 1; n - p where the data are not centred.
    """

    on: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    units: NDArray[np.float64]
    root: NDArray[np.float64]
    deviation: float
    freedom: float

    def error_along(self, direction: NDArray[np.float64]) -> float:
        """The error of ``direction . coefficients``, (p,); infinite if nothing determines it."""
        if not direction.any():
            return 0.0
        if self.freedom <= 0.0:
            return np.inf
        from scipy.linalg import solve_triangular

        size = np.abs(np.diag(self.root))
        if size.min() <= 1e-12 * np.abs(self.root).max():
            return np.inf
        # Squares of columns of extreme sizes would be no numbers.
        scaled = direction / self.units
        largest = float(np.abs(scaled).max())
        part = solve_triangular(self.root, scaled / largest, trans=1, lower=False)
        return self.deviation * largest * float(np.linalg.norm(part))


def regress(data: Dataset, target: int, on: Sequence[int] | NDArray[np.int64]) -> Regression:
    """Least squares of column ``target`` on the columns ``on``, from the factor of the data."""
    columns = np.asarray(on, dtype=np.int64)
    p, n = columns.size, data.n
    scaled = data.factor[:, columns]
    y = data.factor[:, target]
    unit = float(data.scale[target])
    coefficients = np.linalg.lstsq(scaled, y, rcond=None)[0] if p else np.zeros(0)
    left = y - scaled @ coefficients
    freedom = float(n - p - (1 if data.centered else 0))
    deviation = (
        float(np.linalg.norm(left)) * unit * np.sqrt(n / freedom) if freedom > 0.0 else np.inf
    )
    root = np.linalg.qr(scaled, mode="r") * np.sqrt(n)
    units = data.scale[columns]
    return Regression(columns, coefficients * unit / units, units, root, deviation, freedom)


@dataclass(frozen=True, eq=False)
class LinearGraph:
    """A DAG with the least-squares coefficients of its edges.

    Attributes
    ----------
    data
        Its factor is all that is used.
    edges
        (d, d), a DAG.
    """

    data: Dataset
    edges: NDArray[np.bool_]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Causes first, (d,)."""
        return acyclic_order(self.edges, "the graph")

    @cached_property
    def regressions(self) -> tuple[Regression, ...]:
        """Of each column on its parents, (d,)."""
        edges = self.edges
        return tuple(
            regress(self._own(j), j, np.flatnonzero(edges[:, j])) for j in range(len(edges))
        )

    def _own(self, j: int) -> Dataset:
        """The moments of the rows that count for column j: those in which it was not set."""
        if self.data.interventions is None:
            return self.data
        return next(group.moments for group in self.data.own_rows if j in group.nodes)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """B, (d, d)."""
        weights = np.zeros(self.edges.shape)
        for j, regression in enumerate(self.regressions):
            weights[regression.on, j] = regression.coefficients
        return weights

    @cached_property
    def intercepts(self) -> NDArray[np.float64]:
        """b_0j = mean_j - mean . b_j, (d,)."""
        means = np.array([self._own(j).mean for j in range(len(self.edges))])
        return np.diagonal(means) - np.einsum("ji,ij->j", means, self.weights)

    @cached_property
    def noise_deviations(self) -> NDArray[np.float64]:
        """s_j, (d,)."""
        return np.array([regression.deviation for regression in self.regressions])

    @cached_property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of B, (d, d); 0 where there is no edge."""
        errors = np.zeros(self.edges.shape)
        for j, regression in enumerate(self.regressions):
            for k, i in enumerate(regression.on):
                one = np.zeros(regression.on.size)
                one[k] = 1.0
                errors[i, j] = regression.error_along(one)
        return errors

    def total_effect(self, x: int, y: int) -> Estimate:
        """T_xy with its standard error; exactly 0 where no directed path leads from x to y."""
        from_x = self._effects_of(x)
        to_y = self._effects_on(y)
        if x == y or not self._leads(x, y):
            return Estimate(1.0 if x == y else 0.0)
        parts = [
            (abs(to_y[j]) * regression.error_along(from_x[regression.on]), regression.freedom)
            for j, regression in enumerate(self.regressions)
            if j != x and to_y[j] != 0.0 and regression.on.size
        ]
        errors, freedoms = np.array(parts).reshape(-1, 2).T
        largest = float(errors.max(initial=0.0))
        if not np.isfinite(largest):
            return Estimate(float(from_x[y]), np.inf, 0.0)
        if largest == 0.0:
            return Estimate(float(from_x[y]))
        counted = errors > 0.0
        shares = (errors[counted] / largest) ** 2
        freedom = shares.sum() ** 2 / (shares**2 / freedoms[counted]).sum()
        error = largest * np.sqrt(shares.sum())
        return Estimate(float(from_x[y]), float(error), float(freedom))

    def _leads(self, x: int, y: int) -> bool:
        reached = np.zeros(len(self.edges), dtype=bool)
        reached[x] = True
        for j in self.order:
            reached[j] |= bool((self.edges[:, j] & reached).any())
        return bool(reached[y])

    def _effects_of(self, x: int) -> NDArray[np.float64]:
        """T_x., (d,), by substitution in the order of the graph."""
        effects = np.zeros(len(self.edges))
        effects[x] = 1.0
        for j in self.order:
            if j != x:
                effects[j] = effects @ self.weights[:, j]
        return effects

    def _effects_on(self, y: int) -> NDArray[np.float64]:
        """T_.y, (d,)."""
        effects = np.zeros(len(self.edges))
        effects[y] = 1.0
        for i in self.order[::-1]:
            if i != y:
                effects[i] = self.weights[i] @ effects
        return effects


def adjusted_effect(data: Dataset, x: int, y: int, given: Sequence[int]) -> Estimate:
    """The coefficient of x in the regression of y on x and the columns ``given``."""
    regression = regress(data, y, [x, *given])
    first = np.zeros(regression.on.size)
    first[0] = 1.0
    error = regression.error_along(first)
    return Estimate(float(regression.coefficients[0]), error, regression.freedom)
