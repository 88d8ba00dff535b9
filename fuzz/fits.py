"""One fit: a table in a container, with settings, run once or twice, and what became of it."""

from __future__ import annotations

import traceback
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.arguments import draw_arguments, whole_weights
from fuzz.capture import listening
from fuzz.containers import draw_container, fingerprint
from fuzz.draws import Draw
from fuzz.scores import Recipe, draw_score
from fuzz.settings import draw_settings
from fuzz.tables import Table, draw_table
from toposwap import Topo

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Every so many cases are fitted twice, from scratch.
_TWICE = 0.3
#: And so many are asked for effects and samples; slow ones never, whose answers are many fits.
_ASKED = 0.15
#: Columns beyond which a score that iterates takes long, and gets a budget.
_WIDE = 20


@dataclass(eq=False)
class FitCase:
    """What is fitted, and how.

    Attributes
    ----------
    table
        As it was drawn.
    container, held
        What holds it, by name and itself.
    seen
        The numbers (n, d) that must be read from ``held``, None where nothing may be.
    recipe, settings
        The score, and the other arguments of ``Topo``.
    beside
        What ``fit`` is told beside the table.
    wrong
        Which of the settings has a value that may be wrong, on purpose; None for none.
    covariance
        Whether the covariance of the table is fitted in place of its rows.
    twice
        Whether it is to be fitted again, from scratch.
    asked
        Whether the model is asked for effects and samples.
    """

    table: Table
    container: str
    held: Any = field(repr=False)
    seen: NDArray[np.float64] | None = field(repr=False)
    recipe: Recipe
    settings: dict[str, Any]
    wrong: str | None = None
    covariance: bool = False
    twice: bool = False
    beside: dict[str, Any] = field(default_factory=dict)
    asked: bool = False

    @property
    def center(self) -> bool:
        """Whether the means are taken out."""
        return self.covariance or bool(self.settings.get("center", True))

    @property
    def treatment(self) -> str:
        """What becomes of gaps, by name."""
        given = self.settings.get("missing", "error")
        return str(getattr(given, "name", given))

    @property
    def gaps(self) -> bool:
        """Whether values are missing in what is read."""
        return self.seen is None or bool(np.isnan(self.seen).any())

    @property
    def counted(self) -> NDArray[np.float64] | None:
        """The rows of ``seen``, each as often as it counts; None where that is no whole number."""
        if self.seen is None:
            return None
        times = whole_weights(self.beside.get("sample_weight"), len(self.seen))
        return None if times is None else np.repeat(self.seen, times, axis=0)

    @property
    def reading(self) -> dict[str, Any]:
        """How a table is read, as :func:`toposwap.check_kkt` is told it."""
        kind = self.settings.get("intervention_kind", "perfect")
        read = {"center": self.center, "kinds": self.settings.get("kinds"), **self.beside}
        return {**read, "intervention_kind": kind}

    @property
    def data(self) -> Any:
        """What a learner or a certificate is given: the table, or a data set of its covariance."""
        from toposwap import Dataset

        if not self.covariance:
            return self.held
        return Dataset.from_covariance(self.held, self.table.shape[0])

    def __str__(self) -> str:
        how = "covariance of " if self.covariance else ""
        text = f"{how}{self.table}; as {self.container}; score {self.recipe.text}; {self.settings}"
        return text + _briefly(self.beside)


@dataclass(eq=False)
class FitRun:
    """A case and what became of it.

    Attributes
    ----------
    case
        What was fitted.
    model, error, trace
        The fitted model, or what was raised, and where.
    warned
        The warnings that were given.
    printed
        What was written to standard output and standard error.
    seconds
        How long it took, compiling left out and time without the processor too.
    unchanged
        Whether the container is as it was.
    again
        The second run of a case that is run twice.
    """

    case: FitCase
    model: Any = None
    error: BaseException | None = None
    trace: str = ""
    warned: list[warnings.WarningMessage] = field(default_factory=list)
    printed: str = ""
    seconds: float = 0.0
    unchanged: bool = True
    again: FitRun | None = None


def draw_fit(seed: int, index: int) -> FitCase:
    """The case ``index`` of the campaign ``seed``."""
    draw = Draw("fits", seed, index)
    recipe = draw_score(draw)
    table = draw_table(draw, recipe.kind, small=recipe.slow)
    container, (held, seen) = draw_container(draw, table)
    settings, wrong = draw_settings(draw, table, most=_WIDE if recipe.iterates else np.inf)
    covariance = draw.chance(0.03)
    if covariance:
        with np.errstate(all="ignore"):
            centred = table.values - table.values.mean(axis=0)
            held = seen = centred.T @ centred / table.shape[0]
        container = "array"
    twice = draw.chance(_TWICE)
    beside = {} if covariance or seen is None else draw_arguments(draw, table)
    return FitCase(
        table,
        container,
        held,
        seen,
        recipe,
        settings,
        wrong,
        covariance,
        twice,
        beside,
        asked=not recipe.slow and draw.chance(_ASKED),
    )


def run_fit(seed: int, index: int) -> FitRun:
    """Fit the case, and once more if it says so."""
    run = _run(draw_fit(seed, index))
    if run.case.twice:
        run.again = _run(draw_fit(seed, index))
    return run


def _run(case: FitCase) -> FitRun:
    run = FitRun(case)
    before = fingerprint(case.held)
    with warnings.catch_warnings(record=True) as run.warned, listening() as heard:
        warnings.simplefilter("always")
        try:
            score = case.recipe.make(case.table)
            settings = case.settings if score is None else {"score": score, **case.settings}
            model = Topo(**settings)
            if case.covariance:
                model.fit_covariance(case.held, case.table.shape[0])
            else:
                model.fit(case.held, **case.beside)
            run.model = model
        except Exception as error:
            run.error, run.trace = error, traceback.format_exc()
    run.printed, run.seconds = heard.out + heard.err, heard.seconds
    run.unchanged = fingerprint(case.held) == before
    return run


def _briefly(beside: dict[str, Any]) -> str:
    """What ``fit`` is told, as far as it fits a line."""
    return "".join(f"; {name} {str(given)[:60]!r}" for name, given in beside.items())
