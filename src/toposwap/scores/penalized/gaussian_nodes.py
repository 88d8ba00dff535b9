r"""The nodes of a penalised score whose loss is Gaussian: least squares or likelihood.

Everything happens in units in which the columns have size one, :math:`\tilde x_u = x_u / D_u` with
powers of two :math:`D_u`, so :math:`\tilde w_u = w_u D_u / D_j` exactly.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER
from toposwap.kernels.l0.one_node import room, settle_node
from toposwap.kernels.l0.tables import rule_for
from toposwap.kernels.penalized.gaussian_node import MOST_ROUNDS, ROUGH_ROUNDS, solve_gaussian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.runtime.deadline import Deadline
    from toposwap.losses import MomentLoss
    from toposwap.penalties import ProximalPenalty


#: Few nodes have dozens of parents.
_MOST_PARENTS = 50
#: Rounds times columns cubed between two looks at the clock: some milliseconds.
_STAGE = 1_000_000


class Solution(NamedTuple):
    """A node solved.

    ``weights`` (d,) and ``loss`` are in the units of the data. ``level`` is the constant that is
    fitted where all columns are at their means, from the location of the loss and in its unit. The
    rest, (d,) each, is in the units of the solver: the coefficients ``scaled``, the ``gradient`` of
    the loss, the ``size`` of the terms that cancel in it, and the ``kinks`` that it is compared
    with.
    """

    weights: NDArray[np.float64]
    level: float
    loss: float
    scaled: NDArray[np.float64]
    gradient: NDArray[np.float64]
    size: NDArray[np.float64]
    kinks: NDArray[np.float64]


class GaussianNodes:
    """Solves and evaluates nodes from the triangular factor of the data."""

    def __init__(self, data: Dataset, tolerance: float) -> None:
        self.data = data
        self.tolerance = tolerance
        self._columns = np.ascontiguousarray(data.factor.T)
        self._covariance = self._columns @ self._columns.T

    def solve(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        start: NDArray[np.float64] | None,
        loss: MomentLoss,
        penalty: ProximalPenalty,
        *,
        required: NDArray[np.bool_] | None = None,
        weight: float = 1.0,
        rough: bool = False,
        deadline: Deadline = NEVER,
    ) -> Solution:
        """Minimise loss + weight * penalty of ``node`` from the coefficients ``start`` (d,).

        Those of ``required`` parents (d,) bear no penalty that would hold them at zero.
        A ``rough`` answer takes a fraction of the time and its value is a little too high.
        After ``deadline`` the coefficients stay as they are.
        """
        data = self.data
        ratio = data.scale[node] / data.scale
        # Least squares is divided by D_j^2, the logarithm is free of units.
        own = float(data.scale[node]) if loss.has_units else 1.0
        rho = penalty.rho()
        units, stress = penalty.in_units(ratio, weight, own, required)
        w = np.zeros(data.d) if start is None else np.where(allowed, start / ratio, 0.0)
        gradient, size = np.empty(data.d), np.empty(data.d)
        s, progress = 0.0, np.full(2, np.inf)
        rounds = ROUGH_ROUNDS if rough else MOST_ROUNDS
        for first, end in deadline.stages(rounds, _STAGE // data.d**3):
            s, done = solve_gaussian(
                self._columns,
                self._covariance,
                data.deviations,
                node,
                allowed,
                w,
                loss.terms.address,
                loss.bounded,
                rho,
                units,
                stress,
                self.tolerance,
                gradient,
                size,
                rough,
                first,
                end,
                progress,
            )
            if done:
                break
        if not loss.bounded and s == 0.0:
            raise InputError(
                f"column {data.names[node]!r} is fitted exactly by other columns, where the "
                "Gaussian likelihood has no bound: use a larger penalty, the least-squares loss "
                "(score='least-squares-l1'), fewer columns or more rows"
            )
        weights = w * ratio
        value = self._value(s, node, loss)
        kinks = rho.kink * units * stress
        return Solution(weights, 0.0, value, w, gradient, size, kinks)

    def select(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        start: NDArray[np.bool_],
        loss: MomentLoss,
        weight: float,
        required: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The parents (d,) of ``node`` with ``weight`` for each, and who else would pay, (d,).

        From the parents ``start`` (d,), until no single addition or removal pays. For the logarithm
        and for squares, of which a change of the residual variance tells everything. Those that are
        ``required`` (d,) are parents in any case.
        """
        data = self.data
        most = max(1, min(data.d - 1, data.n - 2, _MOST_PARENTS))
        demanded = None
        if required is not None:
            most = max(most, int(required.sum()))
            demanded = np.zeros((data.d, data.d), dtype=np.bool_)
            demanded[:, node] = required
        unit = np.square(data.deviations * data.scale) if loss.has_units else np.ones(data.d)
        rule = rule_for(self._correlation, not loss.has_units, weight, unit, required=demanded)
        chosen, violating = start & allowed, np.empty(data.d, dtype=np.bool_)
        settle_node(room(data.d, most), rule, node, allowed, chosen, violating)
        return chosen if required is None else chosen | required, violating

    @cached_property
    def _correlation(self) -> NDArray[np.float64]:
        """Of all columns, (d, d)."""
        unit = self._columns / self.data.deviations[:, None]
        correlation = unit @ unit.T
        np.fill_diagonal(correlation, 1.0)
        return correlation

    def evaluate(
        self, node: int, weights: NDArray[np.float64], loss: MomentLoss
    ) -> tuple[float, NDArray[np.float64], float]:
        """Loss, its gradient (d,) and the column scale at ``weights`` (d,), in units of the data.

        The intercept is the best one for the weights.
        """
        data = self.data
        with np.errstate(over="ignore", under="ignore"):
            w = weights * data.scale / data.scale[node]
        error = data.factor[:, node] - data.factor @ w
        s = float(error @ error)
        scale = float(data.scale[node])
        slope = loss.of_variance(s, data.n, scale)[1]
        unit = 2.0 * slope * loss.unit(scale) / scale
        gradient = -(data.factor.T @ error) * data.scale * unit
        size = (data.deviations[node] + np.abs(w) @ data.deviations) * unit
        return self._value(s, node, loss), gradient, float(size)

    def curvature(self, node: int, solution: Solution, loss: MomentLoss) -> NDArray[np.float64]:
        """Second derivative of the loss, or of its tangent in s, in scaled units, (d, d)."""
        error = self.data.factor[:, node] - self.data.factor @ solution.scaled
        slope = loss.of_variance(float(error @ error), self.data.n)[1]
        return np.asarray(2.0 * slope * self._covariance)

    def _value(self, s: float, node: int, loss: MomentLoss) -> float:
        return loss.of_variance(s, self.data.n, float(self.data.scale[node]))[0]
