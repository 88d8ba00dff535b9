"""What every learner of the package offers: fit, names, and a judged result."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError, ToposwapWarning, UnitsWarning
from toposwap.core.tables.columns import column_names, lives_on_a_cluster
from toposwap.estimators.sklearn_api import Estimator

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx as nx
    from numpy.typing import ArrayLike, NDArray

    from toposwap.certificate import Certificate
    from toposwap.result import Result
    from toposwap.search import Step


class DagLearner(Estimator):
    """Base of the estimators: what is the same whatever the method.

    Subclasses store their parameters and write :meth:`_fit`, which ends in :meth:`_keep`.
    """

    center: bool
    #: Without a predictor, the weights are the coefficients of a linear model.
    linear: ClassVar[bool] = False

    @abstractmethod
    def _fit(self, data: Dataset, *, named: bool) -> Self:
        """Learn from ``data``; ``named`` says whether its names were given."""

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002 - scikit-learn passes y
        sample_weight: ArrayLike | None = None,
        interventions: Any = None,
    ) -> Self:
        """Learn from a table (n, d), array or DataFrame; ``y`` is ignored.

        A :class:`~toposwap.Dataset` is taken as it is, whatever ``center`` says; of a dask array or
        frame the moments are computed where its partitions are. ``sample_weight``
        (n,) says how often each row counts: whole numbers are the same as so many rows, and the
        number of rows is their sum (weights of a survey are best scaled to a mean of 1).
        ``interventions`` (n,) says which variables were set from outside in each row: None, a name,
        or a list of names; also a table (n, d) of bool.
        """
        return self._fit(self._dataset(X, sample_weight, interventions), named=has_names(X))

    def _dataset(
        self, X: Any, sample_weight: ArrayLike | None = None, interventions: Any = None
    ) -> Dataset:
        """The data in ``X``, as the parameters say."""
        if isinstance(X, Dataset):
            for name, given in (("sample_weight", sample_weight), ("interventions", interventions)):
                if given is not None:
                    raise InputError(f"{name}: give it to Dataset.from_table instead")
            return X
        if lives_on_a_cluster(X):
            for name, given in (("sample_weight", sample_weight), ("interventions", interventions)):
                if given is not None:
                    raise InputError(f"{name}: not for data on a cluster")
            return Dataset.from_dask(X, center=self.center)
        return Dataset.from_table(
            X,
            center=self.center,
            kinds=getattr(self, "kinds", None),
            sample_weight=sample_weight,
            interventions=interventions,
            intervention_kind=getattr(self, "intervention_kind", "perfect"),
        )

    def fit_covariance(
        self, covariance: ArrayLike, n: int, names: Sequence[str] | None = None
    ) -> Self:
        """Learn from a covariance matrix (d, d), divisor n, and the number of rows behind it."""
        data = Dataset.from_covariance(covariance, n, names=names)
        return self._fit(data, named=names is not None or has_names(covariance))

    def _keep(self, result: Result, data: Dataset, *, named: bool) -> Self:
        """Store what was learned, and warn of what had to be assumed or mended."""
        for remark in result.remarks:
            warnings.warn(remark, ToposwapWarning, stacklevel=4)
        if named:
            self.feature_names_in_ = np.array(data.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.result_ = result
        self.threshold_ = result.pruned.threshold
        self.n_features_in_ = data.d
        self.n_iter_ = len(result.history) - 1
        self.weights_ = result.weights
        self._deviations = data.deviations * data.scale
        self.adjacency_matrix_ = result.pruned.weights.copy()
        if result.scale_dependent and result.status != "given order":
            self._warn_of_units(data)
        return self

    def _warn_of_units(self, data: Dataset) -> None:
        """Say what the command line's report says, where the columns are in unlike units."""
        from toposwap.diagnostics import NEARLY_ALL, in_unlike_units, units_in_words

        share = self.varsortability_
        # The residuals are asked for only where they can decide.
        if not share >= NEARLY_ALL:
            return
        variances = self._residual_variances(data)
        if variances is not None and in_unlike_units(share, variances):
            told = units_in_words(share, self.result_.score_name)
            warnings.warn(told, UnitsWarning, stacklevel=5)

    def _residual_variances(self, data: Dataset) -> NDArray[np.float64] | None:
        """Of the solution, (d,); None where the model does not say what it expects."""
        from toposwap.scores.predictors import LinearModel

        predictor = self.result_.predictor
        if isinstance(predictor, LinearModel) or (predictor is None and self.linear):
            weights = self.result_.weights
            variances = self.result_.residual_variances
            if variances is None:
                variances = data.residual_variances(weights)
            if data.held is not None and not data.centered:
                # Of data that were not centred these are second moments.
                mean = data.average_row()
                variances = np.maximum(variances - (mean - mean @ weights) ** 2, 0.0)
            return variances
        if predictor is None or data.rows is None:
            return None
        residual = data.rows - predictor(data.rows)
        return data.average((residual - data.average(residual)) ** 2)

    result_: Result
    weights_: NDArray[np.float64]
    adjacency_matrix_: NDArray[np.float64]

    @property
    def causal_order_(self) -> list[int]:
        """Column positions, causes first.

        That of ``adjacency_matrix_``; a score's own rule of pruning may turn edges of the solution,
        whose order is ``result_.order``.
        """
        return list(self.result_.pruned.order)

    @property
    def score_(self) -> float:
        """Q at ``weights_``, the unpruned solution, with its penalty."""
        return self.result_.score

    @property
    def loss_(self) -> float:
        """The loss part of ``score_``, without the penalty."""
        return self.result_.loss

    @property
    def cpdag_(self) -> NDArray[np.bool_]:
        """The Markov equivalence class of the pruned graph, (d, d).

        ``cpdag_[i, j]`` without ``cpdag_[j, i]`` is an edge that every DAG of the class has in this
        direction; both together are an edge whose direction the class leaves open. What is known
        about directions narrows the class, by Meek's rules, and so do interventions: they tell the
        direction of an edge of which just one end was set in some row, which makes this the
        interventional essential graph.
        """
        from toposwap.metrics.directions import permitted_class

        done = self.result_.environments
        return permitted_class(
            self.adjacency_matrix_ != 0.0,
            self.result_.admissible,
            None if done is None else done.sets,
        )

    @property
    def certificate_(self) -> Certificate:
        """The KKT conditions at ``weights_``."""
        return self.result_.certificate

    @property
    def history_(self) -> list[Step]:
        """One :class:`~toposwap.search.Step` an iteration, the start first."""
        return list(self.result_.history)

    @property
    def status_(self) -> str:
        """How the search ended: "converged", "time limit", ..."""
        return self.result_.status

    @property
    def remarks_(self) -> tuple[str, ...]:
        """What had to be assumed or mended."""
        return self.result_.remarks

    @property
    def disputed_(self) -> tuple[tuple[int, int], ...]:
        """Pairs i < j of columns between which graphs about as good have other edges, or arrows."""
        from toposwap.metrics.rivals import disputed_pairs

        return disputed_pairs(self.result_.rivals)

    @property
    def names_(self) -> tuple[str, ...]:
        """The variables' names, (d,), in the order of the columns."""
        return self.result_.names

    @property
    def varsortability_(self) -> float:
        """Share of the connected pairs of the pruned graph in which the effect varies more.

        Near 1 with a score that depends on units, the order may be that of the units; see
        :mod:`toposwap.diagnostics`.
        """
        from toposwap.diagnostics import sortability

        return sortability(self._deviations, self.adjacency_matrix_)

    @property
    def causal_graph_(self) -> nx.DiGraph:
        """The pruned graph: nodes are names, in causal order; edges carry ``weight``."""
        import networkx as nx

        names = self.names_
        graph = nx.DiGraph()
        graph.add_nodes_from(names[v] for v in self.causal_order_)
        for i, j in np.argwhere(self.adjacency_matrix_):
            graph.add_edge(names[i], names[j], weight=float(self.adjacency_matrix_[i, j]))
        return graph


def has_names(X: Any) -> bool:
    """Whether all columns of ``X`` have names, and these are text, as scikit-learn counts them."""
    names = column_names(X)
    return names is not None and all(isinstance(name, str) for name in names)


def generator(random_state: Any) -> np.random.Generator:
    """What ``random_state`` stands for, or an error that says what it may be."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            "random_state: must be None, a whole number >= 0 or a numpy.random.Generator, got "
            f"{random_state!r}"
        ) from None
