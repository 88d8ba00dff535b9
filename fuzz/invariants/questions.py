"""What must hold of the answers that a fitted model gives: effects, adjustment, samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.invariants.models import of_models
from toposwap.core.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from fuzz.fits import FitRun

_ROWS = 7


@of_models
def effects(run: FitRun) -> Iterator[str]:
    """The effect of the first cause on the last effect is a number, and nothing without a path."""
    model = run.model
    if not run.case.asked:
        return
    first, last = model.causal_order_[0], model.causal_order_[-1]
    for x, y in ((first, last), (last, first)):
        told = _answer(lambda x=x, y=y: model.effect(x, y, n_resamples=2))
        if isinstance(told, InputError | MissingExtraError):
            yield from _says_something(told)
            continue
        # An interval without ends is one where too few resamples could be learned from.
        ends = np.array(told.interval)
        unknown = np.isinf(ends).any() and bool(told.remarks)
        if not np.isfinite(told.value) or not (np.isfinite(ends).all() or unknown):
            yield f"the effect of column {x} on {y} is {told!r}"
        if (x, y) == (last, first) and told.value != 0.0:
            yield f"the last column has an effect of {told.value!r} on the first"
        if not told.interval[0] <= told.value <= told.interval[1]:
            yield f"the effect {told.value!r} is outside of its interval {told.interval}"
        if not all(line.isprintable() for line in repr(told).splitlines()):
            yield f"an effect that cannot be shown: {told!r}"


@of_models
def samples(run: FitRun) -> Iterator[str]:
    """Rows that are drawn are numbers, and what is set in them is set."""
    model, X = run.model, run.case.seen
    if not run.case.asked or X is None:
        return
    column = model.causal_order_[0]
    told = _answer(lambda: model.sample(_ROWS, random_state=0))
    if isinstance(told, InputError | MissingExtraError):
        yield from _says_something(told)
        return
    rows = np.asarray(told)
    if rows.shape != (_ROWS, len(model.names_)):
        yield f"{_ROWS} rows were asked for, and {rows.shape} came"
        return
    value = rows[0, column]
    settled = _answer(lambda: model.sample(_ROWS, do={column: value}, random_state=0))
    if isinstance(settled, InputError | MissingExtraError):
        yield from _says_something(settled)
    elif not (np.asarray(settled)[:, column] == value).all():
        yield f"column {column} was set to {value!r}, and is not"


def _answer(question: Any) -> Any:
    """What is answered, or the refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return question()
    except (InputError, MissingExtraError) as refusal:
        return refusal


def _says_something(refusal: Exception) -> Iterator[str]:
    if len(str(refusal).split()) < 4 or not str(refusal).isprintable():
        yield f"a refusal that says nothing: {str(refusal)!r}"
