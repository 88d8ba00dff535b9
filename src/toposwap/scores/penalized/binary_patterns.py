"""The nodes of a sparse score on 0/1 columns, through the patterns of the few columns in use.

For canonical losses, in which the mean of y stands for the rows of a pattern.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.penalized.glm_node import MOST_STEPS, loss_terms, solve_glm
from toposwap.kernels.penalized.patterns import pattern_sums, spread_residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.kernels.penalized.rho import Rho

#: With more columns in use there are hardly fewer patterns than rows.
_MOST_COLUMNS = 9


class PatternSolver:
    """Grows the set of columns in use until no other violates its condition.

    Parameters
    ----------
    Z, omega, columns, targets
        Scaled columns (d, n), weights of the rows (n,), columns as they are and as what is to be
        predicted (d, n).
    mean, scale
        Z = (columns - mean) / scale, (d,) each.
    deviations
        Standard deviations of the rows of Z, (d,), or their root mean squares where the mean is 0.
    intercept
        Whether the constant of a node is free.
    """

    def __init__(
        self,
        Z: NDArray[np.float64],
        omega: NDArray[np.float64],
        columns: NDArray[np.float64],
        targets: NDArray[np.float64],
        mean: NDArray[np.float64],
        scale: NDArray[np.float64],
        deviations: NDArray[np.float64],
        *,
        intercept: bool = True,
    ) -> None:
        self._intercept = intercept
        self._Z, self._omega, self._targets = Z, omega, targets
        self._mean, self._scale, self._deviations = mean, scale, deviations
        self._binary = ((columns == 0.0) | (columns == 1.0)).all(axis=1)
        self._bits = np.where(self._binary[:, None], columns, 0.0).astype(np.uint8)
        self._squares = np.square(targets) @ omega

    def solve(
        self,
        node: int,
        terms: int,
        parameters: NDArray[np.float64],
        allowed: NDArray[np.bool_],
        w: NDArray[np.float64],
        b: float,
        rho: Rho,
        units: NDArray[np.float64],
        weights: NDArray[np.float64],
        tolerance: float,
        gradient: NDArray[np.float64],
        size: NDArray[np.float64],
    ) -> tuple[float, float, bool]:
        """As ``solve_glm`` of the kernels; False at the end means: use that."""
        y, n = self._targets[node], self._omega.size
        codes, residual = np.empty(n, dtype=np.int64), np.empty(n)
        active = w != 0.0
        while True:
            some = np.flatnonzero(active)
            if some.size > _MOST_COLUMNS or not self._binary[some].all():
                return b, 0.0, False
            mass, total = pattern_sums(self._bits, self._omega, y, some, codes)
            met = mass > 0.0
            pattern = (np.arange(mass.size)[met] >> np.arange(some.size)[:, None]) & 1
            Z = (pattern - self._mean[some, None]) / self._scale[some, None]
            weight, target = mass[met], total[met] / mass[met]
            part = w[some]
            unused = np.empty(some.size), np.empty(some.size)
            b, loss, solved, _ = solve_glm(
                Z,
                weight,
                target,
                terms,
                parameters,
                self._deviations[some],
                np.ones(some.size, dtype=bool),
                part,
                b,
                rho,
                units[some],
                weights[some],
                0.5 * tolerance,
                *unused,
                self._intercept,
                0,
                MOST_STEPS,
                np.array([np.inf, np.inf, 0.0]),
            )
            if not solved:
                return b, 0.0, False
            w[some] = part
            # The residuals of the patterns hold the means that their rows share.
            left, curvature = np.empty(weight.size), np.empty(weight.size)
            loss_terms(Z, weight, target, terms, parameters, part, b, left, curvature)
            fitted = left / weight + target
            mu = np.zeros(mass.size)
            mu[met] = fitted
            spread_residuals(self._omega, y, codes, mu, residual)
            np.dot(self._Z, residual, out=gradient)
            squares = weight @ np.square(fitted)
            size[:] = self._deviations * float(np.sqrt(self._squares[node]) + np.sqrt(squares))
            wrong = (
                allowed
                & ~active
                & (np.abs(gradient) > rho.kink * units * weights + tolerance * size)
            )
            if not wrong.any():
                return b, loss, True
            active |= wrong
