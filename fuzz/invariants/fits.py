"""What must hold of every fit: each invariant once, as a function that tells what is broken.

A fit is refused in a clear sentence, or gives a result that is finite, acyclic, consistent,
confirmed by an independent evaluation and certified (or says why not), in time, in silence, without
changing its input, and the same when it is run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.reference import expected_score
from toposwap import Dataset, ToposwapWarning, check_kkt
from toposwap.core.errors import InputError, MissingExtraError
from toposwap.core.registry import resolve
from toposwap.scores import SCORES, Score

if TYPE_CHECKING:
    from fuzz.fits import FitRun

    Invariant = Callable[[FitRun], Iterator[str]]

#: Seconds of the processor for a fit without a time budget; cases are small.
LIMIT, SLOW_LIMIT = 20.0, 60.0
STATUSES = (
    "converged",
    "global minimum",
    "given order",
    "interrupted",
    "iteration limit",
    "time limit",
    "not certified",
)
#: Ends of a search that claim nothing, so that a certificate may refuse the point.
_NO_CLAIM = ("given order", "interrupted", "iteration limit", "time limit", "not certified")

#: By name: what must hold of any run, and what must hold of a fitted model.
OF_RUNS: dict[str, Invariant] = {}
OF_MODELS: dict[str, Invariant] = {}


def of_runs(check: Invariant) -> Invariant:
    """Register what must hold whether or not there is a model."""
    OF_RUNS[check.__name__.replace("_", " ")] = check
    return check


def of_models(check: Invariant) -> Invariant:
    """Register what must hold of a fitted model."""
    OF_MODELS[check.__name__.replace("_", " ")] = check
    return check


def broken(run: FitRun) -> list[tuple[str, str]]:
    """The invariants that ``run`` breaks, each with what is wrong."""
    checks = dict(OF_RUNS)
    if run.model is not None:
        checks |= OF_MODELS
    found = []
    for name, check in checks.items():
        try:
            found += [(name, told) for told in check(run)]
        except Exception as error:
            found.append((name, f"{type(error).__name__}: {error}"))
    return found


# --- whether or not there is a model ---------------------------------------------------------------


@of_runs
def clear_refusal(run: FitRun) -> Iterator[str]:
    """What is raised is an error of the package, with a sentence that says what to do."""
    error = run.error
    if error is None:
        return
    text = str(error)
    if not isinstance(error, InputError | MissingExtraError):
        yield f"{type(error).__name__}: {text}"
    elif len(text.split()) < 4:
        yield f"a refusal that says nothing: {text!r}"
    elif len(text) > 2000 or not text.isprintable():
        yield f"a refusal that cannot be shown: {text[:200]!r}"


@of_runs
def rightly_refused(run: FitRun) -> Iterator[str]:
    """A plain table is fitted by every score of real columns with settings that exist."""
    case = run.case
    names = ("least-squares", "gaussian", "bic", "ebic", "equal-variance", "default", "auto")
    usual = case.recipe.text.strip("'").startswith(names) and case.recipe.text.strip("'") != "'"
    settings = set(case.settings) <= {"search", "random_state", "greedy", "n_restarts", "progress"}
    proven = case.settings.get("search") in ("auto", "paper", "insertion", "none", None)
    if run.error is not None and case.table.plain and case.seen is case.table.values:
        if usual and settings and proven:
            yield f"a plain table was refused: {run.error}"


@of_runs
def rightly_accepted(run: FitRun) -> Iterator[str]:
    """What tells nothing is refused: no table, missing values, one row, columns that are constant."""
    if run.model is None:
        return
    X, case = run.case.seen, run.case
    if X is None:
        yield f"{case.container} was fitted"
        return
    if not np.isfinite(X).all():
        yield "NaN or infinity was fitted"
    if min(X.shape) < 2:
        yield f"a table of {X.shape} was fitted"
    if not case.covariance:
        idle = (X == X[0]).all(axis=0) if case.center else (X == 0.0).all(axis=0)
        if idle.any():
            yield f"a constant column ({X[0, int(idle.argmax())]!r}) was fitted"


@of_runs
def only_own_warnings(run: FitRun) -> Iterator[str]:
    """No warning of another package reaches the caller."""
    for warning in run.warned:
        if not issubclass(warning.category, ToposwapWarning):
            yield f"{warning.category.__name__}: {warning.message} ({warning.filename})"


@of_runs
def silence(run: FitRun) -> Iterator[str]:
    """Nothing is printed."""
    if run.printed:
        yield f"printed {run.printed[:200]!r}"


@of_runs
def input_unchanged(run: FitRun) -> Iterator[str]:
    """The caller's table is as it was: numbers, types and flags."""
    if not run.unchanged:
        yield f"the {run.case.container} was changed"


@of_runs
def in_time(run: FitRun) -> Iterator[str]:
    """A fit ends, and keeps to its time budget: 1.2 of it and a second."""
    limit = SLOW_LIMIT if run.case.recipe.slow else LIMIT
    if run.seconds > limit:
        yield f"took {run.seconds:.1f} s"
    budget = run.case.settings.get("time_budget")
    if isinstance(budget, int | float) and not isinstance(budget, bool) and run.model is not None:
        if run.seconds > 1.2 * budget + 1.0:
            yield f"took {run.seconds:.2f} s of a budget of {budget} s"


@of_runs
def same_again(run: FitRun) -> Iterator[str]:
    """The same table, settings and seed give the same answer, unless a clock decides."""
    again = run.again
    if again is None or "time_budget" in run.case.settings:
        return
    if (run.error is None) != (again.error is None) or str(run.error) != str(again.error):
        if "0x" not in str(run.error):
            yield f"{run.error!r}, and then {again.error!r}"
    elif run.model is not None and again.model is not None:
        for name in ("weights_", "adjacency_matrix_"):
            one, two = getattr(run.model, name), getattr(again.model, name)
            if one.tobytes() != two.tobytes():
                yield f"{name} differ by {np.abs(one - two).max()}"
        if run.model.status_ != again.model.status_ or run.model.score_ != again.model.score_:
            yield (
                f"{run.model.status_} at {run.model.score_!r}, then {again.model.status_} at "
                f"{again.model.score_!r}"
            )


# --- of a fitted model ----------------------------------------------------------------------------


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
    if any(later >= earlier for earlier, later in zip(scores, scores[1:], strict=False)):
        yield f"the history does not fall: {scores}"
    if result.pruned.threshold is not None:
        kept = np.abs(model.weights_) >= result.pruned.threshold
        if not np.array_equal(model.adjacency_matrix_, np.where(kept, model.weights_, 0.0)):
            yield "the pruned graph is not the solution beyond the threshold"
    if model.certificate_.satisfied != (
        model.certificate_.max_residual <= model.certificate_.tolerance
    ):
        yield "the certificate contradicts itself"
    edges = int(np.count_nonzero(model.adjacency_matrix_))
    if model.causal_graph_.number_of_edges() != edges or model.cpdag_.shape != model.weights_.shape:
        yield "the graph is not that of the matrix"


def _penalty_of(result: Any) -> float:
    return float(result.score - result.loss)


@of_models
def score_confirmed(run: FitRun) -> Iterator[str]:
    """Q at the weights is what its formula says, worked out by other means."""
    X, model, case = run.case.seen, run.model, run.case
    if X is None or case.covariance or not np.isfinite(model.weights_).all():
        return
    data = Dataset.from_table(X, center=case.center)
    score = _score(run).bind(data).score
    loss = getattr(score, "loss", None)
    losses = [loss] * data.d
    if hasattr(loss, "columns") and loss.name != "equal-variance":
        losses = list(loss.columns(data))
    elif score.name == "least-squares":
        losses = [score] * data.d
    if any(not hasattr(one, "name") for one in losses):
        return
    interval = expected_score(score, losses, X, model.weights_, center=case.center)
    if interval is not None and not interval.holds(model.score_):
        yield f"score {model.score_!r}, but the formula gives {interval.low!r} to {interval.high!r}"


@of_models
def certified(run: FitRun) -> Iterator[str]:
    """A fresh check of the parameters comes to the same verdict, and one that refuses is told."""
    model, certificate = run.model, run.model.certificate_
    if not certificate.satisfied and model.status_ not in _NO_CLAIM:
        yield f"{model.status_}, but {certificate!r}"
    if model.status_ == "not certified" and not model.remarks_:
        yield "not certified, and nothing says why"
    case, score = run.case, _score(run)
    parameters = model.result_.parameters
    W = model.weights_ if hasattr(parameters, "weights") and not score.edge_blocks else parameters
    fresh = check_kkt(W, case.data, score=score, center=case.center)
    if fresh.satisfied != certificate.satisfied and abs(
        np.log10(max(fresh.max_residual, 1e-300) / max(certificate.max_residual, 1e-300))
    ) > 1.0:
        yield f"{certificate!r}, but afresh {fresh!r}"


@of_models
def no_worse_than_its_start(run: FitRun) -> Iterator[str]:
    """The score is at most that of the last step, and of the start."""
    model = run.model
    last = model.history_[-1].score
    if model.score_ > last + 1e-6 * max(1.0, abs(last)):
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
