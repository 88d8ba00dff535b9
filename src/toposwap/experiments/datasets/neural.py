"""X_j = f_j(parents) + z_j with a random one-layer network f_j and standard normal noise."""

from __future__ import annotations

from typing import Any

from toposwap.experiments.datasets import Sample
from toposwap.experiments.kinds import passes_to
from toposwap.simulate import nonlinear_dataset


@passes_to(lambda _: nonlinear_dataset, but=("kind", "random_state"))
def draw(seed: int, *, graph: str, **settings: Any) -> Sample:
    """Those of ``simulate.nonlinear_dataset``, whose ``kind`` is ``graph`` here."""
    sample = nonlinear_dataset(kind=graph, random_state=seed, **settings)
    return Sample(sample.X, sample.adjacency.astype(float))
