"""The other learners, by their name in ``toposwap.baselines``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.baselines import BASELINES
from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import parameters_of
from toposwap.experiments.kinds import passes_to
from toposwap.experiments.methods import Answer, Task
from toposwap.experiments.scores import score_of
from toposwap.scores.mlp.score import Networks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toposwap.experiments.datasets import Sample


def _named(settings: Mapping[str, Any]) -> Any:
    name = settings.get("name")
    if name not in BASELINES:
        raise InputError(f"methods: no baseline is called {name!r}; {', '.join(BASELINES)} are")
    return BASELINES[name]


@passes_to(_named)
def learn(sample: Sample, task: Task, *, name: str, **settings: Any) -> Answer:
    """Fit ``BASELINES[name]`` with the other settings; it may start from given weights."""
    kind = _named({"name": name})
    if task.start is not None:
        settings["init"] = task.start
    elif settings.get("init") == "empty":
        # The empty graph, for which TOML has no word.
        settings["init"] = None
    if isinstance(settings.get("score"), dict):
        settings["score"] = score_of(settings["score"])
    if "random_state" in parameters_of(kind):
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
    missing = max(getattr(score_of(task.score), "hidden", units) - units, 0)
    first = np.pad(network.A.transpose(2, 1, 0), ((0, 0), (0, missing), (0, 0)))
    biases, output = (np.pad(part.T, ((0, missing), (0, 0))) for part in (network.b, network.v))
    return Networks(first, biases, output, network.c)
