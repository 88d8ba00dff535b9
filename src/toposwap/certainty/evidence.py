r"""What the data say for each edge of a fitted model: the rise of the score without it, or turned.

.. math:: \Delta Q_{ij} = \min_{\Theta:\; i \to j \text{ absent}} Q(\Theta) - Q(\hat\Theta),

once at the order of the solution, everything else solved again, and once after the search has gone
on from there; and the same with j -> i in place of i -> j. Where Q is minus a log-likelihood per
row, n times the difference is a logarithm of odds.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.admissible import Admissible
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.factor import retriangularise
from toposwap.core.graph import topological_order
from toposwap.core.order import Order
from toposwap.core.registry import resolve
from toposwap.kernels.graphs.reachability import reachability
from toposwap.report.evidence import Evidence, evidence_of
from toposwap.report.graph import open_directions
from toposwap.scores import SCORES, Score
from toposwap.scores.least_squares.score import BoundLeastSquares
from toposwap.search.auto import AutoSearch
from toposwap.search.base import run
from toposwap.search.screened import ScreenedSearch

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from toposwap.estimators import Topo
    from toposwap.scores import BoundScore

#: Perturbations of each search, from where the model's own has ended.
_RESTARTS = 10


def evidence(
    model: Topo,
    table: Any,
    *,
    search: bool = True,
    sample_weight: ArrayLike | None = None,
    interventions: Any = None,
) -> pd.DataFrame:
    """What the data say for each edge of a fitted ``model``, strongest evidence first.

    Parameters
    ----------
    model
        Fitted to ``table``, which a model does not keep.
    table
        The same rows, (n, d), or a :class:`~toposwap.Dataset`.
    search
        Whether the search goes on without each edge, and with it turned: two more searches for each
        edge, which begin where the model's own has ended.
    sample_weight, interventions
        The same as for the fit.

    Returns
    -------
    DataFrame
        A row for each edge: ``cause``, ``effect``, ``weight``; ``open`` (the score knows no
        direction); ``without`` (the rise of the score without the edge at the same order),
        ``without_searched`` (after the search has gone on), ``turned`` (the rise of the best score
        that was found with the opposite edge); ``refitted``, ``standard_error``, ``low`` and
        ``high``: the weight given the graph, fitted without a penalty, with its 95 percent
        interval; ``ratio``, ``parameters`` and ``p_value``: by how much twice the log-likelihood
        falls without the edge, all others staying, how many numbers it has, and how often chance
        alone would do that. Where an end of the edge is a category the weight is the length of a
        block (:mod:`toposwap.report.evidence`). NaN where the model has no likelihood of lines or
        blocks. Rises are NaN where what is known leaves no other way.
    """
    import pandas as pd
    from scipy.special import chdtrc

    if not hasattr(model, "result_"):
        raise InputError("evidence: the model is not fitted; fit it first")
    data = model._dataset(table, sample_weight, interventions)
    if not isinstance(data, Dataset):
        raise InputError(
            "evidence: the table has gaps, and scores without an edge are compared on the same "
            "rows only: leave out rows with gaps (missing='drop'), or fill them first"
        )
    if data.names != model.names_:
        raise InputError("evidence: the model was fitted to other columns than those of the table")
    bound = bound_of(model, data)
    edges = np.argwhere(model.adjacency_matrix_ != 0.0)
    alternatives = Alternatives(bound, model.result_.order)
    undecided = open_directions(model)
    given = evidence_of(model, data) or Evidence.nothing(model.adjacency_matrix_ != 0.0)
    rows = []
    for i, j in edges.tolist():
        ratio, parameters = float(given.gain[i, j]), int(given.parameters[i, j])
        rows.append(
            {
                "cause": model.names_[i],
                "effect": model.names_[j],
                "weight": float(model.adjacency_matrix_[i, j]),
                "open": bool(undecided[i, j]),
                "without": alternatives.without(i, j),
                "without_searched": alternatives.without(i, j, search=True) if search else np.nan,
                "turned": alternatives.turned(i, j) if search else np.nan,
                "refitted": float(given.weight[i, j]),
                "standard_error": float(given.error[i, j]),
                "low": float(given.low[i, j]),
                "high": float(given.high[i, j]),
                "ratio": ratio,
                "parameters": parameters,
                "p_value": float(chdtrc(parameters, ratio)),
            }
        )
    columns = (
        "cause effect weight open without without_searched turned refitted standard_error low high "
        "ratio parameters p_value"
    )
    frame = pd.DataFrame(rows, columns=columns.split())
    return frame.sort_values(
        ["without", "cause", "effect"], ascending=[False, True, True], ignore_index=True
    )


def bound_of(model: Topo, data: Dataset) -> BoundScore:
    """The score of a fitted ``model`` on ``data``, with what it was told, paths settled."""
    score = resolve("score", model.score, SCORES, Score)
    bound = score.bind(score.suited(data))
    bound.admissible = model.result_.admissible
    return bound


def rises_without(model: Topo, data: Dataset) -> NDArray[np.float64]:
    """By how much the score rises without each edge, at the same order; (d, d), NaN for others.

    NaN throughout where solving an order takes long.
    """
    rises = np.full(model.adjacency_matrix_.shape, np.nan)
    bound = bound_of(model, data)
    if bound.strategy.search == ScreenedSearch.name:
        return rises
    plain = bound.admissible.everything and data.interventions is None
    if isinstance(bound, BoundLeastSquares) and plain:
        return np.where(model.adjacency_matrix_ != 0.0, _squares(bound, model.result_.order), rises)
    alternatives = Alternatives(bound, model.result_.order)
    for i, j in np.argwhere(model.adjacency_matrix_ != 0.0).tolist():
        rises[i, j] = alternatives.without(i, j)
    return rises


def _squares(bound: BoundLeastSquares, order: Order) -> NDArray[np.float64]:
    r"""The rise of least squares without each edge, :math:`w_{ij}^2 / 2 [C_P^{-1}]_{ii}`, (d, d).

    P are all variables before j. With R the factor in the order, the inverse of its leading block
    is the leading block of its inverse, so that :math:`[C_P^{-1}]_{ii}` is a sum along a row of it.
    """
    variables = order.variables
    triangle = retriangularise(bound.factor[:, variables])
    inverse = np.linalg.inv(triangle)
    weights = np.triu(-inverse * np.diag(triangle), 1)
    precision = np.cumsum(np.square(inverse), axis=1)
    rises = np.zeros_like(weights)
    np.divide(weights[:, 1:] ** 2, precision[:, :-1], out=rises[:, 1:], where=weights[:, 1:] != 0.0)
    found = np.zeros_like(weights)
    found[np.ix_(variables, variables)] = 0.5 * rises * bound.scale[variables] ** 2
    return found


class Alternatives:
    """The scores of graphs that differ from a solution in one edge at least.

    Parameters
    ----------
    bound
        The score on its data, with what is known.
    order
        Where the solution stands.
    """

    def __init__(self, bound: BoundScore, order: Order) -> None:
        self.bound = bound
        self.order = order
        self.value = bound.fit(order).value

    def without(self, i: int, j: int, *, search: bool = False) -> float:
        """The rise of the score without i -> j; NaN where that edge must be there."""
        told = self.bound.admissible
        if told.required is not None and told.required[i, j]:
            return float("nan")
        return self._rise(self.order, forbidding(told, self.bound.data.d, i, j), search=search)

    def turned(self, i: int, j: int) -> float:
        """The rise of the best score found with j -> i; NaN where that is ruled out."""
        told = requiring(self.bound.admissible, self.bound.data.d, j, i)
        if told is None:
            return float("nan")
        return self._rise(told.nearest(self.order), told, search=True)

    def _rise(self, order: Order, told: Admissible, *, search: bool) -> float:
        fit = self.bound.under(told).fit(order)
        if search:
            names, rng = self.bound.data.names, np.random.default_rng(0)
            restarts = min(_RESTARTS, self.bound.strategy.fewest_restarts)
            run(AutoSearch(restarts), fit, names, rng=rng, surrogates_followed=True)
        return float(fit.value - self.value)


def forbidding(told: Admissible, d: int, i: int, j: int) -> Admissible:
    """What is known, and that i -> j is not there."""
    parents = ~np.eye(d, dtype=bool) if told.parents is None else told.parents.copy()
    parents[i, j] = False
    return Admissible(parents, told.before, told.required)


def requiring(told: Admissible, d: int, i: int, j: int) -> Admissible | None:
    """What is known, and that i -> j is there; None where both cannot be."""
    if not told.permits(i, j):
        return None
    before = np.zeros((d, d), dtype=bool) if told.before is None else told.before.copy()
    if before[j, i]:
        return None
    before[i, j] = True
    before = reachability(before) & ~np.eye(d, dtype=bool)
    required = np.zeros((d, d), dtype=bool) if told.required is None else told.required.copy()
    required[i, j] = True
    return Admissible(told.parents, before, required)


def value_of_graph(bound: BoundScore, edges: NDArray[np.bool_]) -> float:
    """Q of the best parameters of the DAG ``edges`` (d, d), with these edges and no others."""
    order = topological_order(edges)
    if order is None:
        raise InputError("the graph has cycles, so it has no score")
    before = reachability(edges) & ~np.eye(len(edges), dtype=bool)
    only = copy(bound).under(Admissible(edges.copy(), before, edges.copy()))
    return float(only.fit(Order(order)).value)
