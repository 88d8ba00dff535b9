"""The solution for the true order: what an oracle for the order would give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.estimators import Topo
from toposwap.experiments.kinds import passes_to
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.methods.topo import answer_of
from toposwap.experiments.scores import score_of

if TYPE_CHECKING:
    from toposwap.experiments.datasets import Sample
    from toposwap.experiments.scores import Spec


@passes_to(lambda _: Topo, but=("search", "init", "random_state", "progress"))
def learn(sample: Sample, task: Task, *, score: Spec | None = None, **settings: Any) -> Answer:
    """Solve an order of the true graph; settings are those of ``Topo``."""
    if sample.weights is None:
        raise InputError("methods: kind = 'true-order' needs data whose true graph is known")
    quality = score_of(task.score if score is None else score)
    model = Topo(quality, "none", sample.weights, random_state=task.seed, **settings).fit(sample.X)
    return answer_of(model, [])
