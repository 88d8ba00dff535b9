"""The estimator."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from toposwap.acyclicity import ACYCLICITIES, Acyclicity
from toposwap.candidates import KKTCandidates
from toposwap.dataset import Dataset
from toposwap.dataset.validation import is_frame
from toposwap.diagnostics import sortability
from toposwap.errors import InputError, ToposwapWarning
from toposwap.estimators.predictions import Predicting, Typical
from toposwap.learn import learn
from toposwap.metrics import cpdag
from toposwap.prune import resolve_threshold, threshold
from toposwap.registry import resolve
from toposwap.scores import SCORES, Score
from toposwap.search import SEARCHES, AutoSearch, PaperSearch, Progress, Search, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import networkx as nx
    from numpy.typing import ArrayLike, NDArray

    from toposwap.certificate import Certificate
    from toposwap.result import Result


class Topo(Predicting, BaseEstimator):  # type: ignore[misc]
    r"""Learn a DAG by searching over topological orders.

    .. math:: \min_\Theta Q(\Theta) \quad \text{subject to} \quad W(\theta) \text{ is a DAG.}

    The outer level moves through orders, the inner level solves for the best parameters given an
    order, and the KKT conditions certify the result.

    Parameters
    ----------
    score : str or Score, default="least-squares"
        Q: a name from ``toposwap.scores.SCORES`` or an object.
    search : str or Search, default="auto"
        "auto" (exact insertions and swaps), "paper" (Algorithm TOPO), "insertion", "exact" (proves
        the global minimum, up to about 20 columns), "none" (solves the starting order only).
    init : str, order or weight matrix, default="auto"
        The starting order: "auto" or "variance" (next is the smallest conditional variance),
        "random", a sequence of column positions or names, or a weight matrix (d, d). If the latter
        has cycles, its weakest edges are dropped until it has none, with a warning.
    acyclicity : str or Acyclicity, default="logdet"
        h, which guides ``search="paper"``: "logdet", "exponential" or "polynomial".
    s_small, s_large, s_0 : int, optional
        Sizes of the search spaces of ``search="paper"`` and how often the large one may be used. By
        default from the paper's table.
    greedy : bool, default=False
        Let ``search="paper"`` take the first improving swap instead of the best.
    prune : "auto", None or float, default="auto"
        Drop edges with |weight| below this number after the search. "auto" is None for a score that
        chooses edges by itself, the score's own rule where it has one (``score="basis"``: F-tests
        of the parents' functions, then fitted again), and 0.3 otherwise.
    center : bool, default=True
        Subtract the column means.
    random_state : None, int or numpy.random.Generator, default=None
        Seed of whatever is random: the start with ``init="random"``, ``greedy``.
    n_restarts : int, optional
        How often ``search="auto"`` perturbs the best order and searches again. By default what the
        score suggests: none for least squares, 20 where the score chooses the edges.
    time_budget : float, optional
        Seconds after which ``search="auto"`` begins no further restart.
    max_iter : int, optional
        Stop after this many iterations.
    progress : callable, optional
        Called with each :class:`~toposwap.search.Step`.

    Attributes
    ----------
    weights_ : (d, d) array
        The exact solution for the final order, unpruned; ``weights_[i, j]`` is the edge i -> j.
    adjacency_matrix_ : (d, d) array
        The weights after pruning; |W_ij| is the 1-norm of the edge's parameters where it has
        several (``result_.parameters``, ``result_.pruned``).
    causal_order_ : list of int
        Column positions, causes first.
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
        What ``prune`` came to; None also where the score's own rule pruned.
    remarks_ : tuple of str
        What had to be assumed or mended.
    names_ : tuple of str
        The variables' names, whatever the input was.
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
        score: str | Score = "least-squares",
        search: str | Search = "auto",
        init: Any = "auto",
        acyclicity: str | Acyclicity = "logdet",
        *,
        s_small: int | None = None,
        s_large: int | None = None,
        s_0: int | None = None,
        greedy: bool = False,
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: int | np.random.Generator | None = None,
        n_restarts: int | None = None,
        time_budget: float | None = None,
        max_iter: int | None = None,
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
        self.center = center
        self.random_state = random_state
        self.n_restarts = n_restarts
        self.time_budget = time_budget
        self.max_iter = max_iter
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn passes y
        """Learn from a table (n, d), array or DataFrame; ``y`` is ignored.

        A :class:`~toposwap.dataset.Dataset` is taken as it is, whatever ``center`` says.
        """
        data = X if isinstance(X, Dataset) else Dataset.from_table(X, center=self.center)
        return self._fit(data, named=has_names(X))

    def fit_covariance(
        self, covariance: ArrayLike, n: int, names: Sequence[str] | None = None
    ) -> Self:
        """Learn from a covariance matrix (d, d), divisor n, and the number of rows behind it."""
        data = Dataset.from_covariance(covariance, n, names=names)
        return self._fit(data, named=names is not None or has_names(covariance))

    def _fit(self, data: Dataset, *, named: bool) -> Self:
        score = resolve("score", self.score, SCORES, Score)
        at_least = resolve_threshold(self.prune, score)
        result = learn(
            data,
            score,
            self._search(),
            self.init,
            rng=_generator(self.random_state),
            progress=self.progress,
            max_iter=self.max_iter,
            prune=self.prune == "auto" and not score.selects_edges,
        )
        for remark in result.remarks:
            warnings.warn(remark, ToposwapWarning, stacklevel=3)
        if named:
            self.feature_names_in_ = np.array(data.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.result_ = result
        self.threshold_ = at_least if result.pruned is None else None
        self.n_features_in_ = data.d
        self.n_iter_ = len(result.history) - 1
        self.weights_ = result.weights
        self._deviations = data.deviations * data.scale
        self._typical = Typical.of(data)
        if result.pruned is None:
            self.adjacency_matrix_ = threshold(result.weights, at_least)
        else:
            self.adjacency_matrix_ = result.pruned.weights.copy()
        return self

    def _search(self) -> Search:
        acyclicity = resolve("acyclicity", self.acyclicity, ACYCLICITIES, Acyclicity)
        paper = partial(
            PaperSearch,
            self.s_small,
            self.s_large,
            self.s_0,
            greedy=self.greedy,
            candidates=KKTCandidates(acyclicity),
        )
        auto = partial(AutoSearch, self.n_restarts, self.time_budget)
        named: dict[str, Callable[[], Search]] = {
            **SEARCHES,
            PaperSearch.name: paper,
            AutoSearch.name: auto,
        }
        return resolve("search", self.search, named, Search)

    result_: Result
    weights_: NDArray[np.float64]
    adjacency_matrix_: NDArray[np.float64]

    @property
    def causal_order_(self) -> list[int]:
        """Column positions, causes first."""
        return list(self.result_.order)

    @property
    def score_(self) -> float:
        """Q at ``weights_``."""
        return self.result_.score

    @property
    def loss_(self) -> float:
        """The loss part of ``score_``, without the penalty."""
        return self.result_.loss

    @property
    def cpdag_(self) -> NDArray[np.bool_]:
        """The Markov equivalence class of the pruned graph, (d, d).

        ``cpdag_[i, j]`` without ``cpdag_[j, i]`` is an edge that every DAG of the class has in this
        direction; both together are an edge whose direction the class leaves open.
        """
        return cpdag(self.adjacency_matrix_)

    @property
    def certificate_(self) -> Certificate:
        """The KKT conditions at ``weights_``."""
        return self.result_.certificate

    @property
    def history_(self) -> list[Step]:
        """One record an iteration."""
        return list(self.result_.history)

    @property
    def status_(self) -> str:
        """How the search ended."""
        return self.result_.status

    @property
    def remarks_(self) -> tuple[str, ...]:
        """What had to be assumed or mended."""
        return self.result_.remarks

    @property
    def names_(self) -> tuple[str, ...]:
        """The variables' names."""
        return self.result_.names

    @property
    def varsortability_(self) -> float:
        """Share of the connected pairs of the pruned graph in which the effect varies more.

        Near 1 with a score that depends on units, the order may be that of the units; see
        :mod:`toposwap.diagnostics`.
        """
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
    """Whether ``X`` is a frame whose columns all have names, as scikit-learn counts them."""
    return is_frame(X) and all(isinstance(name, str) for name in X.columns)


def _generator(random_state: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InputError(
            "random_state: must be None, a whole number >= 0 or a numpy.random.Generator, got "
            f"{random_state!r}"
        ) from None
