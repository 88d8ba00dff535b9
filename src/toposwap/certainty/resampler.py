"""From the number of a resample to its graph: weights for the rows, and what is learned from them.

A resample is a function of its number alone, given what was decided once on the whole table: the
score with the kinds of the columns, the rule of pruning, and what is known. So any number of
threads, processes or machines find the same graphs, in whatever order.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.baselines.base import Baseline
from toposwap.baselines.start import starting_order
from toposwap.certainty.moments import WeighedMoments
from toposwap.certainty.resample import Resample
from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.core.runtime.deadline import Deadline, TimeUp
from toposwap.core.tables.gaps import Incomplete
from toposwap.core.tables.own_rows import identified
from toposwap.estimators import Topo
from toposwap.estimators.base import generator
from toposwap.intervention.directions import gaussian_columns, nominal_columns
from toposwap.knowledge import Knowledge
from toposwap.learn import search_and_prune
from toposwap.metrics.directions import open_edges
from toposwap.orderfit.factor import FactorFit
from toposwap.pruning import own_pruner, resolve_pruner
from toposwap.pruning.threshold import KeepAll, Threshold, threshold
from toposwap.report.graph import open_directions
from toposwap.scores import SCORES, Score
from toposwap.search.auto import AutoSearch
from toposwap.search.chains import ChainSearch
from toposwap.search.neighbourhoods import NeighbourhoodSearch
from toposwap.search.start import INITS, FirstFit, automatic_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.certainty.methods import Method
    from toposwap.certainty.units import Units
    from toposwap.estimators.base import DagLearner
    from toposwap.pruning import Pruner
    from toposwap.scores import BoundScore
    from toposwap.search import Search

#: Columns up to which a proof takes no longer than restarts.
_PROVED = 12
#: Restarts of a resample whose gaps are treated anew.
_AFTER_GAPS = 10
#: Share of a score's own restarts that a resample makes.
_RESTARTS = 0.2
#: What the rows and the search of a resample draw from.
_ROWS, _SEARCH = 0, 1


class Resampler:
    """Everything that was decided on the whole table, and the graph of any resample.

    Parameters
    ----------
    data
        The whole table.
    model
        Fitted to it; its parameters say how resamples are learned from.
    method, units
        How rows are drawn.
    entropy
        The seed; resample k draws from what ``SeedSequence(entropy).spawn`` would give it.
    """

    def __init__(
        self,
        data: Dataset | Incomplete,
        model: DagLearner,
        method: Method,
        units: Units,
        entropy: int,
    ) -> None:
        self.data: Dataset | Incomplete = data
        self.model = copy(model)
        self.method = method
        self.units = units
        self.entropy = entropy
        self.score: Score | None = None
        self.pruner: Pruner | None = None
        self.admissible: Admissible = EVERYTHING
        self.gaussian, self.nominal = gaussian_columns(model), nominal_columns(model)
        if isinstance(model, Topo) and isinstance(data, Dataset):
            given = resolve("score", model.score, SCORES, Score)
            bound = given.bind(given.suited(data))
            self.score = bound.score
            self.pruner = resolve_pruner(model.prune, bound)
            known = Knowledge.of(model.knowledge)
            self.admissible = known.on(data.names) if known else EVERYTHING
            if "kinds" in vars(data):
                # A column that shows few values in a resample is still what it is in the table.
                known_kinds = {
                    name: seen.kind for name, seen in zip(data.names, data.kinds, strict=True)
                }
                self.data = replace(data, given_kinds=known_kinds)

    def __getstate__(self) -> dict[str, Any]:
        """Without what every process makes for itself."""
        return {key: value for key, value in vars(self).items() if key != "_moments"}

    @cached_property
    def _moments(self) -> WeighedMoments | None:
        """The second moments of any resample, if these are all that the score asks for."""
        if self.score is None or self._begins_with_learner:
            return None
        assert isinstance(self.data, Dataset)
        if not WeighedMoments.possible(self.data):
            return None
        moments = WeighedMoments(self.data)
        first = moments.dataset(np.ones(len(self.data.rows)))  # type: ignore[arg-type]
        try:
            if first is None:
                return None
            self.score.bind(first)
        except InputError:
            return None
        return moments

    def prepare(self) -> None:
        """Make what all resamples share, before several threads ask for it."""
        _ = self._moments

    def weights(self, number: int) -> NDArray[np.float64]:
        """How often each row counts in resample ``number``, (m,)."""
        first = number - number % 2 if self.method.pairs else number
        rng = np.random.default_rng(self._seed(first, _ROWS))
        drawn = self.method.draw(self.units.times, rng)
        if first != number:
            drawn = self.method.other_half(self.units.times, drawn)
        return self.units.weights_of_rows(drawn)

    def __call__(self, number: int, deadline: Deadline | None = None) -> Resample:
        """The graph of resample ``number``; ``deadline`` is for somebody who will not wait."""
        weights = self.weights(number)
        try:
            if self.score is None:
                return self._fitted(number, weights)
            return self._learned(number, weights, Deadline() if deadline is None else deadline)
        except InputError as error:
            return Resample.without_graph(number, str(error))

    def _seed(self, number: int, purpose: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.entropy, spawn_key=(number, purpose))

    # --- a learner of our own --------------------------------------------------------------------

    def _learned(self, number: int, weights: NDArray[np.float64], deadline: Deadline) -> Resample:
        bound = self._bound(weights)
        bound.deadline = deadline
        bound.admissible = identified(bound.data, self.admissible)
        rng = np.random.default_rng(self._seed(number, _SEARCH))
        kept, equivalent = self._graph(bound, rng, deadline)
        if deadline.passed:
            raise TimeUp
        either = None
        if equivalent or self.gaussian.any() or self.nominal.any():
            done = bound.data.interventions
            either = open_edges(
                kept != 0.0,
                self.admissible,
                None if done is None else done.environments()[0],
                equivalent=equivalent,
                gaussian=self.gaussian,
                nominal=self.nominal,
            )
        graph = Resample.of(number, kept, either)
        return graph.with_noise(bound.data) if graph.open.any() else graph

    def _bound(self, weights: NDArray[np.float64]) -> BoundScore:
        """The score on the weighed rows, by their second moments where these suffice."""
        assert self.score is not None
        if self._moments is not None:
            data = self._moments.dataset(weights)
            if data is not None:
                try:
                    return self.score.bind(data)
                except InputError:
                    # By the moments alone nearly dependent columns are not told from dependent.
                    pass
        assert isinstance(self.data, Dataset)
        return self.score.bind(self.score.suited(self.data.reweighted(weights)))

    def _graph(
        self, bound: BoundScore, rng: np.random.Generator, deadline: Deadline
    ) -> tuple[NDArray[np.float64], bool]:
        """Weights (d, d) of the graph that is kept, and whether its class is all that is told."""
        pruner = self.pruner
        assert pruner is not None
        search = self._search(bound)
        first = self._start(bound, rng, deadline, search)
        fit = first.fit
        plain = isinstance(pruner, Threshold | KeepAll)
        if plain and self._downhill_only(search, fit):
            assert isinstance(fit, FactorFit)
            fit.descend()
            at_least = pruner.at_least if isinstance(pruner, Threshold) else None
            found = bound.weights(fit.parameters())
            return threshold(found, at_least, bound.admissible), bound.score.equivalent
        ended, _ = search_and_prune(
            first, search, pruner, rng=rng, deadline=deadline, max_iter=self._topo.max_iter
        )
        pruned = ended.kept[0]
        return pruned.weights, pruned.equivalent

    @property
    def _topo(self) -> Topo:
        assert isinstance(self.model, Topo)
        return self.model

    @property
    def _begins_with_learner(self) -> bool:
        """Whether each resample starts from what another learner finds in it."""
        init = self._topo.init
        if isinstance(init, Baseline):
            return not hasattr(init, "result_")
        return isinstance(init, type) or (isinstance(init, str) and init not in INITS)

    def _search(self, bound: BoundScore) -> Search:
        """As the model says; if it leaves that to us, with fewer restarts than for one answer."""
        topo = self._topo
        if topo.search != AutoSearch.name:
            return topo._search()
        strategy, given = bound.strategy, topo.n_restarts
        if strategy.search == ChainSearch.name:
            usual = strategy.resample_restarts if given is None else given
            return ChainSearch(usual, proved=_PROVED)
        fewer = int(np.ceil(_RESTARTS * strategy.fewest_restarts))
        return AutoSearch(fewer if given is None else given, topo.time_budget)

    def _start(
        self,
        bound: BoundScore,
        rng: np.random.Generator,
        deadline: Deadline,
        search: Search,
    ) -> FirstFit:
        """A start of its own: drawn, or read off the rows that were drawn, never a given graph."""
        init = self._topo.init
        drawn = isinstance(init, str) and init == "auto"
        if drawn and search.name != ChainSearch.name:
            return automatic_fit(bound, rng, deadline, progress=None, pruner=own_pruner(bound))
        if drawn or not (isinstance(init, str) or self._begins_with_learner):
            init = "random"
        order, _ = starting_order(init, bound.data, rng, deadline)
        return FirstFit(bound.fit(bound.admissible.nearest(order)), surrogates_followed=False)

    def _downhill_only(self, search: Search, fit: Any) -> bool:
        """Whether the search is one descent by insertions and swaps, which a factor does itself."""
        if not isinstance(fit, FactorFit) or self.admissible.asks_for_paths:
            return False
        strategy = fit.bound.strategy
        return (
            isinstance(search, AutoSearch)
            and not search.n_restarts
            and self._topo.max_iter is None
            and strategy.search == NeighbourhoodSearch.name
            and not strategy.surrogates
        )

    # --- any other learner, and tables with gaps -------------------------------------------------

    def _fitted(self, number: int, weights: NDArray[np.float64]) -> Resample:
        learner = copy(self.model)
        if hasattr(learner, "random_state"):
            learner.random_state = generator(self._seed(number, _SEARCH))
        if isinstance(self.data, Incomplete):
            assert isinstance(learner, Topo)
            if learner.search == AutoSearch.name and learner.n_restarts is None:
                learner.n_restarts = _AFTER_GAPS
            learner._fit(self.data.reweighted(weights), named=False)
        else:
            data = self.data.reweighted(weights)
            learner.fit(data.repeated(type(learner).__name__))
            found = Resample.of(number, learner.adjacency_matrix_, open_directions(learner))
            return found.with_noise(data) if found.open.any() else found
        return Resample.of(number, learner.adjacency_matrix_, open_directions(learner))
