"""Two questions about somebody else's answer: can it be improved, and is it optimal."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.assess import assess
from toposwap.baselines.start import dimensions, is_order, starting_order
from toposwap.certificate import Certificate
from toposwap.core.admissible import EVERYTHING
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.registry import resolve
from toposwap.core.tables.columns import is_frame
from toposwap.core.tables.gaps import Incomplete
from toposwap.core.tables.own_rows import identified
from toposwap.core.weights import as_weights, foreign_weights, transposed_in_words
from toposwap.estimators.base import has_names
from toposwap.estimators.topo import Topo
from toposwap.interop import ForeignGraph, foreign_graph
from toposwap.knowledge import Knowledge
from toposwap.missing import MISSING, Treatment
from toposwap.orderfit.given_graph import fit_graph
from toposwap.scores import SCORES, Score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from toposwap.core.dataset import Dataset
    from toposwap.core.kinds import Kind
    from toposwap.scores.base import BoundScore


def refine(
    W: ArrayLike,
    X: Any,
    *,
    sample_weight: ArrayLike | None = None,
    interventions: Any = None,
    **parameters: Any,
) -> Topo:
    """Improve any learner's weight matrix: a fitted :class:`Topo` that started from it.

    Its score is at most that of ``W`` (if ``W`` has cycles: of what is left after dropping its
    weakest edges until it has none), because the parameters are solved for an order of ``W`` first
    and every move lowers the score. Where an edge has a block of parameters the same holds for the
    parameters that ``W`` was made of, whatever they were.

    Parameters
    ----------
    W
        (d, d), ``W[i, j]`` for the edge i -> j; a DataFrame is matched to the data by name. Also a
        fitted model or a graph, of this package or of another (:mod:`toposwap.interop`), and an
        :class:`~toposwap.Order`. For a score whose edges have blocks of parameters also these, or
        an order in any form.
    X
        The data, (n, d), or a :class:`~toposwap.Dataset`.
    sample_weight, interventions
        How often each row counts, and what was set from outside in it, (n,) each, as in
        :meth:`Topo.fit`.
    **parameters
        Parameters of :class:`Topo` other than ``init``.
    """
    if "init" in parameters:
        raise InputError("refine: W is the starting point, so init cannot be given as well")
    model = Topo(**parameters)
    data = model._dataset(X, sample_weight, interventions)
    score = resolve("score", model.score, SCORES, Score)
    held = foreign_graph(W)
    if held is not None:
        model.init = foreign_weights(held, data.names)
    elif is_order(W, score):
        model.init = W
    elif not score.edge_blocks or is_frame(W) or dimensions(W) == 2:
        model.init = as_weights(W, data.names)
    elif isinstance(data, Incomplete):
        raise InputError(
            "refine: with gaps in the data a start is an order or a weight matrix, not the "
            f"parameters of {score.name!r}"
        )
    else:
        bound = score.bind(score.suited(data))
        model.init = bound.evaluate(bound.as_parameters(W)).weights
    return model._fit(data, named=has_names(X))


def judged_data(
    W: Any,
    model: Topo,
    score: Score,
    X: Any,
    sample_weight: ArrayLike | None = None,
    interventions: Any = None,
) -> Dataset:
    """The data in ``X`` on which ``W`` is judged, gaps treated as ``model`` says."""
    data = model._dataset(X, sample_weight, interventions)
    if not isinstance(data, Incomplete):
        return data
    treatment = resolve("missing", model.missing, MISSING, Treatment)
    return treatment.data_at(data, score, W)


def check_kkt(
    W: ArrayLike,
    X: Any,
    *,
    score: str | Score = "auto",
    center: bool = True,
    kinds: Mapping[str, str | Kind] | None = None,
    tolerance: float | None = None,
    sample_weight: ArrayLike | None = None,
    knowledge: Any = None,
    missing: str | Treatment = "error",
    interventions: Any = None,
    intervention_kind: str = "perfect",
) -> Certificate:
    """Check whether ``W`` satisfies the KKT conditions of the score on the data ``X``.

    Parameters
    ----------
    W
        Any weight matrix (d, d), also one with cycles (which then fails). Where an edge has a block
        of parameters (``score="basis"``) those, as in ``Topo().fit(X).result_.parameters``. Or an
        order, whose solution is checked then; a plain sequence where weights could not be meant.
        Also a fitted model or a graph, of this package or of another (:mod:`toposwap.interop`); a
        graph without coefficients stands for the best ones that it can have.
    X
        The data, (n, d), or a :class:`~toposwap.Dataset`.
    score
        Q: a name or a score object.
    center
        Subtract the column means.
    kinds
        What columns are, as in :class:`Topo`.
    tolerance
        Largest relative residual to accept; by default the score's own.
    sample_weight
        How often each row counts, (n,), as in :meth:`Topo.fit`.
    knowledge
        As for :class:`Topo`: the conditions are those of the problem with it. Edges and paths that
        it asks for and ``W`` lacks, or that it excludes and ``W`` has, fail.
    missing
        As for :class:`Topo`, "error", "drop" or "em". With "em" the conditions are those of the
        likelihood of what is there, noise and means the likeliest ones for ``W``.
    interventions, intervention_kind
        What was set from outside in each row, (n,), and what that does, as for :class:`Topo`.
    """
    rated = resolve("score", score, SCORES, Score)
    reader = Topo(center=center, kinds=kinds, missing=missing, intervention_kind=intervention_kind)
    data = rated.suited(judged_data(W, reader, rated, X, sample_weight, interventions))
    bound = rated.bind(data)
    known = Knowledge.of(knowledge)
    bound.admissible = identified(data, known.on(data.names) if known else EVERYTHING)
    held = foreign_graph(W)
    if held is not None:
        parameters = _foreign_parameters(W, held, bound)
    elif is_order(W, bound.score):
        order, _ = starting_order(W, data, np.random.default_rng(0))
        if not bound.admissible.obeys(order):
            raise InputError("the order is against what is known (knowledge): no solution obeys it")
        parameters = bound.fit(order).parameters()
    else:
        parameters = bound.as_parameters(W)
        if isinstance(parameters, np.ndarray) and parameters.shape == (data.d, data.d):
            told = transposed_in_words(parameters, data)
            if told is not None:
                warnings.warn(told, ToposwapWarning, stacklevel=2)
    return assess(bound, parameters, tolerance=tolerance).certificate


def _foreign_parameters(given: Any, held: ForeignGraph, bound: BoundScore) -> Any:
    """Theta of a fitted model or a graph, as ``bound`` takes it.

    That of a model of this package with the same score is its own; coefficients of another package
    are taken as they are. Where an edge has a block of parameters, which no weight determines, and
    for a graph alone they are the best ones that the graph can have.
    """
    result = getattr(given, "result_", None)
    if result is not None and result.parameters is not None:
        same = result.score_name == bound.score.name
        if same and tuple(result.names) == tuple(bound.data.names):
            return bound.as_parameters(result.parameters)
    weights = foreign_weights(held, bound.data.names)
    if held.weighted and not bound.score.edge_blocks:
        return bound.as_parameters(weights)
    return fit_graph(bound, weights != 0.0, "W")
