"""The solution for the true order: what an oracle for the order would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.estimators import Topo
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.methods.topo import answer_of

if TYPE_CHECKING:
    from toposwap.experiments.datasets import Sample


def learn(sample: Sample, task: Task) -> Answer:
    """Solve an order of the true graph; settings are those of ``Topo``."""
    settings = {"score": task.score, "random_state": task.seed, **task.settings}
    model = Topo(search="none", init=sample.weights, **settings).fit(sample.X)
    return answer_of(model, [])
