"""X = X W + Z on ER, SF and full graphs, weights from Unif([-2, -0.5] ∪ [0.5, 2])."""

from __future__ import annotations

from typing import Any

from toposwap.experiments.datasets import Sample
from toposwap.simulate import linear_dataset


def draw(settings: dict[str, Any], seed: int) -> Sample:
    """``d``, ``n``, ``graph``, ``noise``: those of :func:`toposwap.simulate.linear_dataset`."""
    sample = linear_dataset(
        settings["d"],
        settings["n"],
        settings["graph"],
        noise=settings["noise"],
        random_state=seed,
    )
    return Sample(sample.X, sample.weights)
