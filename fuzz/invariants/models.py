"""What must hold of a fitted model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.knowledge import disobeyed
from fuzz.reference import expected_score
from toposwap import Certificate, Dataset, Knowledge, check_kkt
from toposwap.assess import assess
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.registry import resolve
from toposwap.scores import SCORES, Score
from toposwap.scores.auto import Auto

if TYPE_CHECKING:
    from fuzz.fits import FitRun

    Invariant = Callable[[FitRun], Iterator[str]]

STATUSES = (
    "converged",
    "local optimum of insertions and swaps",
    "global minimum",
    "given order",
    "interrupted",
    "iteration limit",
    "time limit",
    "s_0 used up",
    "not certified",
)
#: Ends of a search that claim nothing, so that a certificate may refuse the point.
_NO_CLAIM = (
    *("given order", "interrupted", "iteration limit", "time limit", "s_0 used up"),
    "not certified",
)
#: What a sum of many columns may be off by, relative to its size.
_ROUNDING = 1e-9
#: By name.
OF_MODELS: dict[str, Invariant] = {}


def of_models(check: Invariant) -> Invariant:
    """Register what must hold of a fitted model."""
    OF_MODELS[check.__name__.replace("_", " ")] = check
    return check


@of_models
def finite(run: FitRun) -> Iterator[str]:
    """Every number of a result is one."""
    model, result = run.model, run.model.result_
    for name, value in (
        ("weights_", model.weights_),
        ("adjacency_matrix_", model.adjacency_matrix_),
        ("score_", model.score_),
        ("loss_", model.loss_),
        ("the residual", result.certificate.max_residual),
        ("the certificate", result.certificate.relative),
        ("the history", [step.score for step in result.history]),
    ):
        if not np.isfinite(value).all():
            yield f"{name} is not finite"


@of_models
def acyclic(run: FitRun) -> Iterator[str]:
    """The weights follow the order of the result, the pruned graph its own."""
    model = run.model
    for name, W, order in (
        ("weights_", model.weights_, list(model.result_.order)),
        ("adjacency_matrix_", model.adjacency_matrix_, model.causal_order_),
    ):
        d = len(W)
        if W.shape != (d, d) or sorted(order) != list(range(d)):
            yield f"{name}: shape {W.shape}, order {order}"
            continue
        if np.tril(W[np.ix_(order, order)]).any():
            yield f"{name} has an edge against its order"


@of_models
def consistent(run: FitRun) -> Iterator[str]:
    """The parts of a result agree with each other."""
    model, result = run.model, run.model.result_
    if model.status_ not in STATUSES:
        yield f"unknown status {model.status_!r}"
    if model.score_ != result.score or model.n_iter_ != len(result.history) - 1:
        yield "the attributes are not those of the result"
    if not np.isclose(model.loss_ + _penalty_of(result), model.score_, rtol=1e-6, atol=1e-300):
        yield f"loss {model.loss_} of a score {model.score_}"
    scores = [step.score for step in result.history]
    # Moves are compared node by node, where a sum over nodes may not show what they gained.
    if any(later > earlier + _ROUNDING * abs(earlier) for earlier, later in pairwise(scores)):
        yield f"the history rises: {scores}"
    if result.pruned.threshold is not None:
        kept = np.abs(model.weights_) >= result.pruned.threshold
        if result.admissible.required is not None:
            kept |= result.admissible.required
        if not np.array_equal(model.adjacency_matrix_, np.where(kept, model.weights_, 0.0)):
            yield "the pruned graph is not the solution beyond the threshold"
    close = model.certificate_.max_residual <= model.certificate_.tolerance
    if model.certificate_.satisfied != (close and not model.certificate_.unmet):
        yield "the certificate contradicts itself"
    edges = int(np.count_nonzero(model.adjacency_matrix_))
    if model.causal_graph_.number_of_edges() != edges or model.cpdag_.shape != model.weights_.shape:
        yield "the graph is not that of the matrix"


def _penalty_of(result: Any) -> float:
    return float(result.score - result.loss)


@of_models
def score_confirmed(run: FitRun) -> Iterator[str]:
    """Q at the weights is what its formula says, worked out by other means."""
    X, model, case = run.case.counted, run.model, run.case
    if X is None or case.covariance or not np.isfinite(model.weights_).all():
        return
    # With interventions each column has rows of its own, which the formula is not told.
    if "interventions" in case.beside:
        return
    if not np.isfinite(X).all():
        return
    data = Dataset.from_table(
        X, names=model.names_, center=case.center, kinds=case.settings.get("kinds")
    )
    given_score = _score(run)
    try:
        score = given_score.bind(data).score
    except InputError:
        # As plain numbers the columns of a container may be of other kinds than in it, and a score
        # that is chosen by them another one, which may refuse them.
        if isinstance(given_score, Auto):
            return
        raise
    # Of required edges a penalty that shrinks is not asked.
    if score.edge_blocks or model.result_.admissible.required is not None:
        return
    # As plain numbers the columns of a container may be of other kinds than in it.
    if score.name != model.result_.score_name:
        return
    loss: Any = getattr(score, "loss", score)
    if not hasattr(loss, "name"):
        return
    pooled = loss is score or loss.name == "equal-variance"
    losses = [loss] * data.d if pooled else list(loss.columns(data))
    given = (score, losses, X, model.weights_)
    interval = expected_score(*given, center=case.center)
    if interval is None:
        return
    if not interval.holds(model.score_):
        yield f"score {model.score_!r}, but the formula gives {interval.low!r} to {interval.high!r}"
    plain = expected_score(*given, center=case.center, floor=False)
    if plain is not None and not plain.holds(model.score_) and not model.remarks_:
        yield f"score {model.score_!r} has a floor, nobody says so; without it {plain.low!r}"


@of_models
def certified(run: FitRun) -> Iterator[str]:
    """A fresh check of the parameters comes to the same verdict, and one that refuses is told."""
    model, certificate = run.model, run.model.certificate_
    if not certificate.satisfied and model.status_ not in _NO_CLAIM:
        yield f"{model.status_}, but {certificate!r}"
    if model.status_ == "not certified" and not model.remarks_:
        yield "not certified, and nothing says why"
    score = _score(run)
    if run.case.seen is not None and not np.isfinite(run.case.seen).all():
        yield from _certified_with_gaps(run, score)
        return
    parameters = model.result_.parameters
    W = model.weights_ if hasattr(parameters, "weights") and not score.edge_blocks else parameters
    fresh = _fresh_certificate(run, score, W)
    if (
        fresh.satisfied != certificate.satisfied
        and abs(np.log10(max(fresh.max_residual, 1e-300) / max(certificate.max_residual, 1e-300)))
        > 1.0
    ):
        yield f"{certificate!r}, but afresh {fresh!r}"


def _certified_with_gaps(run: FitRun, score: Score) -> Iterator[str]:
    """The same where values are missing: of what is there, or of the rows that are complete.

    What was drawn is drawn from a model that a certificate alone does not know.
    """
    case, model = run.case, run.model
    if case.treatment not in ("em", "drop") or not model.result_.admissible.everything:
        return
    if score.edge_blocks or model.status_ != "converged":
        return
    fresh = check_kkt(
        model.weights_, case.data, score=score, missing=case.treatment, **case.reading
    )
    if not fresh.satisfied and fresh.max_residual > 1e-5:
        yield f"{model.certificate_!r}, but afresh {fresh!r}"


def _fresh_certificate(run: FitRun, score: Score, W: Any) -> Certificate:
    """Of the problem that was solved: with paths that were asked for as they were settled."""
    case, told = run.case, run.model.result_.admissible
    if told.everything:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ToposwapWarning)
            return check_kkt(W, case.data, score=score, **case.reading)
    held = case.data
    data = held if isinstance(held, Dataset) else Dataset.from_table(held, **case.reading)
    bound = score.bind(score.suited(data))
    bound.admissible = told
    return assess(bound, bound.as_parameters(W)).certificate


@of_models
def obeyed(run: FitRun) -> Iterator[str]:
    """What is known holds, in the solution and in the pruned graph."""
    known = run.case.settings.get("knowledge")
    if isinstance(known, Knowledge):
        for name, W in (
            ("weights_", run.model.weights_),
            ("adjacency_matrix_", run.model.adjacency_matrix_),
        ):
            yield from (f"{name}: {told}" for told in disobeyed(W, known, run.model.names_))


@of_models
def no_worse_than_its_start(run: FitRun) -> Iterator[str]:
    """The score is at most that of the last step, and of the start."""
    model, X = run.model, run.case.seen
    last = model.history_[-1].score
    # Squares are known to so many digits of what the columns hold.
    squares = 0.0
    if X is not None and np.isfinite(X).all() and model.result_.scale_dependent:
        centred = X - X.mean(axis=0) if run.case.center and not run.case.covariance else X
        with np.errstate(over="ignore"):
            squares = float(np.square(centred).sum())
    told = any("few digits" in remark for remark in model.remarks_)
    if not told and model.score_ > last + 2e-6 * max(1.0, abs(last)) + 1e-12 * squares:
        yield f"the search ended at {last!r}, the result has {model.score_!r}"


@of_models
def predictions(run: FitRun) -> Iterator[str]:
    """The fitted values of the rows are numbers, or a clear sentence says that there are none."""
    X = run.case.seen
    if X is None or run.case.covariance:
        return
    try:
        fitted = run.model.predict(run.case.held)
    except InputError as error:
        if len(str(error).split()) < 4:
            yield f"a refusal that says nothing: {error}"
        return
    if fitted.shape != X.shape or not np.isfinite(fitted).all():
        yield f"predictions of shape {fitted.shape}, some of them not finite"


def _score(run: FitRun) -> Any:
    """The score of a case, made afresh."""
    made = run.case.recipe.make(run.case.table)
    given = run.case.settings.get("score", "auto" if made is None else made)
    return resolve("score", given, SCORES, Score)
