"""X_j ~ Bernoulli(1 / (1 + exp(-X w_j))) on ER and SF graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from toposwap.experiments.datasets import Sample
from toposwap.graph import acyclic_order
from toposwap.simulate import dag, edge_weights


def draw(settings: dict[str, Any], seed: int) -> Sample:
    """``d``, ``n``, ``graph``; causes are drawn before their effects."""
    rng = np.random.default_rng(seed)
    weights = edge_weights(
        dag(settings["d"], settings["graph"], random_state=rng), random_state=rng
    )
    uniform = rng.random((settings["n"], settings["d"]))
    X = np.zeros_like(uniform)
    for j in acyclic_order(weights != 0.0, "weights"):
        X[:, j] = uniform[:, j] * (1.0 + np.exp(-X @ weights[:, j])) < 1.0
    return Sample(X, weights)
