"""The other learners, by their name in ``toposwap.baselines``."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.scores import named_score
from toposwap.scores.mlp.score import Networks

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
    elif settings.get("init") == "empty":
        # The empty graph, for which TOML has no word.
        settings["init"] = None
    if "random_state" in parameters:
        settings.setdefault("random_state", task.seed)
    model = kind(**settings).fit(sample.X)
    # A learner of equivalence classes may leave directions open; no threshold removes its edges.
    learns_class = model.published_threshold is None
    return Answer(
        np.asarray(model.raw_weights_, dtype=np.float64),
        graph=model.cpdag_ if learns_class else None,
        parameters=_networks(model.network_, task) if hasattr(model, "network_") else None,
    )


def _networks(network: Any, task: Task) -> Networks:
    """Parameters of NOTEARS-MLP, node first, as the score "mlp" keeps them, node last.

    The score has more hidden units; those that are missing do nothing.
    """
    units = network.b.shape[1]
    missing = max(getattr(named_score(task.score), "hidden", units) - units, 0)
    first = np.pad(network.A.transpose(2, 1, 0), ((0, 0), (0, missing), (0, 0)))
    biases, output = (np.pad(part.T, ((0, missing), (0, 0))) for part in (network.b, network.v))
    return Networks(first, biases, output, network.c)
