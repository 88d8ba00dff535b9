"""Learners to compare, one kind a file: ``learn(sample, task, **settings) -> Answer``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.experiments.kinds import Kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from toposwap.experiments.datasets import Sample
    from toposwap.experiments.scores import Spec


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is told besides the data and its settings.

    Attributes
    ----------
    score
        Q, as the config says it; :func:`toposwap.experiments.scores.score_of` makes the object.
    threshold
        What the experiment prunes at.
    seed
        For whatever is random.
    start
        Weights to start from, (d, d).
    """

    score: Spec
    threshold: float
    seed: int
    start: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method found; nothing it says about its quality is here.

    Attributes
    ----------
    weights
        (d, d), unpruned.
    graph
        (d, d), where edges are not found by a threshold on the weights; both directions at once are
        an undirected edge.
    parameters
        What Q is a function of, where that is more than the weights.
    kept
        The same for the graph alone, where a rule of the score's own pruned and fitted it again.
    trace
        Space, score and SHD (None without a truth) after each iteration.
    """

    weights: NDArray[np.float64]
    graph: NDArray[np.bool_] | None = None
    parameters: Any = None
    kept: Any = None
    trace: list[tuple[str, float, int | None]] = field(default_factory=list)


KINDS = Kinds(
    "methods",
    __name__,
    "learn",
    ("sample", "task"),
    {"topo": "topo", "true-order": "true_order", "baseline": "baseline"},
)
#: Keys of a method in a config that are no settings of its function.
NOT_SETTINGS = ("kind", "start")


def learn(settings: Mapping[str, Any], sample: Sample, task: Task) -> Answer:
    """Run what ``settings["kind"]`` says, with the other settings."""
    kind = settings.get("kind")
    function = KINDS.find(kind)
    given = {key: value for key, value in settings.items() if key not in NOT_SETTINGS}
    answer = function(sample, task, **given)
    return answer if isinstance(answer, Answer) else _as_answer(answer, sample.X.shape[1], kind)


def _as_answer(answer: Any, d: int, kind: Any) -> Answer:
    try:
        weights = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"methods: kind = {kind!r} returned no weights: {error}") from error
    if weights.shape != (d, d):
        raise InputError(
            f"methods: kind = {kind!r} must return the weights ({d}, {d}) or an Answer; the shape "
            f"of what it returned is {weights.shape}"
        )
    return Answer(weights)
