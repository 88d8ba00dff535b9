""":class:`Topo`: learning from a table behind the interface of scikit-learn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.admissible import EVERYTHING
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.deadline import Deadline
from toposwap.core.tables.columns import lives_on_a_cluster
from toposwap.core.tables.gaps import Incomplete
from toposwap.estimators.base import DagLearner, generator
from toposwap.estimators.intervening import Intervening
from toposwap.estimators.predictions import Predicting, Typical
from toposwap.estimators.showing import Showing
from toposwap.missing import MISSING, Treatment

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

    from toposwap.acyclicity import Acyclicity
    from toposwap.checkpoint import Checkpoint
    from toposwap.core.kinds import Kind
    from toposwap.knowledge import Knowledge
    from toposwap.scores import Score
    from toposwap.search import Progress, Search

#: What only a search that is given by name is told, and what says nothing.
OF_SEARCHES = {
    "acyclicity": "logdet",
    "s_small": None,
    "s_large": None,
    "s_0": None,
    "greedy": False,
    "n_restarts": None,
    "n_jobs": None,
}


class Topo(Predicting, Intervening, Showing, DagLearner):
    r"""Learn a DAG by searching over topological orders.

    .. math:: \min_\Theta Q(\Theta) \quad \text{subject to} \quad W(\theta) \text{ is a DAG.}

    The outer level moves through orders, the inner level solves for the best parameters given an
    order, and the KKT conditions certify the result.

    Parameters
    ----------
    score : str or Score, default="auto"
        Q: a name from ``toposwap.scores.SCORES``, any "<loss>-<penalty>", or an object. "auto"
        follows the kinds of the columns, never their units, and says what it chose in
        ``result_.choices``; "least-squares" is the paper's objective.
    search : str or Search, default="auto"
        "auto" (exact insertions and swaps), "paper" (Algorithm TOPO), "insertion", "exact" (proves
        the global minimum, up to about 20 columns; with ``bic`` and ``ebic`` more, and a bound,
        ``result_.bound``, where time or memory end the proof), "none" (solves the starting order
        only). An object has its own settings: those of a search given here beside it are an error.
    init : str, order, weight matrix or learner, default="auto"
        The starting order: "variance" (next is the smallest conditional variance), "correlation"
        (the least correlated first), "auto" (what suits the score), "random", a sequence of column
        positions or names, or a weight matrix (d, d). If the latter has cycles, its weakest edges
        are dropped until it has none, with a warning. Also another learner: a name from
        ``toposwap.baselines.BASELINES`` ("notears", "golem-ev", "kkts", ...), its class, or an
        estimator; one that is fitted already is not fitted again.
    acyclicity : str or Acyclicity, default="logdet"
        h, whose gradient helps ``search="paper"`` to choose swaps: "logdet", "exponential" or
        "polynomial".
    s_small, s_large, s_0 : int, optional
        Sizes of the search spaces of ``search="paper"`` and how often the large one may be used. By
        default from the paper's table; ``status_`` is "s_0 used up" where a larger ``s_0`` would
        lower the score. Like the authors' program, and other than their pseudo-code, it makes
        several swaps at once and goes beyond the printed table of tau:
        :class:`~toposwap.search.PaperSearch`.
    greedy : bool, default=False
        Let ``search="paper"`` take the first improving swap instead of the best; that takes a
        larger ``s_0``, the number of columns for instance.
    prune : "auto", "bic", None or float, default="auto"
        Drop edges with |weight| below this number after the search. "auto" is None for a score that
        chooses edges by itself, the score's own rule where it has one (``score="basis"``: F-tests
        of the parents' functions, then fitted again), and 0.3 otherwise. "bic" goes on downhill
        from the order found with the same loss and an L0 penalty (least squares: with one noise
        variance for all columns), and keeps the edges of where that ends, some of them perhaps
        turned: ``result_.pruned``.
    knowledge : Knowledge or dict, optional
        What cannot be and what must be: tiers, forbidden and required edges, roots, leaves,
        ancestors; see :class:`~toposwap.Knowledge`. The graph obeys, before pruning and after it.
    center : bool, default=True
        Subtract the column means.
    kinds : dict, optional
        What columns are, by name or by pattern (``"*_code"``): "continuous", "binary", "count",
        "categorical" or "ordinal". Of the others it is seen in their dtype and their values, and
        told in ``result_.choices``; ``score="auto"`` follows it.
    missing : "error", "drop", "em", "impute", "auto" or Treatment, default="error"
        What to do about missing values (NaN, None): refuse them with their number and place; leave
        out the rows that have any; learn by maximum likelihood of what is there (structural EM, for
        scores of means and covariances); or draw them from the model that is learned, several
        times (all other scores, ``toposwap.missing.Impute(draws=5, rounds=10)``). What was missing,
        and whether that depends on other columns, is in ``result_.gaps``.
    intervention_kind : "perfect" or "shift", default="perfect"
        What setting a variable from outside does, where ``fit(X, interventions=...)`` says in which
        rows that was done. Perfect: it no longer listens to its causes, so that those rows do not
        count for its own mechanism. Shift: it does, and an unknown constant is added.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of what is drawn: the order with ``init="random"``; how the restarts of
        ``search="auto"`` perturb the best order (with any ``n_jobs``); in which order
        ``search="paper"`` tries swaps with ``greedy=True``, and its candidates if these are random;
        what ``missing="impute"`` fills in; and another learner that ``init`` gives by name or
        class. The same number gives the same graph; None draws afresh each time; a Generator is
        drawn from and moves on. The first layers of networks have a seed of their own,
        ``MLP(seed=...)``, ``TorchMLP(seed=...)``, and so has a learner that ``init`` gives as an
        object.
    n_restarts : int, optional
        How often ``search="auto"`` perturbs an order and searches again. By default what the score
        suggests: none for least squares; with an L0 penalty on moments until the best score was
        reached from three starts, at most 350 times. More never end worse with the same seed.
    time_budget : float, optional
        Seconds after which nothing more is begun, whatever the search. They begin with the fit;
        what has been begun is finished, and so is the solution.
    n_jobs : int or dask.distributed.Client, optional
        How many threads make the restarts of ``search="auto"``: one by default, -1 for one a core;
        or the workers of a cluster make them. The answer is the same for any.
    max_iter : int, optional
        Stop after this many iterations.
    checkpoint : str, path or Checkpoint, optional
        A file that a long search is kept in about once a minute. A fit that was killed goes on from
        there when it is called again with the same data and settings, to the same answer
        (:class:`~toposwap.checkpoint.Checkpoint`). Not where gaps are filled.
    progress : callable, optional
        Called with each :class:`~toposwap.search.Step`; those of a surrogate, which networks on
        many columns begin with, have iteration 0 and space "coarse".

    Attributes
    ----------
    weights_ : (d, d) array
        The exact solution for the final order, unpruned; ``weights_[i, j]`` is the edge i -> j.
    adjacency_matrix_ : (d, d) array
        The weights after pruning; |W_ij| is the 1-norm of the edge's parameters where it has
        several (``result_.parameters``, ``result_.pruned``).
    causal_order_ : list of int
        Column positions, causes first; that of ``weights_`` is ``result_.order``, which differs
        where the pruning of networks has turned edges.
    score_, loss_ : float
        Q at ``weights_``, and its part without the penalty.
    cpdag_ : (d, d) array of bool
        The Markov equivalence class of the pruned graph.
    certificate_ : Certificate
        The KKT conditions at ``weights_``.
    history_ : list of Step
        One record an iteration: score, search space, number of candidates, move, seconds.
    status_ : str
        How the search ended.
    threshold_ : float or None
        What ``prune`` came to; None also where a rule pruned.
    remarks_ : tuple of str
        What had to be assumed or mended.
    names_ : tuple of str
        The variables' names, whatever the input was.
    kinds_ : dict
        What columns were taken for, by name: all that the score asked for, or else those of which
        the dtype or ``kinds`` tells.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import toposwap as ts
    >>> sample = ts.simulate.linear_dataset(20, 1000, "ER2", random_state=0)
    >>> model = ts.Topo().fit(sample.X)
    >>> model.certificate_.satisfied
    True
    """

    def __init__(
        self,
        score: str | Score = "auto",
        search: str | Search = "auto",
        init: Any = "auto",
        acyclicity: str | Acyclicity = "logdet",
        *,
        s_small: int | None = None,
        s_large: int | None = None,
        s_0: int | None = None,
        greedy: bool = False,
        prune: float | str | None = "auto",
        knowledge: Knowledge | Mapping[str, Any] | None = None,
        center: bool = True,
        kinds: Mapping[str, str | Kind] | None = None,
        missing: str | Treatment = "error",
        intervention_kind: str = "perfect",
        random_state: int | np.random.Generator | None = 0,
        n_restarts: int | None = None,
        time_budget: float | None = None,
        n_jobs: Any = None,
        max_iter: int | None = None,
        checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.score = score
        self.search = search
        self.init = init
        self.acyclicity = acyclicity
        self.s_small = s_small
        self.s_large = s_large
        self.s_0 = s_0
        self.greedy = greedy
        self.prune = prune
        self.knowledge = knowledge
        self.center = center
        self.kinds = kinds
        self.missing = missing
        self.intervention_kind = intervention_kind
        self.random_state = random_state
        self.n_restarts = n_restarts
        self.time_budget = time_budget
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.checkpoint = checkpoint
        self.progress = progress

    def _dataset(  # type: ignore[override]
        self, X: Any, sample_weight: ArrayLike | None = None, interventions: Any = None
    ) -> Dataset | Incomplete:
        """The data in ``X``; with their gaps where ``missing`` says what to do about these."""
        treatment = resolve("missing", self.missing, MISSING, Treatment)
        if isinstance(X, Dataset) or lives_on_a_cluster(X):
            return super()._dataset(X, sample_weight, interventions)
        table = Incomplete.from_table(
            X,
            center=self.center,
            kinds=self.kinds,
            sample_weight=sample_weight,
            interventions=interventions,
            intervention_kind=self.intervention_kind,
        )
        data = treatment.dataset(table)
        return table if data is None else data

    def _fit(self, data: Dataset | Incomplete, *, named: bool) -> Self:
        # Here and below, so that the class alone does not load the compiler of the kernels.
        from toposwap.checkpoint import Checkpoint
        from toposwap.knowledge import Knowledge
        from toposwap.learn import learn
        from toposwap.missing.rows import NormalRows
        from toposwap.pruning import check_prune
        from toposwap.scores import SCORES, Score

        began = clock()
        known = Knowledge.of(self.knowledge)
        check_prune(self.prune)
        deadline = Deadline(self.time_budget)
        score = resolve("score", self.score, SCORES, Score)
        search = self._search()
        treatment = resolve("missing", self.missing, MISSING, Treatment)
        settings: dict[str, Any] = {
            "rng": generator(self.random_state),
            "progress": self.progress,
            "max_iter": self.max_iter,
            "prune": self.prune,
            "deadline": None if self.time_budget is None else deadline,
            "admissible": known.on(data.names) if known else EVERYTHING,
        }
        checkpoint = Checkpoint.of(self.checkpoint)
        if isinstance(data, Incomplete):
            if checkpoint is not None:
                raise InputError(
                    "checkpoint: a fit that fills gaps is many searches, of which none is kept; "
                    "leave it out, or the rows with gaps (missing='drop')"
                )
            settings["deadline"] = settings["deadline"] or Deadline(search.time_budget)
            result, data = treatment.learn(data, score, search, self.init, **settings)
        else:
            result = learn(data, score, search, self.init, checkpoint=checkpoint, **settings)
        self._takes_gaps = treatment.predicts
        self._rows_with_gaps = NormalRows.of(result, data) if treatment.predicts else None
        self._typical = Typical.of(data)
        self._data = data
        self._seconds = clock() - began
        self._levels = data.levels
        self.kinds_ = result.kinds
        return self._keep(result, data, named=named)

    def _search(self) -> Search:
        from toposwap.acyclicity import ACYCLICITIES, Acyclicity
        from toposwap.candidates import KKTCandidates
        from toposwap.search import SEARCHES, AutoSearch, PaperSearch, Search

        if isinstance(self.search, Search):
            self._refuse_settings_beside(self.search)
            return self.search
        acyclicity = resolve("acyclicity", self.acyclicity, ACYCLICITIES, Acyclicity)
        paper = partial(
            PaperSearch,
            self.s_small,
            self.s_large,
            self.s_0,
            greedy=self.greedy,
            candidates=KKTCandidates(acyclicity),
        )
        auto = partial(AutoSearch, self.n_restarts, self.time_budget, self.n_jobs)
        named: dict[str, Callable[[], Search]] = {
            **SEARCHES,
            PaperSearch.name: paper,
            AutoSearch.name: auto,
        }
        return resolve("search", self.search, named, Search)

    def _refuse_settings_beside(self, search: Search) -> None:
        """A search that is an object is not told anything more, so nothing more may be said."""
        for name, default in OF_SEARCHES.items():
            value = getattr(self, name)
            comparable = isinstance(value, str | bool | np.bool_)
            if not (value is default or (comparable and value == default)):
                raise InputError(
                    f"{name}={value!r} is a setting of the search, and search is an object with "
                    f"settings of its own: say it there, {type(search).__name__}(...), or give the "
                    f"search by name, search={search.name!r}"
                )
