"""The solution for the true order: what an oracle for the order would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.estimators import Topo
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.methods.topo import answer_of
from toposwap.experiments.scores import named_score

if TYPE_CHECKING:
    from toposwap.experiments.datasets import Sample


def learn(sample: Sample, task: Task) -> Answer:
    """Solve an order of the true graph; settings are those of ``Topo``."""
    settings = {"random_state": task.seed, **task.settings}
    score = named_score(settings.pop("score", task.score))
    model = Topo(score, "none", sample.weights, **settings).fit(sample.X)
    return answer_of(model, [])
