"""Ours: any setting of :class:`toposwap.Topo`, from scratch or from another method's weights.

Settings: those of ``Topo`` by name, and

- ``order``: the starting order in the paper's numbers, "3 1 2";
- ``candidates``: "random" takes the swaps of the paper's search from a hat instead of Y;
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
from toposwap.estimators import Topo
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.scores import named_score
from toposwap.metrics import shd
from toposwap.pruning.threshold import threshold
from toposwap.search import PaperSearch, Search

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposwap.experiments.datasets import Sample
    from toposwap.scores import OrderFit
    from toposwap.search import Context, Move

_PAPER = ("s_small", "s_large", "s_0", "greedy", "several")


def learn(sample: Sample, task: Task) -> Answer:
    """Fit, and hand over weights, order-constrained parameters and the trace."""
    given = dict(task.settings)
    init: Any = given.pop("init", "auto")
    if "order" in given:
        init = [int(number) - 1 for number in given.pop("order").split()]
    if task.start is not None:
        init = task.start
    search: Any = given.pop("search", "auto")
    trace = given.pop("trace", False)
    if search == "paper":
        search = _paper_search(given)
    tracked = None
    if trace:
        if not isinstance(search, Search):
            raise InputError("methods: trace = true goes with search = 'paper'")
        search = tracked = Tracked(search, sample, task.threshold)
    score = named_score(given.pop("score", task.score))
    model = Topo(score, search, init, random_state=np.random.default_rng([task.seed, 1]), **given)
    model.fit(sample.X)
    return answer_of(model, [] if tracked is None else tracked.trace)


def answer_of(model: Topo, trace: list[tuple[str, float, int]]) -> Answer:
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


def _paper_search(given: dict[str, Any]) -> PaperSearch:
    """The search of the pseudo-code with what ``given`` says about it, taken out of there."""
    h = _named(ACYCLICITIES, "acyclicity", given.pop("acyclicity", "logdet"))
    known = {"kkt": partial(KKTCandidates, h()), "random": UniformCandidates}
    candidates = _named(known, "candidates", given.pop("candidates", "kkt"))
    settings = {key: given.pop(key) for key in _PAPER if key in given}
    return PaperSearch(**settings, candidates=candidates())


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
        self.trace: list[tuple[str, float, int]] = []

    def moves(self, fit: OrderFit, context: Context) -> Iterator[Move]:  # type: ignore[override]
        """Those of the search it wraps."""
        self._note("start", fit)
        for move in self.search.moves(fit, context):
            self._note(move.space, fit)
            yield move

    def _note(self, space: str, fit: OrderFit) -> None:
        graph = threshold(fit.point().weights, self.at_least)
        self.trace.append((space, float(fit.value), shd(self.sample.weights, graph)))
