"""One run of ``ts.confidence``: a case of a fit, resampled a few times."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import toposwap as ts
from fuzz.capture import listening
from fuzz.containers import fingerprint
from fuzz.draws import Draw
from fuzz.fits import FitCase, FitRun, draw_fit
from toposwap.certainty.methods import NAMES

if TYPE_CHECKING:
    Generator = Callable[[Draw, FitCase], Any]


@dataclass(eq=False)
class ConfidenceCase:
    """A fit, and how its rows are drawn again.

    Attributes
    ----------
    fit
        The table, the model and what is said of the rows.
    settings
        The other arguments of ``ts.confidence``.
    """

    fit: FitCase
    settings: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.fit}; {self.settings}"


@dataclass(eq=False)
class ConfidenceRun(FitRun):
    """A run whose ``model`` is a ``Confidence``; ``again`` has another number of threads."""

    told: ConfidenceCase | None = None


def draw_confidence(seed: int, index: int) -> ConfidenceCase:
    """The case ``index`` of the campaign ``seed``: one of its fits that does not take seconds."""
    draw = Draw("confidence", seed, index)
    first = draw.whole(0, 10**9)
    fit = next(case for k in range(10**6) if _light(case := draw_fit(first, k)))
    settings = {
        name: generator(draw, fit)
        for name, (generator, probability) in RESAMPLING.items()
        if draw.chance(probability)
    }
    return ConfidenceCase(fit, settings)


def _light(case: FitCase) -> bool:
    searched = case.settings.get("search", "auto")
    return not (
        case.recipe.slow
        or case.covariance
        or case.wrong is not None
        or case.gaps
        or case.table.shape[1] > 8
        or searched == "exact"
        or "init" in case.settings
        or "time_budget" in case.settings
    )


def run_confidence(seed: int, index: int) -> ConfidenceRun:
    """Resample with one number of threads, and with another."""
    run = _run(draw_confidence(seed, index), 1)
    run.again = _run(draw_confidence(seed, index), 3)
    return run


def _run(case: ConfidenceCase, threads: int) -> ConfidenceRun:
    fit = case.fit
    run = ConfidenceRun(fit, told=case)
    before = fingerprint(fit.held)
    with warnings.catch_warnings(record=True) as run.warned, listening() as heard:
        warnings.simplefilter("always")
        try:
            score = fit.recipe.make(fit.table)
            settings = fit.settings if score is None else {"score": score, **fit.settings}
            model = ts.Topo(**settings)
            run.model = ts.confidence(
                fit.held, model, n_jobs=threads, **case.settings, **fit.beside
            )
        except Exception as error:
            run.error, run.trace = error, traceback.format_exc()
    run.printed, run.seconds = heard.out + heard.err, heard.seconds
    run.unchanged = fingerprint(fit.held) == before
    return run


def _groups(draw: Draw, fit: FitCase) -> Any:
    n = fit.table.shape[0]
    labels = draw.rng.integers(0, max(2, n // 4), n)
    return draw.among([labels, labels.astype(str), 1, 3, 10**6, labels[:-1], "no such column"])


#: For each argument of ``ts.confidence`` that is not one of a fit how it is drawn, and how often.
RESAMPLING: dict[str, tuple[Generator, float]] = {
    "n_resamples": (lambda draw, _fit: draw.among([1, 2, 3, 6, 0, 2.5][: draw.whole(4, 6)]), 1.0),
    "method": (lambda draw, _fit: draw.among([*NAMES, *NAMES, "no such name"]), 0.6),
    "random_state": (lambda draw, _fit: draw.whole(0, 10**6), 0.5),
    "progress": (lambda _draw, _fit: [].append, 0.2),
    "groups": (_groups, 0.2),
}
#: What the campaign leaves to tests: who works, and what is kept on disk.
ELSEWHERE = {"table", "model", "n_jobs", "client", "store", "sample_weight", "interventions"}
