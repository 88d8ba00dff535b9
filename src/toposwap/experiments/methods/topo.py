"""Ours: any setting of :class:`toposwap.Topo`, from scratch or from another method's weights.

Settings: those of ``Topo`` by name (``score`` also as a table), and

- ``order``: the starting order in the paper's numbers, "3 1 2";
- ``candidates``: "random" takes the swaps of the paper's search from a hat instead of Y, anew in
  each iteration, "random-once" once for the run;
- ``acyclicity``: the function h that Y is made with, by name;
- ``several``: false makes one swap an iteration, to the letter of the pseudo-code;
- ``trace``: true records the graph after each iteration.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.acyclicity import ACYCLICITIES
from toposwap.candidates import KKTCandidates, UniformCandidates
from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import parameters_of
from toposwap.estimators import Topo
from toposwap.experiments.kinds import passes_to
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.scores import score_of
from toposwap.metrics import shd
from toposwap.pruning.threshold import threshold
from toposwap.search import PaperSearch, Search

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposwap.experiments.datasets import Sample
    from toposwap.experiments.scores import Spec
    from toposwap.scores import OrderFit
    from toposwap.search import Context, Move


@passes_to(lambda _: Topo, but=("random_state", "progress"))
def learn(
    sample: Sample,
    task: Task,
    *,
    score: Spec | None = None,
    search: str = "auto",
    order: str | None = None,
    candidates: str | None = None,
    several: bool | None = None,
    trace: bool = False,
    **settings: Any,
) -> Answer:
    """Fit, and hand over weights, order-constrained parameters and the trace."""
    init: Any = settings.pop("init", "auto")
    if order is not None:
        init = [int(number) - 1 for number in order.split()]
    if task.start is not None:
        init = task.start
    moves: str | Search = search
    if search == PaperSearch.name:
        moves = _paper_search(settings, candidates, several)
    else:
        for key, given in {
            "candidates": candidates,
            "several": several,
            "trace": trace or None,
        }.items():
            if given is not None:
                raise InputError(f"methods: {key} goes with search = 'paper' alone")
    tracked = None
    if trace:
        assert isinstance(moves, Search)
        moves = tracked = Tracked(moves, sample, task.threshold)
    quality = score_of(task.score if score is None else score)
    rng = np.random.default_rng([task.seed, 1])
    model = Topo(quality, moves, init, random_state=rng, **settings).fit(sample.X)
    return answer_of(model, [] if tracked is None else tracked.trace)


def answer_of(model: Topo, trace: list[tuple[str, float, int | None]]) -> Answer:
    """What a fitted model found; a score with a rule of its own for pruning has its way."""
    result = model.result_
    pruned = result.pruned
    return Answer(
        model.weights_,
        graph=model.adjacency_matrix_ != 0.0 if pruned.refitted else None,
        parameters=result.parameters,
        kept=pruned.parameters if pruned.refitted else None,
        trace=trace,
    )


def _paper_search(
    settings: dict[str, Any], candidates: str | None, several: bool | None
) -> PaperSearch:
    """The search of the pseudo-code with what ``settings`` says about it, taken out of there."""
    h = _named(ACYCLICITIES, "acyclicity", settings.pop("acyclicity", "logdet"))
    known = {
        "kkt": partial(KKTCandidates, h()),
        "random": UniformCandidates,
        "random-once": partial(UniformCandidates, redraw=False),
    }
    pairs = _named(known, "candidates", candidates or "kkt")
    given = {key: settings.pop(key) for key in parameters_of(PaperSearch) if key in settings}
    if several is not None:
        given["several"] = several
    return PaperSearch(**given, candidates=pairs())


def _named(known: Mapping[str, Any], key: str, name: str) -> Any:
    if name not in known:
        raise InputError(f"methods: {key} = {name!r} is not one of {', '.join(known)}")
    return known[name]


class Tracked(Search):
    """A search that writes down where it has been."""

    name: ClassVar[str] = "tracked"

    def __init__(self, search: Search, sample: Sample, at_least: float) -> None:
        self.search = search
        self.sample = sample
        self.at_least = at_least
        self.trace: list[tuple[str, float, int | None]] = []

    def moves(self, fit: OrderFit, context: Context) -> Iterator[Move]:  # type: ignore[override]
        """Those of the search it wraps."""
        self._note("start", fit)
        for move in self.search.moves(fit, context):
            self._note(move.space, fit)
            yield move

    def _note(self, space: str, fit: OrderFit) -> None:
        graph = threshold(fit.point().weights, self.at_least)
        truth = self.sample.weights
        distance = None if truth is None else shd(truth, graph)
        self.trace.append((space, float(fit.value), distance))
