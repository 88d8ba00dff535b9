"""What must hold of a fit whether or not there is a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from toposwap import ToposwapWarning
from toposwap.core.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from fuzz.fits import FitRun

    Invariant = Callable[[FitRun], Iterator[str]]

#: Seconds of the processor for a fit without a time budget; cases are small.
LIMIT, SLOW_LIMIT = 20.0, 60.0
#: By name.
OF_RUNS: dict[str, Invariant] = {}


def of_runs(check: Invariant) -> Invariant:
    """Register what must hold whether or not there is a model."""
    OF_RUNS[check.__name__.replace("_", " ")] = check
    return check


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
    usual = case.recipe.text.strip("'").startswith(names)
    settings = set(case.settings) <= {
        "search",
        "random_state",
        "greedy",
        "n_restarts",
        "progress",
        "missing",
    }
    settings = settings and not case.beside
    proven = case.settings.get("search") in ("auto", "paper", "insertion", "none", None)
    plain = case.table.plain and case.seen is case.table.values and case.wrong is None
    # A container may say that its numbers are categories, which not every score has a model of.
    nominal = any(
        told in str(run.error)
        for told in ("hold categories of more than two values", "another category in every row")
    )
    if run.error is not None and plain and usual and settings and proven and not nominal:
        yield f"a plain table was refused: {run.error}"


@of_runs
def rightly_accepted(run: FitRun) -> Iterator[str]:
    """What tells nothing is refused: no table, missing values, one row, a constant column."""
    if run.model is None:
        return
    case = run.case
    # Rows that count for nothing are not there; fractions leave all of them.
    X = case.seen if case.counted is None else case.counted
    if X is None:
        yield f"{case.container} was fitted"
        return
    if np.isinf(X).any() and case.treatment != "drop":
        yield "infinity was fitted"
    if np.isnan(X).any() and case.treatment == "error":
        yield "NaN was fitted"
    if min(X.shape) < 2:
        yield f"a table of {X.shape} was fitted"
    if not case.covariance and np.isfinite(X).all():
        idle = (X[0] == X).all(axis=0) if case.center else (X == 0.0).all(axis=0)
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
    allowed = 1.2 * budget + 1.0 if isinstance(budget, int | float) else limit
    if run.model is not None and run.seconds > allowed:
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
