"""What a fitted model says about interventions: effects, samples, counterfactuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.names import index_of
from toposwap.estimators.base import generator
from toposwap.estimators.sklearn_api import check_fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.intervention import Adjustment, Effect
    from toposwap.intervention.structural import StructuralModel
    from toposwap.result import Result
    from toposwap.scores.base import Score


class Intervening:
    """Methods of an estimator that has ``result_``, ``_data`` and ``score``."""

    result_: Result
    score: Any
    adjacency_matrix_: NDArray[np.float64]
    _levels: dict[str, tuple[Any, ...]]

    def effect(
        self,
        cause: int | str,
        effect: int | str,
        *,
        values: Sequence[Any] | None = None,
        per: str = "unit",
        method: str = "auto",
        level: float = 0.95,
        n_resamples: int | None = None,
        random_state: Any = 0,
    ) -> Effect:
        """The total effect of one column on another, given the graph.

        Parameters
        ----------
        cause, effect
            Columns, by name or position.
        values
            (low, high): the effect of setting the cause to ``high`` instead of ``low``. By default
            a change by one unit; of a column with two values, from the lower to the higher.
        per
            "unit" or "sd": for one unit of the cause or for one of its standard deviations, where
            ``values`` is not given. For curves and networks the average from half a standard
            deviation below the mean to half a one above it.
        method
            "auto": path algebra in linear models, simulation in others. Also "paths" and
            "adjustment" (regression on the optimal adjustment set) for linear models.
        level
            Of the interval.
        n_resamples, random_state
            Of the bootstrap behind the interval where the way from cause to effect is not linear;
            by default 50, of networks 12.

        Returns
        -------
        Effect
            ``value``, ``interval``, ``possible`` (what other graphs that fit as well give),
            ``adjustment``.
        """
        from toposwap.intervention.fitted import effect_in_model

        check_fitted(self)
        return effect_in_model(
            self,
            self._scoring(),
            self._known_data,
            self._column("cause", cause),
            self._column("effect", effect),
            values=self._coded_values(cause, values),
            per=per,
            method=method,
            level=level,
            n_resamples=None if n_resamples is None else _count("n_resamples", n_resamples, 2),
            rng=generator(random_state),
        )

    def adjustment(self, cause: int | str, effect: int | str) -> Adjustment:
        """Which regressions tell the effect of ``cause`` on ``effect``, and which do not."""
        from toposwap.intervention import Adjustment
        from toposwap.intervention.directions import undecided_class
        from toposwap.intervention.estimate import is_identified

        check_fitted(self)
        x, y = self._column("cause", cause), self._column("effect", effect)
        if x == y:
            raise InputError(f"effect: {effect!r} is the cause; name another column")
        identified = is_identified(undecided_class(self), x, y)
        return Adjustment(self.result_.names, x, y, self.adjacency_matrix_ != 0.0, identified)

    def sample(
        self, n: int, do: Mapping[Any, Any] | None = None, *, random_state: Any = None
    ) -> Any:
        """Draw ``n`` rows from the fitted model, with the columns of ``do`` set.

        Parameters
        ----------
        n
            Number of rows.
        do
            By column the value that it is set to, one for all rows or (n,).
        random_state
            As everywhere; None draws afresh.

        Returns
        -------
        DataFrame or (n, d) array
            As the data were given: with names and with the words of categories.
        """
        check_fitted(self)
        n = _count("n", n, 1)
        structure = self._structure()
        return self._given_back(structure.sample(n, self._set(do, n), generator(random_state)))

    def counterfactual(self, rows: Any, do: Mapping[Any, Any]) -> Any:
        """What ``rows`` (m, d) would have been if the columns of ``do`` had been set.

        The noise of each row is what the model leaves of it, and is kept. Columns that ``do`` does
        not act on stay as they are; a column of two values or of counts that would change is
        refused, because it does not tell its noise.
        """
        check_fitted(self)
        values = self._rows(rows)
        structure = self._structure()
        settled = structure.counterfactual(values, self._set(do, len(values)), self.result_.names)
        return self._given_back(settled)

    # --- for :mod:`toposwap.interop` ------------------------------------------------------------

    def _linear_numbers(
        self,
    ) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Names, weights, intercepts and deviations of the noise, by least squares on the graph."""
        from toposwap.intervention.fitted import is_linear
        from toposwap.intervention.linear import LinearGraph

        check_fitted(self)
        if not is_linear(self.result_.pruned.predictor):
            raise InputError(
                f"the score {self.result_.score_name!r} is not linear: give the graph alone "
                "(to_pgmpy) and fit it there"
            )
        graph = LinearGraph(self._known_data, self.adjacency_matrix_ != 0.0)
        # An edge is there even if its coefficient happens to be zero.
        weights = np.where(graph.edges & (graph.weights == 0.0), 1e-300, graph.weights)
        return self.result_.names, weights, graph.intercepts, graph.noise_deviations

    def _graph_numbers(self) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Attributes of nodes (d,) and of edges (d, d)."""
        from toposwap.intervention.directions import undecided_class
        from toposwap.intervention.fitted import is_linear
        from toposwap.intervention.linear import LinearGraph

        check_fitted(self)
        edges = self.adjacency_matrix_ != 0.0
        deviations = self._known_data.deviations * self._known_data.scale
        left = undecided_class(self)
        nodes: dict[str, NDArray[Any]] = {"mean": self._known_data.mean, "deviation": deviations}
        of_edges: dict[str, NDArray[Any]] = {"open": edges & left & left.T}
        predictor = self.result_.pruned.predictor
        convert = getattr(predictor, "standardised", None)
        if convert is not None:
            of_edges["standardised"] = np.asarray(convert(self.adjacency_matrix_, deviations))
        if is_linear(predictor):
            graph = LinearGraph(self._known_data, edges)
            nodes["noise_deviation"] = graph.noise_deviations
            of_edges["standard_error"] = graph.standard_errors
        return nodes, of_edges

    # --- what users give and get -----------------------------------------------------------------

    def _scoring(self) -> Score:
        from toposwap.core.registry import resolve
        from toposwap.scores import SCORES, Score

        return resolve("score", self.score, SCORES, Score)

    def _structure(self) -> StructuralModel:
        from toposwap.intervention.fitted import structural_model

        return structural_model(self, self._scoring(), self._known_data)[0]

    def _set(self, do: Mapping[Any, Any] | None, n: int) -> dict[int, NDArray[np.float64]]:
        """The values of ``do`` as numbers, by column position."""
        if do is not None and not isinstance(do, Mapping):
            raise InputError(f"do: must be a dict of columns and values, got {do!r}")
        found = {}
        for column, value in (do or {}).items():
            coded = self._coded(column, value)
            if coded.shape not in ((), (n,)) or not np.isfinite(coded).all():
                raise InputError(
                    f"do: the value of {column!r} must be one finite number or {n} of them"
                )
            found[self._column("do", column)] = coded
        return found

    def _coded(self, column: int | str, value: Any) -> NDArray[np.float64]:
        """A value as the model counts it: words of a category by their place."""
        name = self.result_.names[self._column("do", column)]
        levels = self._levels.get(name)
        try:
            if levels is not None:
                code = {level: float(k) for k, level in enumerate(levels)}
                parts = [value] if np.ndim(value) == 0 else list(value)
                coded = np.array([code[part] for part in parts])
                return coded[0] if np.ndim(value) == 0 else coded
            return np.asarray(value, dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            known = "" if levels is None else f" ({', '.join(map(str, levels))})"
            raise InputError(f"{name!r} cannot be set to {value!r}{known}") from None

    def _coded_values(self, cause: int | str, values: Any) -> Any:
        """Words of a category by their place; what is no pair is left for its own error."""
        if isinstance(values, list | tuple) and len(values) == 2:
            return [self._coded(cause, value) for value in values]
        return values

    def _given_back(self, values: NDArray[np.float64]) -> Any:
        """Rows as the data were given."""
        if not hasattr(self, "feature_names_in_"):
            return values
        import pandas as pd

        frame = pd.DataFrame(values, columns=index_of(self.result_.names))
        for name, levels in self._levels.items():
            frame[name] = [levels[int(code)] for code in frame[name]]
        return frame

    @property
    def _known_data(self) -> Dataset:
        """The data that the model was fitted to; of a pickled one their moments alone."""
        data = getattr(self, "_data", None)
        if data is None:
            data = getattr(self, "_moments", None)
        if data is None:
            raise InputError(
                "this needs the data that the model was fitted to, which a pickled one leaves "
                "out: fit it to the table again"
            )
        return data

    def __getstate__(self) -> dict[str, Any]:
        """Moments stay, which linear effects are made of; rows are not the model's to carry."""
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        data = getattr(self, "_data", None)
        if data is not None and data.interventions is None:
            state["_moments"] = replace(data, held=None, row_weights=None)
        return state

    # Of :class:`~toposwap.estimators.predictions.Predicting`.
    if TYPE_CHECKING:

        def _column(self, argument: str, column: int | str) -> int: ...
        def _rows(self, X: Any) -> NDArray[np.float64]: ...


def _count(argument: str, value: Any, lowest: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and value >= lowest):
        raise InputError(f"{argument}: must be a whole number >= {lowest}, got {value!r}")
    return int(value)
