"""What a baseline is: another learner, judged as our own are.

A baseline finds weights. Everything that is said about them (score, order, certificate) is computed
here, from the weights, with the same code for every method.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from toposwap.assess import assess
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.core.registry import resolve
from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.estimators.base import DagLearner, generator
from toposwap.orderfit.starts import smallest_variance_order
from toposwap.pruning import check_prune, resolve_pruner
from toposwap.pruning.base import Pruned, Pruner
from toposwap.pruning.threshold import KeepAll, Threshold, threshold
from toposwap.result import Result
from toposwap.scores import SCORES, Score
from toposwap.search.base import Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.scores import BoundScore, Point


@dataclass(frozen=True, eq=False)
class Found:
    """What a method returned.

    Attributes
    ----------
    weights
        (d, d), perhaps with cycles.
    status
        How it ended, in a word or two.
    iterations
        How many, in whatever the method counts.
    cpdag
        The equivalence class, (d, d) of bool, if that is what the method learns.
    parameters
        What the weights are made of, for a method whose model is not linear.
    choices
        What a reader of the result should know.
    attributes
        What the fitted estimator has besides, by name.
    """

    weights: NDArray[np.float64] = field(repr=False)
    status: str = "method converged"
    iterations: int = 1
    cpdag: NDArray[np.bool_] | None = field(repr=False, default=None)
    parameters: Any = field(repr=False, default=None)
    choices: tuple[str, ...] = ()
    attributes: dict[str, Any] = field(repr=False, default_factory=dict)


class Baseline(DagLearner):
    """Another learner behind the interface of :class:`~toposwap.Topo`.

    Subclasses store their parameters, among them ``score``, ``prune``, ``center`` and
    ``random_state``, and write :meth:`find`.

    Attributes
    ----------
    weights_
        What the method found, less the edges that :func:`strongest_dag` drops if it has cycles.
    raw_weights_, raw_score_
        What the method found, perhaps with cycles, and Q there.
    adjacency_matrix_
        ``weights_`` after pruning; by default with the threshold that the method was published
        with.
    score_, certificate_
        Of ``weights_``, under ``score``.
    """

    #: What :data:`~toposwap.baselines.BASELINES` calls it.
    name: ClassVar[str]
    #: The threshold on |weight| that belongs to the method; None if it chooses edges itself.
    published_threshold: ClassVar[float | None] = 0.3
    #: The weights are the coefficients of a linear model, so that Q is convex in them if ever.
    linear: ClassVar[bool] = True
    #: The parameter, or the class's own where it has none.
    score: Any
    prune: Any
    random_state: Any
    #: After which :meth:`find` begins nothing more and returns what it has; methods of other
    #: packages cannot be told.
    deadline: Deadline = NEVER

    @abstractmethod
    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Run the method on ``data``.

        Parameters
        ----------
        data
            n rows of d columns, or their second moments alone; never changed.
        rng
            The only source of randomness; a method without any leaves it alone.

        Returns
        -------
        Found
            Weights (d, d) as the method ends with them, unpruned, perhaps with cycles;
            ``weights[i, j]`` is the edge i -> j. Score, order and certificate are computed by the
            caller.

        Raises
        ------
        InputError
            If a parameter is out of range, the data do not suit the method, or its package is
            missing.
        """

    def default_score(self) -> Score:
        """The score that judges the result if ``score="auto"``: here least squares."""
        return resolve("score", "least-squares", SCORES, Score)

    def judge(self, bound: BoundScore, found: Found, weights: NDArray[np.float64]) -> Point:  # noqa: ARG002 - for models that are not linear
        """Q and its derivatives at ``weights`` (d, d), of which ``found`` holds the model."""
        return bound.evaluate(weights)

    def weights_on(
        self, data: Dataset, rng: np.random.Generator, deadline: Deadline = NEVER
    ) -> NDArray[np.float64]:
        """The acyclic weights (d, d) for ``data``, without changing the estimator."""
        seeded = rng if self.random_state is None else generator(self.random_state)
        method = copy.copy(self)
        method.deadline = deadline
        data.refuse_nominal(self.name)
        plain = data.without_interventions().repeated(self.name)
        return strongest_dag(method.find(plain, seeded).weights)[0]

    @property
    def search(self) -> str:
        """What reports call the way in which the weights were found."""
        return self.name

    def _fit(self, data: Dataset, *, named: bool) -> Self:
        check_prune(self.prune)
        automatic = isinstance(self.score, str) and self.score == "auto"
        score = self.default_score() if automatic else resolve("score", self.score, SCORES, Score)
        data.refuse_nominal(self.name)
        if data.interventions is not None:
            raise InputError(
                f"interventions: {self.name} cannot use them; Topo(init={self.name!r}) starts from "
                "what it finds without, and uses them"
            )
        data = data.repeated(self.name)
        bound = score.bind(data)
        # A method's own threshold, or none where it chooses edges itself; the rules of scores are
        # for the solutions of scores.
        named_auto = isinstance(self.prune, str) and self.prune == "auto"
        pruner = resolve_pruner(self.published_threshold if named_auto else self.prune, bound)
        rng = generator(self.random_state)
        began = clock()
        found = self.find(data, rng)
        seconds = clock() - began
        if not np.isfinite(found.weights).all():
            raise InputError(
                f"{self.name} ended at weights that are not finite; express the columns in units "
                "of similar size"
            )
        weights, dropped = strongest_dag(found.weights)
        choices = found.choices
        if automatic:
            model = "" if self.linear else " of the networks"
            choices = (f"score: {bound.score.name}{model}", *choices)
        if dropped:
            sizes = np.abs(found.weights[weights != found.weights])
            choices += (
                f"acyclic: {dropped} edges with |weight| <= {sizes.max():.2g} of what {self.name} "
                "found were dropped, which closed cycles",
            )
        variables = topological_order(weights != 0.0, smallest_variance_order(data).variables)
        assert variables is not None
        assessment = assess(bound, point=self.judge(bound, found, weights), linear=self.linear)
        order = Order(variables)
        result = Result.of(
            assessment,
            names=data.names,
            order=order,
            status=found.status,
            history=(Step(0, assessment.score, self.name, 0, f"found by {self.name}", seconds),),
            pruned=self._pruned(pruner, bound, assessment.point.weights, order, rng),
            choices=choices,
        )
        self._keep(result, data, named=named)
        self.n_iter_ = max(found.iterations, 1)
        self.raw_weights_ = found.weights
        self.raw_score_ = self.judge(bound, found, found.weights).value
        self._class = found.cpdag
        for attribute, value in found.attributes.items():
            setattr(self, attribute, value)
        return self

    def _pruned(
        self,
        pruner: Pruner,
        bound: BoundScore,
        weights: NDArray[np.float64],
        order: Order,
        rng: np.random.Generator,
    ) -> Pruned:
        """What ``pruner`` keeps of weights that need not be the parameters of ``bound``."""
        if isinstance(pruner, Threshold):
            kept, rule = threshold(weights, pruner.at_least), f"|weight| >= {pruner.at_least:g}"
            equivalent = bound.score.equivalent
            return Pruned(kept, order, None, None, rule, equivalent, threshold=pruner.at_least)
        if isinstance(pruner, KeepAll):
            return Pruned(weights.copy(), order, None, None, "", bound.score.equivalent)
        return pruner.prune(bound, weights, order, rng=rng)

    @property
    def cpdag_(self) -> NDArray[np.bool_]:
        """The equivalence class that the method found, or that of the pruned graph, (d, d)."""
        return super().cpdag_ if self._class is None else self._class


def strongest_dag(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Keep the edges that close no cycle with stronger ones; the rest (d, d) and how many went."""
    kept = np.zeros_like(weights)
    d = len(weights)
    # walk[i, j]: there is a directed walk i -> ... -> j along the edges kept so far.
    walk = np.eye(d, dtype=bool)
    edges = np.flatnonzero(weights)
    for edge in edges[np.argsort(-np.abs(weights.flat[edges]), kind="stable")]:
        i, j = divmod(int(edge), d)
        if walk[j, i]:
            continue
        kept[i, j] = weights[i, j]
        if not walk[i, j]:
            walk |= walk[:, i, None] & walk[j]
    return kept, len(edges) - int(np.count_nonzero(kept))


def regress_on_parents(data: Dataset, edges: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Least-squares weights (d, d) of a graph given by its edges (d, d)."""
    weights = np.zeros(edges.shape)
    for j in range(data.d):
        parents = np.flatnonzero(edges[:, j])
        if parents.size:
            scaled = np.linalg.lstsq(data.factor[:, parents], data.factor[:, j], rcond=None)[0]
            weights[parents, j] = scaled * data.scale[j] / data.scale[parents]
    return weights
