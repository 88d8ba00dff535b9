"""What a fitted model says about new rows, and along one edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.columns import column_names
from toposwap.core.validation import as_table, column_place, listed, places, refuse_unusable
from toposwap.estimators.sklearn_api import check_fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.missing.rows import NormalRows
    from toposwap.result import Result
    from toposwap.scores.base import Predictor


class EdgeFunction(NamedTuple):
    """A fitted column along one of its parents: ``values`` at ``grid``, (n_points,) each.

    Of a parent that is a category, ``grid`` holds its values, as numbers; of a fitted category,
    ``values`` (n_points, L) the chance of each of its own.
    """

    grid: NDArray[np.float64]
    values: NDArray[np.float64]


class Chances(NamedTuple):
    """How likely each of the L ``levels`` of a column is, ``values`` (m, L), for m rows."""

    levels: tuple[Any, ...]
    values: NDArray[np.float64]


class Typical(NamedTuple):
    """Means and ranges of the columns that a model was fitted to, (d,) each."""

    mean: NDArray[np.float64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]

    @classmethod
    def of(cls, data: Dataset) -> Typical:
        """Of a covariance matrix alone the range is two deviations to either side."""
        if data.held is None:
            reach = 2.0 * data.deviations * data.scale
            return cls(data.mean, data.mean - reach, data.mean + reach)
        known = data.centered and data.interventions is None and data.row_weights is None
        return cls(data.mean if known else data.average_row(), *data.extremes)


class Predicting:
    """Methods of an estimator that has ``result_`` and ``_typical``."""

    result_: Result
    _typical: Typical
    #: What 0, 1, 2, ... stand for in the columns that held text, by name.
    _levels: dict[str, tuple[Any, ...]]
    #: Whether rows may have gaps, and the model for them if there is one.
    _takes_gaps: bool = False
    _rows_with_gaps: NormalRows | None = None

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The fitted value of each column given the other columns, (m, d), for rows ``X`` (m, d).

        Column j is predicted from the columns of ``X`` that are its parents: by regression for real
        columns, as the chance of a one for logistic and the mean count for Poisson columns. A
        rating is predicted by its mean, a category by the likeliest of its values, as a number;
        :meth:`chances` has those of all.
        The model is the one behind ``adjacency_matrix_`` where pruning fitted it again (the score's
        own rule, ``prune="auto"``), and the certified solution ``weights_`` otherwise. A table
        whose columns have names is matched by these.

        Rows with gaps: with ``missing="em"`` or ``"impute"`` and a linear model of measurements a
        column is predicted from those of its non-descendants that are there, which comes to the
        same where no parent is missing. Other models refuse them.
        """
        check_fitted(self)
        rows = self._rows(X)
        if np.isnan(rows).any():
            return self._normal_rows().predict(rows)
        return self._predictor()(rows)

    def chances(self, X: Any, j: int | str) -> Chances:
        """How likely each value of column ``j`` is given its parents in rows ``X`` (m, d).

        For categories and ratings, of a score that has likelihoods of these.
        """
        check_fitted(self)
        column = self._column("j", j)
        chances = getattr(self._predictor(), "chances", None)
        found = None if chances is None else chances(self._rows(X), column)
        if found is None:
            raise InputError(
                f"j: {j!r} is neither a category nor a rating of this model, whose score is "
                f"{self.result_.score_name!r}; predict(X) has its fitted values"
            )
        levels, values = found
        return Chances(levels.names, values)

    def log_likelihood(self, X: Any) -> float:
        r"""The log-likelihood of rows ``X`` (m, d) under the model of :meth:`predict`, a row.

        .. math:: \frac1m \sum_{r=1}^m \sum_j \log p(x_{rj} \mid \text{parents of } j)

        A Gaussian column has the residual variance of the data that the model was fitted to (one
        for all columns if the score has equal variances), logistic and Poisson columns have their
        own likelihoods, all constants included. A score that is no likelihood (least squares,
        "basis", "mlp" with its squares) gives minus its loss instead, -1/2 ||x - f||^2 a row: good
        for comparing settings of one score, and not with other scores.

        Of rows with gaps it is that of the values that are there, with the models of which
        :meth:`predict` takes such rows.

        Larger is better. :func:`toposwap.metrics.log_likelihood` is the same as a scorer for
        scikit-learn's cross-validation.
        """
        check_fitted(self)
        predictor = self._predictor()
        if not hasattr(predictor, "log_density"):
            raise InputError(
                f"log_likelihood: the score {self.result_.score_name!r} says nothing about the "
                "distribution of a row; give its predictor a method log_density(X) -> (m,), or "
                "use a score of this package"
            )
        rows = self._rows(X)
        if not np.isnan(rows).any():
            return float(np.mean(predictor.log_density(rows)))
        model = self._normal_rows()
        if not model.likelihood:
            raise InputError(
                f"log_likelihood: the score {self.result_.score_name!r} is no likelihood, so that "
                "rows with gaps have none: drop those rows"
            )
        return float(np.mean(model.log_density(rows)))

    def level_probabilities(self, X: Any, column: int | str) -> NDArray[np.float64]:
        """The chances of each value of ``column`` given its parents in rows ``X`` (m, d), (m, r).

        For scores on tables of categories. Values are those that occurred, in rising or
        alphabetical order, or in that of an ordered category. What did not occur with certain
        parents is unlikely and not impossible: the posterior mean under the prior of BDeu, whose
        equivalent sample size is 1 for other scores.
        """
        check_fitted(self)
        predictor = self._predictor()
        if not hasattr(predictor, "probabilities"):
            raise InputError(
                f"level_probabilities: the score {self.result_.score_name!r} has no tables of "
                "probabilities; predict(X) has the fitted values"
            )
        chances = predictor.probabilities(self._rows(X), self._column("column", column))
        return np.array(chances)

    def _rows(self, X: Any) -> NDArray[np.float64]:
        """New rows (m, d), their columns in the order of the data."""
        values, labels, _ = as_table(X, None, levels=self._levels)
        names = list(self.result_.names)
        if len(labels) != len(names):
            # In the words of scikit-learn, whose checks look for them.
            raise InputError(
                f"X has {len(labels)} features, but {type(self).__name__} is expecting "
                f"{len(names)} features as input"
            )
        if column_names(X) is not None and hasattr(self, "feature_names_in_"):
            if set(labels) != set(names):
                raise InputError(
                    f"X: its columns ({listed(labels)}) are not those the model was fitted to "
                    f"({listed(names)})"
                )
            place = places(labels)
            values = values[:, [place[name] for name in names]]
        gaps = np.isnan(values)
        if gaps.any() and self._takes_gaps:
            refuse_unusable(np.where(gaps, 0.0, values), names)
        else:
            refuse_unusable(values, names)
        return values

    def _normal_rows(self) -> NormalRows:
        if self._rows_with_gaps is None:
            raise InputError(
                "X: rows with gaps can be predicted by linear models of measurements only, and "
                f"that of {self.result_.score_name!r} is none: fill the gaps, or drop those rows"
            )
        return self._rows_with_gaps

    def edge_function(self, i: int | str, j: int | str, n_points: int = 100) -> EdgeFunction:
        """The fitted value of ``j`` over the range of ``i`` in the data, others at their mean.

        Columns by position or by name. Where there is no edge i -> j in the model of
        :meth:`predict` the function is constant.
        """
        check_fitted(self)
        if hasattr(self._predictor(), "probabilities"):
            raise InputError(
                "edge_function: between categories there is no curve; see level_probabilities"
            )
        source, target = (self._column(name, value) for name, value in (("i", i), ("j", j)))
        if source == target:
            raise InputError(f"j: {j!r} is no function of itself; name another column")
        whole = isinstance(n_points, int | np.integer) and not isinstance(n_points, bool)
        if not (whole and n_points >= 2):
            raise InputError(f"n_points: must be a whole number >= 2, got {n_points!r}")
        typical = self._typical
        along = getattr(self._predictor(), "along", None)
        if along is not None:
            reach = float(typical.lowest[source]), float(typical.highest[source])
            return EdgeFunction(*along(source, target, int(n_points), reach))
        grid = np.linspace(typical.lowest[source], typical.highest[source], n_points)
        rows = np.tile(typical.mean, (n_points, 1))
        rows[:, source] = grid
        return EdgeFunction(grid, self._predictor()(rows)[:, target])

    def _predictor(self) -> Predictor:
        predictor = self.result_.pruned.predictor
        if predictor is None:
            raise InputError("the score of this model makes no predictions")
        return predictor

    def _column(self, argument: str, column: int | str) -> int:
        return column_place(self.result_.names, argument, column)
