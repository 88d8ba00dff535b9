"""A fitted model as it answers for interventions: its graph, its equations, its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.tables.table_read import TableRead
from toposwap.intervention.adjustment import Adjustment
from toposwap.intervention.directions import undecided_class
from toposwap.intervention.estimate import is_identified, linear_effect, over_the_class, question
from toposwap.intervention.linear import Estimate, LinearGraph
from toposwap.intervention.structural import StructuralModel
from toposwap.kernels.graphs.reachability import reachability
from toposwap.losses.moments import MomentLoss
from toposwap.orderfit.given_graph import fit_graph
from toposwap.scores.densities import Densities
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.intervention.effect import Effect
    from toposwap.intervention.estimate import Question
    from toposwap.scores.base import BoundScore, Predictor, Score

#: Resamples behind the interval of an effect that is simulated; of networks, which take longer.
N_RESAMPLES = 50
FEW_RESAMPLES = 12


def is_linear(predictor: Any) -> bool:
    """Whether means are linear in the parents and least squares estimates them."""
    if not isinstance(predictor, LinearModel):
        return False
    return all(isinstance(loss, MomentLoss) for loss in predictor.losses or ())


def effect_in_model(
    model: Any,
    score: Score,
    data: Dataset,
    x: int,
    y: int,
    *,
    values: Sequence[Any] | None = None,
    per: str = "unit",
    method: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: np.random.Generator,
) -> Effect:
    """The total effect of column ``x`` on column ``y`` in a fitted model.

    Parameters
    ----------
    model
        Fitted; ``score`` and ``data`` are its own.
    x, y
        Column positions.
    values, per, method, level, n_resamples
        As :meth:`toposwap.Topo.effect` has them.
    rng
        Draws the resamples where there are any.
    """
    asked = question(data, x, y, values, per, level)
    edges = model.adjacency_matrix_ != 0.0
    undecided = undecided_class(model)
    predictor = model.result_.pruned.predictor
    if is_linear(predictor):
        return linear_effect(data, edges, undecided, asked, method)
    if method != "auto":
        raise InputError(
            f"method: {method!r} is for linear models; this one is simulated (method='auto')"
        )
    _refuse_categories(model.result_, data, asked)
    moments = _moment_columns(predictor, len(edges))
    repeats = n_resamples or (FEW_RESAMPLES if hasattr(predictor, "networks") else N_RESAMPLES)
    children = rng.spawn(repeats)
    own: list[tuple[StructuralModel, BoundScore | None]] = []

    def linear_on_the_way(dag: NDArray[np.bool_]) -> bool:
        return bool(moments[Adjustment(data.names, x, y, dag).on_the_way].all())

    def estimate(dag: NDArray[np.bool_]) -> Estimate:
        if not Adjustment(data.names, x, y, dag).leads:
            return Estimate(0.0)
        if linear_on_the_way(dag):
            return LinearGraph(data, dag).total_effect(x, y)
        if not own:
            own.append(structural_model(model, score, data))
        structure, bound = own[0]
        assert bound is not None
        if (dag != edges).any():
            fitted = bound.predictor(fit_graph(bound, dag))
            structure = _of_predictor(dag, fitted, data)
        drawn = [_resampled(bound, data, dag, asked, np.random.default_rng(c)) for c in seeds]
        kept = [number for number in drawn if number is not None]
        error = _deviation(np.array(kept)) if len(kept) > 1 else np.inf
        whole = Estimate(_difference(structure, asked), error, float(max(len(kept) - 1, 0)))
        return whole.times(1.0 / (asked.change.high - asked.change.low))

    # The same rows for each member of the class.
    seeds = [int(child.integers(2**31)) for child in children]
    identified = is_identified(undecided, x, y)
    adjustment = Adjustment(data.names, x, y, edges, identified)
    way = "sum over directed paths of the products of their coefficients"
    if adjustment.leads and not linear_on_the_way(edges):
        low, high = asked.change.low, asked.change.high
        way = (
            f"rows moved through the fitted model with {data.names[x]} set to {low:.4g} and to "
            f"{high:.4g}; interval from {repeats} resamples of the rows, given the graph"
        )
    return over_the_class(data, edges, undecided, asked, estimate, adjustment, way)


def _refuse_categories(result: Any, data: Dataset, asked: Question) -> None:
    """Raise where categories have no mean, or where it is not said which two are compared."""
    x, y = data.names[asked.x], data.names[asked.y]
    if y in data.nominal or result.kinds.get(y) == "categorical":
        raise InputError(
            f"effect: {y!r} holds categories without an order, which have no mean: compare the "
            f"shares in model.sample(n, do={{{x!r}: ...}}) for two values of {x!r}"
        )
    predictor = result.pruned.predictor
    values = predictor.values_of(asked.x) if hasattr(predictor, "values_of") else None
    if values is not None and not np.isin((asked.change.low, asked.change.high), values).all():
        raise InputError(f"values: {x!r} holds categories; say which two, values=(one, other)")


def _moment_columns(predictor: Any, d: int) -> NDArray[np.bool_]:
    """Columns that least squares explains linearly, (d,)."""
    if not isinstance(predictor, LinearModel):
        return np.zeros(d, dtype=bool)
    if predictor.losses is None:
        return np.ones(d, dtype=bool)
    return np.array([isinstance(loss, MomentLoss) for loss in predictor.losses])


def structural_model(
    model: Any, score: Score, data: Dataset
) -> tuple[StructuralModel, BoundScore | None]:
    """The equations behind the graph of a fitted model, and the score that fits them.

    What pruning fitted again is taken as it is. Otherwise the functions are fitted to the graph
    again, without the edges that were pruned and without a penalty that shrinks. Linear ones are
    least squares from second moments.
    """
    edges = model.adjacency_matrix_ != 0.0
    kept = model.result_.pruned
    if kept.predictor is None:
        raise InputError(
            f"the score {model.result_.score_name!r} makes no predictions, so that nothing can be "
            "said about interventions: give it a predictor, or use a score of this package"
        )
    if is_linear(kept.predictor):
        return linear_structure(LinearGraph(data, edges)), None
    if data.rows is None:
        raise InputError(
            "a model that is not linear needs its rows for this, which a covariance matrix does "
            "not have and a pickled model leaves out: fit it to the table again"
        )
    if data.interventions is not None:
        raise InputError(
            "columns were set from outside in some rows, and this model is not linear: what it "
            "says about other interventions is not worked out; fit a linear score (bic)"
        )
    bound = score.bind(score.suited(data))
    predictor = kept.predictor if kept.refitted else bound.predictor(fit_graph(bound, edges))
    return _of_predictor(edges, predictor, data), bound


def linear_structure(graph: LinearGraph) -> StructuralModel:
    """The least-squares equations of a graph."""
    variances = graph.noise_deviations**2
    predictor = LinearModel(graph.weights, graph.intercepts, Densities.normal(variances))
    return StructuralModel(graph.edges, predictor, graph.data)


def _of_predictor(edges: NDArray[np.bool_], predictor: Predictor, data: Dataset) -> StructuralModel:
    losses = getattr(predictor, "losses", None) or ()
    # Of columns of any kinds the predictor has them, of others their densities.
    facts = getattr(getattr(predictor, "densities", predictor), "facts", ())
    return StructuralModel(edges, predictor, data, losses, facts)


def _difference(structure: StructuralModel, asked: Question) -> float:
    """E[y | do(x = high)] - E[y | do(x = low)], with the same draws for both."""
    low, high = (
        structure.expected(asked.x, value, asked.y, np.random.default_rng(0))
        for value in (asked.change.low, asked.change.high)
    )
    return high - low


def _deviation(numbers: NDArray[np.float64]) -> float:
    """Their standard deviation, whatever their squares are; infinite where it is no number."""
    largest = float(np.abs(numbers).max())
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    with np.errstate(over="ignore"):
        return float(np.std(numbers / largest, ddof=1) * largest)


def _resampled(
    bound: BoundScore,
    data: Dataset,
    edges: NDArray[np.bool_],
    asked: Question,
    rng: np.random.Generator,
) -> float | None:
    """The difference where rows and functions are of a bootstrap sample."""
    assert data.rows is not None
    weights = data.row_weights
    share = None if weights is None else weights / weights.sum()
    n = len(data.rows)
    drawn = rng.choice(n, n, p=share)
    reached = reachability(edges)
    # Only what lies on the way has to be fitted.
    on_the_way = reached[asked.x] & reached[:, asked.y]
    on_the_way[asked.x] = False
    needed = edges & on_the_way
    try:
        read = TableRead(data.rows[drawn], list(data.names), data.labels, data.given_kinds, None)
        again = data.of_read(read, center=data.centered)
        fresh = bound.score.bind(again)
        predictor = fresh.predictor(fit_graph(fresh, needed))
    except InputError:
        return None
    return _difference(_of_predictor(needed, predictor, again), asked)
