"""What a search is, and the one loop that runs it."""

from __future__ import annotations

import copy
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np

from toposwap.core.errors import InputError
from toposwap.search.ctrl_c import CtrlC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposwap.orderfit.base import OrderFit


@dataclass(frozen=True)
class Move:
    """What one iteration of a search did.

    Attributes
    ----------
    space
        The search space it came from: "small", "large", "insertion", "swap", ...
    candidates
        How many moves were evaluated: |Y| in the paper's search.
    text
        The move in words.
    """

    space: str
    candidates: int
    text: str


@dataclass(frozen=True)
class Step:
    """One record of the history: a move and where it led."""

    iteration: int
    score: float
    space: str
    candidates: int
    move: str
    seconds: float


class Progress(Protocol):
    """Called after each step; progress bars and logs hang here."""

    def __call__(self, step: Step) -> None:
        """Take note of ``step``."""


class Search(ABC):
    """A way through the orders: a generator of improving moves."""

    name: ClassVar[str]

    @abstractmethod
    def moves(
        self, fit: OrderFit, names: Sequence[str], rng: np.random.Generator
    ) -> Iterator[Move]:
        """Improve ``fit`` step by step, yielding after each; return when there is no way down."""

    #: Seconds after which nothing more is begun, None for no limit; see the searches that have one.
    time_budget: float | None = None

    #: Whether the latest run left a way down untried because the time budget was used up.
    out_of_time: bool = False

    def after(self, seconds: float) -> Self:
        """A search like this one with what ``seconds`` leave of its time budget."""
        budget = self.time_budget
        if budget is None:
            return self
        if not (isinstance(budget, int | float) and budget >= 0.0):
            raise InputError(f"time_budget: must be a number of seconds >= 0, got {budget!r}")
        shorter = copy.copy(self)
        shorter.time_budget = max(budget - seconds, 0.0)
        return shorter

    #: What the status is called when the search ends by itself.
    finished: ClassVar[str] = "converged"

    def __repr__(self) -> str:
        settings = {key: value for key, value in vars(self).items() if key != "out_of_time"}
        listed = ", ".join(f"{key}={value!r}" for key, value in settings.items())
        return f"{type(self).__name__}({listed})"


def run(
    search: Search,
    fit: OrderFit,
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    progress: Progress | None = None,
    max_iter: int | None = None,
) -> tuple[list[Step], str]:
    """Run ``search`` on ``fit`` until it ends, is interrupted, or has made ``max_iter`` steps.

    Afterwards ``fit`` stands at the best order met. Only steps that lower the score enter the
    history; one that fails to (its gain was rounding error) is undone and ends the search.
    """
    began = time.perf_counter()
    best, lowest = fit.snapshot(), fit.value
    history = [Step(0, lowest, "start", 0, "starting order", 0.0)]
    status = search.finished
    whole = True
    with CtrlC() as ctrl_c:
        try:
            for move in search.moves(fit, names, rng) if max_iter != 0 else ():
                if not fit.value < lowest:
                    break
                best, lowest = fit.snapshot(), fit.value
                seconds = time.perf_counter() - began
                history.append(
                    Step(len(history), lowest, move.space, move.candidates, move.text, seconds)
                )
                if progress is not None:
                    progress(history[-1])
                if max_iter is not None and len(history) > max_iter:
                    status = "iteration limit"
                    break
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
            status = "interrupted"
            # A move may have been cut in two.
            whole = False
    if status == search.finished and search.out_of_time:
        status = "time limit"
    if not (whole and fit.value <= lowest):
        fit.restore(best)
    fit.refresh()
    return history, status
