"""X_j = f_j(parents) + z_j with a random one-layer network f_j and standard normal noise."""

from __future__ import annotations

from typing import Any

from toposwap.experiments.datasets import Sample
from toposwap.simulate import nonlinear_dataset


def draw(settings: dict[str, Any], seed: int) -> Sample:
    """``d``, ``n``, ``graph``, ``mechanism``: those of ``simulate.nonlinear_dataset``."""
    sample = nonlinear_dataset(
        settings["d"],
        settings["n"],
        settings["graph"],
        mechanism=settings["mechanism"],
        random_state=seed,
    )
    return Sample(sample.X, sample.adjacency.astype(float))
