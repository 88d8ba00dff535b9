"""Learners to compare, one kind a file: ``learn(sample, task) -> Answer``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.datasets import Sample
    from toposwap.experiments.scores import Spec


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is told besides the data.

    Attributes
    ----------
    settings
        Those of the config, without ``kind`` and ``start``.
    score
        Q, as the config says it.
    threshold
        What the experiment prunes at.
    seed
        For whatever is random.
    start
        Weights to start from, (d, d).
    """

    settings: dict[str, Any]
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
        Space, score and SHD after each iteration.
    """

    weights: NDArray[np.float64]
    graph: NDArray[np.bool_] | None = None
    parameters: Any = None
    kept: Any = None
    trace: list[tuple[str, float, int]] = field(default_factory=list)


Learn: TypeAlias = "Callable[[Sample, Task], Answer]"

#: Kind -> the file that runs it.
KINDS = {"topo": "topo", "true-order": "true_order", "baseline": "baseline"}


def learner(kind: Any) -> Learn:
    """The function that runs methods of this kind."""
    if kind not in KINDS:
        raise InputError(f"methods: kind = {kind!r} is not one of {', '.join(KINDS)}")
    function: Learn = import_module(f"{__name__}.{KINDS[kind]}").learn
    return function
