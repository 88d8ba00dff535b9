"""The graph of a fitted model as every report shows it: what is open, and what is strong.

Tables, pictures and files all ask here, so that they agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from toposwap.intervention.directions import undecided_class
from toposwap.io.edges import LearnedEdge
from toposwap.scores.predictors import LinearModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.estimators.base import DagLearner
    from toposwap.report.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Doubt:
    """How often resamples of the rows have an edge, all (d, d).

    Attributes
    ----------
    frequency
        The share with an edge between i and j, either way.
    direction
        The share with i -> j; an open direction counts half each way.
    low, high
        The 95 percent interval of the weight over those that have it; NaN where none has.
    """

    frequency: NDArray[np.float64]
    direction: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def part(self, square: tuple[NDArray[np.int64], ...]) -> Doubt:
        """Of some of the nodes, by what ``numpy.ix_`` makes of them."""
        return Doubt(
            self.frequency[square], self.direction[square], self.low[square], self.high[square]
        )


@dataclass(frozen=True, eq=False)
class ReportedGraph:
    """A weighted DAG with what a reader should know of its edges, all (d, d).

    Attributes
    ----------
    names
        The nodes.
    weights
        ``weights[i, j]`` for the edge i -> j.
    standardised
        The weights in standard deviations, see :func:`standardised_weights`; NaN where the model
        does not tell.
    open
        Edges that the data fit as well the other way round.
    scale_free
        The score knows no units, so that the sizes of raw weights mean nothing.
    signed
        Whether the sign of a weight says that the effect rises or falls with its cause.
    doubt
        How often resamples have the edges; None where nobody has drawn any.
    given
        Intervals and evidence of the edges in this graph; None where nobody has asked.
    sized
        Edges whose weight is a size without a sign beside others that have one, (d, d): those of
        categories; None where there are none.
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64]
    standardised: NDArray[np.float64]
    open: NDArray[np.bool_]
    scale_free: bool = False
    signed: bool = True
    doubt: Doubt | None = None
    given: Evidence | None = None
    sized: NDArray[np.bool_] | None = None

    @classmethod
    def of_weights(cls, weights: NDArray[np.float64], names: Sequence[str]) -> ReportedGraph:
        """A graph of which nothing else is known."""
        unknown = np.full(weights.shape, np.nan)
        return cls(tuple(names), weights, unknown, np.zeros(weights.shape, dtype=bool))

    def part(self, nodes: NDArray[np.int64]) -> ReportedGraph:
        """The graph on some of its ``nodes``, (m,)."""
        square = np.ix_(nodes, nodes)
        return replace(
            self,
            names=tuple(self.names[v] for v in nodes),
            weights=self.weights[square],
            standardised=self.standardised[square],
            open=self.open[square],
            doubt=None if self.doubt is None else self.doubt.part(square),
            given=None,
            sized=None if self.sized is None else self.sized[square],
        )

    def has_sign(self, i: int, j: int) -> bool:
        """Whether the sign of the weight of i -> j says that the effect rises or falls."""
        return self.signed and not (self.sized is not None and self.sized[i, j])

    @property
    def by_standardised(self) -> bool:
        """Whether edges are ranked by their standardised weights, as sizes of raw ones are not."""
        return self.scale_free and bool(np.isfinite(self.standardised[self.weights != 0.0]).all())

    @property
    def strength(self) -> NDArray[np.float64]:
        """What ranks the edges and how wide they are drawn, (d, d): |standardised| or |weights|."""
        return np.abs(self.standardised if self.by_standardised else self.weights)

    def edges(self) -> list[LearnedEdge]:
        """The edges, strongest first, then by name."""
        strength = self.strength
        found = sorted(
            np.argwhere(self.weights).tolist(),
            key=lambda pair: (-strength[*pair], self.names[pair[0]], self.names[pair[1]]),
        )
        return [self._edge(i, j) for i, j in found]

    def _edge(self, i: int, j: int) -> LearnedEdge:
        """The edge i -> j with what is known of it."""
        edge = LearnedEdge(
            self.names[i],
            self.names[j],
            float(self.weights[i, j]),
            _number(self.standardised[i, j]),
            bool(self.open[i, j]),
        )
        if self.doubt is not None:
            edge = edge._replace(
                frequency=float(self.doubt.frequency[i, j]),
                direction=float(self.doubt.direction[i, j]),
                low=_number(self.doubt.low[i, j]),
                high=_number(self.doubt.high[i, j]),
            )
        if self.given is not None:
            edge = edge._replace(
                parameters=int(self.given.parameters[i, j]),
                given_low=_number(self.given.low[i, j]),
                given_high=_number(self.given.high[i, j]),
                evidence=_number(self.given.gain[i, j]),
            )
        return edge


def reported_graph(
    model: DagLearner, doubt: Doubt | None = None, given: Evidence | None = None
) -> ReportedGraph:
    """The pruned graph of a fitted model, with what resamples and the table say of it."""
    weights = model.adjacency_matrix_
    linear = isinstance(_predictor(model), LinearModel) or getattr(model, "linear", False)
    return ReportedGraph(
        names=tuple(model.names_),
        weights=weights,
        standardised=standardised_weights(model),
        open=open_directions(model),
        scale_free=not model.result_.scale_dependent,
        signed=bool(linear or (weights < 0.0).any()),
        doubt=doubt,
        given=given,
        sized=_sized(model),
    )


def _sized(model: DagLearner) -> NDArray[np.bool_] | None:
    """Edges that are no slopes, in a model that has both."""
    from toposwap.report.forms import slopes

    edges = model.adjacency_matrix_ != 0.0
    lines = slopes(model)
    return edges & ~lines if lines.any() and (edges & ~lines).any() else None


def open_directions(model: DagLearner) -> NDArray[np.bool_]:
    """Edges of the pruned graph that its score would as soon have the other way round, (d, d).

    None for a score that tells the members of a Markov equivalence class apart:
    :func:`~toposwap.intervention.directions.undecided_class`.
    """
    left = undecided_class(model)
    return np.asarray((model.adjacency_matrix_ != 0.0) & left & left.T)


def reversible(model: DagLearner) -> NDArray[np.bool_]:
    """Edges of the pruned graph that its Markov equivalence class has either way round, (d, d)."""
    return np.asarray(model.cpdag_ & model.cpdag_.T & (model.adjacency_matrix_ != 0.0))


def standardised_weights(model: DagLearner) -> NDArray[np.float64]:
    r"""The pruned weights in standard deviations sd of the columns, (d, d).

    ===================  =========================================================================
    lines                :math:`w_{ij}\, sd_i / sd_j`
    log odds, log means  :math:`w_{ij}\, sd_i`, of logistic and Poisson effects
    curves, blocks       :math:`sd(f_{ij}(x_i)) / sd_j`, which has no sign
    networks             :math:`w_{ij}\, sd_i`: what the hidden units feel of one deviation
    ===================  =========================================================================

    NaN for a model that does not say what its weights mean: a score of one's own.
    """
    weights, deviations = model.adjacency_matrix_, model._deviations
    convert = getattr(_predictor(model), "standardised", None)
    if convert is not None:
        return np.asarray(convert(weights, deviations))
    if model.result_.parameters is not None:
        return np.where(weights != 0.0, np.nan, 0.0)
    # A baseline has weights alone: coefficients, or sizes of what enters hidden units.
    return weights * deviations[:, None] / (deviations if model.linear else 1.0)


def standard_units(model: DagLearner) -> NDArray[np.float64]:
    """What any weight i -> j is multiplied by to be standardised, (d, d); NaN if not a line's."""
    deviations, predictor = model._deviations, _predictor(model)
    shape = model.adjacency_matrix_.shape
    if isinstance(predictor, LinearModel):
        return np.asarray(predictor.standardised(np.ones(shape), deviations))
    if predictor is None and getattr(model, "linear", False):
        return np.asarray(deviations[:, None] / deviations)
    return np.full(shape, np.nan)


def _predictor(model: DagLearner) -> object:
    """The fitted functions behind ``adjacency_matrix_``."""
    result = model.result_
    return result.pruned.predictor


def _number(value: float) -> float | None:
    """None for what is not known."""
    return float(value) if np.isfinite(value) else None
