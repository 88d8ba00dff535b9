"""X_j ~ Bernoulli(1 / (1 + exp(-X w_j))) on ER and SF graphs."""

from __future__ import annotations

from typing import Any

from toposwap.experiments.datasets import Sample
from toposwap.simulate import discrete_dataset


def draw(settings: dict[str, Any], seed: int) -> Sample:
    """``d``, ``n``, ``graph``: those of ``simulate.discrete_dataset``."""
    d, n, graph = settings["d"], settings["n"], settings["graph"]
    sample = discrete_dataset(d, n, graph, random_state=seed)
    return Sample(sample.X, sample.weights)
