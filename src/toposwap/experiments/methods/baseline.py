"""The other learners, by their name in ``toposwap.baselines``."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.errors import InputError
from toposwap.experiments.methods import Answer, Task

if TYPE_CHECKING:
    from toposwap.experiments.datasets import Sample


def learn(sample: Sample, task: Task) -> Answer:
    """Fit ``BASELINES[name]`` with the other settings; it may start from given weights."""
    settings = dict(task.settings)
    name = settings.pop("name")
    baselines = import_module("toposwap.baselines").BASELINES
    if name not in baselines:
        raise InputError(f"methods: no baseline is called {name!r}; {', '.join(baselines)} are")
    kind: Any = baselines[name]
    parameters = inspect.signature(kind).parameters
    if task.start is not None:
        settings["init"] = task.start
    if "random_state" in parameters:
        settings.setdefault("random_state", task.seed)
    model = kind(**settings).fit(sample.X)
    weights = np.asarray(model.weights_, dtype=np.float64)
    graph = np.asarray(model.adjacency_matrix_) != 0.0
    # A learner of equivalence classes has undirected edges, which no threshold may remove.
    undirected = bool((graph & graph.T).any())
    return Answer(weights, graph=graph if undirected else None)
