r"""New rows with gaps, under a linear model with normal noise.

.. math:: x_O \sim N(\mu_O, \Sigma_{OO}), \qquad
          \Sigma = (I - W)^{-\top} \Omega\, (I - W)^{-1} .

The prediction of a column is its expectation given those of its non-descendants that are there.
Where all its parents are, it is the regression on these: given its parents a column does not depend
on its other non-descendants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.graphs.reachability import reachability
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.result import Result


@dataclass(frozen=True, eq=False)
class NormalRows:
    """The model of a linear predictor, in units of the columns' deviations.

    Attributes
    ----------
    predictor
        For rows without gaps.
    mean, unit
        Of the columns under the model, (d,) each.
    correlation
        (d, d).
    descends
        ``descends[i, j]`` tells whether j is i or a descendant of it, (d, d).
    likelihood
        Whether the score says how likely rows are.
    """

    predictor: LinearModel
    mean: NDArray[np.float64]
    unit: NDArray[np.float64]
    correlation: NDArray[np.float64]
    descends: NDArray[np.bool_]
    likelihood: bool

    @classmethod
    def of(cls, result: Result, data: Dataset) -> NormalRows | None:
        """That of a result on ``data``; None where the model is no linear one of measurements.

        Nor where its variances, in units of the columns, are too large for a number.
        """
        predictor = result.pruned.predictor
        if not isinstance(predictor, LinearModel):
            return None
        losses = predictor.densities.losses
        if not all(loss.from_moments for loss in (*losses, *(predictor.losses or ()))):
            return None
        told = np.array([facts.variance for facts in predictor.densities.facts])
        scale = data.deviations * data.scale
        W = predictor.weights * scale[:, None] / scale
        left = data.residual_variances(predictor.weights)
        with np.errstate(over="ignore"):
            variances = np.where(np.isnan(told), left, told) / np.square(scale)
        if not np.isfinite(variances).all():
            # One variance for columns of extreme sizes, some of which are then nothing but noise.
            return None
        paths = np.linalg.inv(np.eye(data.d) - W)
        covariance = paths.T @ (variances[:, None] * paths)
        deviations = np.sqrt(np.diag(covariance))
        return cls(
            predictor,
            (predictor.intercepts / scale) @ paths * scale,
            scale * deviations,
            covariance / np.outer(deviations, deviations),
            reachability(predictor.weights != 0.0),
            not np.isnan(told).any(),
        )

    def predict(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expectation of each column of ``rows`` (m, d) given its non-descendants, (m, d)."""
        gaps = np.isnan(rows)
        standard = (rows - self.mean) / self.unit
        fitted = self.predictor(np.where(gaps, self.mean, rows))
        parents = self.predictor.weights != 0.0
        patterns, of_row = np.unique(gaps, axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            chosen = of_row.ravel() == k
            for j in np.flatnonzero((parents & pattern[:, None]).any(axis=0)):
                given = np.flatnonzero(~pattern & ~self.descends[j])
                expected = standard[np.ix_(chosen, given)] @ self._coefficients(given, int(j))
                fitted[chosen, j] = self.mean[j] + self.unit[j] * expected
        return fitted

    def log_density(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of what each of ``rows`` (m, d) has, (m,); 0 where it has nothing."""
        gaps = np.isnan(rows)
        standard = (rows - self.mean) / self.unit
        found = np.zeros(len(rows))
        patterns, of_row = np.unique(gaps, axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            chosen, there = of_row.ravel() == k, np.flatnonzero(~pattern)
            lower = np.linalg.cholesky(self.correlation[np.ix_(there, there)])
            z = np.linalg.solve(lower, standard[np.ix_(chosen, there)].T)
            sizes = np.log(np.diag(lower)) + np.log(self.unit[there]) + 0.5 * np.log(2.0 * np.pi)
            found[chosen] = -0.5 * np.square(z).sum(axis=0) - sizes.sum()
        return found

    def _coefficients(self, given: NDArray[np.int64], j: int) -> NDArray[np.float64]:
        """Of the regression of column ``j`` on the columns ``given``."""
        inside = self.correlation[np.ix_(given, given)]
        return np.linalg.lstsq(inside, self.correlation[given, j], rcond=None)[0]
