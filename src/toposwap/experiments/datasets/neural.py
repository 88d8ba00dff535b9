"""X_j = f_j(parents) + z_j with a random one-layer network f_j and standard normal noise."""

from __future__ import annotations

from typing import Any

from toposwap import simulate
from toposwap.errors import InputError
from toposwap.experiments.datasets import Sample


def draw(settings: dict[str, Any], seed: int) -> Sample:
    """``d``, ``n``, ``graph``, ``mechanism``: those of ``simulate.nonlinear_dataset``."""
    make: Any = getattr(simulate, "nonlinear_dataset", None)
    if make is None:
        raise InputError("data: this version of toposwap cannot draw neural networks")
    sample = make(
        settings["d"],
        settings["n"],
        settings["graph"],
        mechanism=settings["mechanism"],
        random_state=seed,
    )
    return Sample(sample.X, sample.adjacency.astype(float))
