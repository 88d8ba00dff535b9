"""What a search is, and the one loop that runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Protocol

from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.ctrl_c import CtrlC
from toposwap.core.runtime.deadline import NEVER, Deadline, TimeUp

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit
    from toposwap.pruning.base import Pruner


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
    """One record of the history: a move and where it led.

    Attributes
    ----------
    iteration
        0 for the start, and for steps with a surrogate before it; then 1, 2, ...
    score
        Q after the move; of the surrogate, for its steps.
    space, candidates, move
        As in :class:`Move`, ``move`` being its text.
    seconds
        Since the search began, time for compiling left out.
    """

    iteration: int
    score: float
    space: str
    candidates: int
    move: str
    seconds: float


class Progress(Protocol):
    """Called after each step; progress bars and logs hang here."""

    def __call__(self, step: Step) -> None:
        """See the ``step`` just made; what is raised here ends the search."""


@dataclass(eq=False)
class Findings:
    """What a search learns on the way besides the best order.

    Attributes
    ----------
    starts
        From how many starts the best score was reached, and from how many it was tried.
    rivals
        The graphs (d, d) of optima about as good as the best, that one among them.
    bound
        No graph that is permitted has a lower score than this; None if nothing was proved.
    """

    starts: tuple[int, int] | None = None
    rivals: list[NDArray[np.bool_]] = field(default_factory=list)
    bound: float | None = None


@dataclass(eq=False)
class Standing:
    """Where a search stands: all that it takes to go on from there, to the last bit.

    Attributes
    ----------
    fit
        Moved by the search; kept by its :meth:`~toposwap.orderfit.base.OrderFit.state`.
    best, lowest
        A snapshot of the best order met, and Q there.
    history
        The steps made.
    drawn
        The state of the generator.
    place
        What the search has noted about where it is.
    findings
        What it has learned.
    status
        How it ended; None while it goes on.
    """

    fit: OrderFit
    best: Any
    lowest: float
    history: list[Step]
    drawn: Any
    place: dict[str, Any]
    findings: Findings
    status: str | None = None


class Keeper(Protocol):
    """Keeps where a search stands, now and then."""

    def keep(self, standing: Standing) -> None:
        """Write it down, if the last time was long enough ago or the search is at its end."""


def _keep_nothing() -> None:
    """What a search without a keeper is told to call."""


@dataclass(frozen=True, eq=False)
class Context:
    """What a search is told besides the fit.

    Attributes
    ----------
    names
        The variables' names, for words about moves.
    rng
        The only source of randomness.
    deadline
        When to begin nothing more.
    pruner
        The score's own way to choose edges, whose graph may suggest an order; None without one.
    surrogates_followed
        The fit stands where the score's surrogates led, so that they need not be asked again.
    findings
        Where the search notes what it learns on the way.
    place
        Where the search notes in which part of its work it is. One that begins with notes goes on
        from there: with the fit, the generator and the notes of a call of ``keep`` it does what it
        did after that call.
    keep
        Called by the search wherever that holds, after each step of some length; the fit then
        stands at the best order that was yielded, or below it.
    """

    names: Sequence[str]
    rng: np.random.Generator
    deadline: Deadline = NEVER
    pruner: Pruner | None = None
    surrogates_followed: bool = False
    findings: Findings = field(default_factory=Findings)
    place: dict[str, Any] = field(default_factory=dict)
    keep: Callable[[], None] = _keep_nothing

    def aside(self) -> Context:
        """For a search with another fit on the way, of which nothing is kept."""
        return replace(self, place={}, keep=_keep_nothing)


class Search(ABC):
    """A way through the orders: settings, and a generator of improving moves.

    A subclass stores its settings in ``__init__`` and writes :meth:`moves`. It knows no score: all
    it asks is what :class:`~toposwap.orderfit.base.OrderFit` answers. :func:`run` owns the loop.
    """

    name: ClassVar[str]
    #: What the status is called when the search ends by itself.
    finished: ClassVar[str] = "converged"
    #: Seconds for everything, from the starting order to pruning; None for no limit.
    time_budget: float | None = None

    @abstractmethod
    def moves(self, fit: OrderFit, context: Context) -> Generator[Move, None, bool | str | None]:
        """Improve ``fit`` step by step.

        Parameters
        ----------
        fit
            At the starting order, which is permitted. The search moves it through its verbs. It
            may stand anywhere in between, but when a move is yielded or the search returns it
            stands at the best order met.
        context
            Names, randomness, deadline.

        Yields
        ------
        Move
            After each change that lowered ``fit.value``.

        Returns
        -------
        bool, str or None
            Whether the deadline ended the search before a local optimum; None as False. A string is
            the status of a search that a limit of its own ended. Every order that ``fit`` is
            brought to obeys ``fit.bound.positions``.
        """

    def __repr__(self) -> str:
        listed = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({listed})"


#: Ends that more time or another call may go beyond.
_CUT_SHORT = ("time limit", "iteration limit", "interrupted")


def run(
    search: Search,
    fit: OrderFit,
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    deadline: Deadline | None = None,
    pruner: Pruner | None = None,
    surrogates_followed: bool = False,
    progress: Progress | None = None,
    max_iter: int | None = None,
    findings: Findings | None = None,
    keeper: Keeper | None = None,
    standing: Standing | None = None,
) -> tuple[list[Step], str]:
    """Run ``search`` on ``fit`` until it ends, is interrupted, or a limit is reached.

    Afterwards ``fit`` stands at the best order met. Only steps that lower the score enter the
    history; one that fails to (its gain was rounding error) is undone and ends the search.

    Parameters
    ----------
    search
        Whose moves are made; one object serves many runs.
    fit
        At a starting order that is permitted; moved.
    names, rng, pruner, surrogates_followed
        As in :class:`Context`.
    deadline
        By default the search's own ``time_budget`` from now.
    progress
        Called with each step.
    max_iter
        The most steps; 0 stays at the start, None has no limit.
    findings
        Receives what the search learns on the way.
    keeper
        Told now and then where the search stands.
    standing
        What a keeper has kept of this search, whose fit ``fit`` is: it goes on from there.

    Returns
    -------
    history
        The start, then one record a step; Q falls from each to the next, if only in a digit that
        its total does not show.
    status
        How it ended: ``search.finished``, what the search itself returned as its status, "time
        limit", "iteration limit" or "interrupted" (by Ctrl-C, after which ``fit`` is whole as
        ever).
    """
    began = clock()
    deadline = Deadline(search.time_budget) if deadline is None else deadline
    findings = Findings() if findings is None else findings
    if standing is None:
        lowest = fit.value
        history = [Step(0, lowest, "start", 0, "starting order", 0.0)]
        standing = Standing(fit, fit.snapshot(), lowest, history, None, {}, findings)
    else:
        vars(findings).update(vars(standing.findings))
        standing.findings = findings
        rng.bit_generator.state = standing.drawn
        began -= standing.history[-1].seconds
    best, lowest, history = standing.best, standing.lowest, standing.history
    if standing.status is not None:
        return history, standing.status
    kept = standing

    def keep() -> None:
        if keeper is not None:
            kept.best, kept.lowest, kept.drawn = best, lowest, rng.bit_generator.state
            keeper.keep(kept)

    context = Context(
        names, rng, deadline, pruner, surrogates_followed, findings, standing.place, keep
    )
    status = search.finished
    whole = True
    with CtrlC() as ctrl_c:
        try:
            moves = search.moves(fit, context)
            while max_iter != 0:
                try:
                    move = next(moves)
                except StopIteration as end:
                    if end.value:
                        status = end.value if isinstance(end.value, str) else "time limit"
                    break
                if not fit.change_since(best, lowest) < 0.0:
                    break
                best, lowest = fit.snapshot(), fit.value
                seconds = clock() - began
                history.append(
                    Step(len(history), lowest, move.space, move.candidates, move.text, seconds)
                )
                if progress is not None:
                    progress(history[-1])
                if max_iter is not None and len(history) > max_iter:
                    status = "iteration limit"
                    break
                if deadline.passed:
                    status = "time limit"
                    break
            moves.close()
        except TimeUp:
            status = "time limit"
            if fit.change_since(best, lowest) < 0.0:
                best, lowest = fit.snapshot(), fit.value
                text, seconds = "moves until time was up", clock() - began
                history.append(Step(len(history), lowest, "insertion", 0, text, seconds))
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
            status = "interrupted"
            # A move may have been cut in two.
            whole = False
    if not (whole and fit.change_since(best, lowest) <= 0.0):
        fit.restore(best)
    fit.polish(deadline)
    if fit.value < history[-1].score - fit.resolution:
        # What polishing brings belongs to the last step.
        history[-1] = replace(history[-1], score=fit.value)
    if status not in _CUT_SHORT:
        standing.status = status
        keep()
    return history, status
