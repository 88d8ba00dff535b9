"""X = X W + Z on ER, SF and full graphs, weights from Unif([-2, -0.5] ∪ [0.5, 2])."""

from __future__ import annotations

from typing import Any

from toposwap.experiments.datasets import Sample
from toposwap.experiments.kinds import passes_to
from toposwap.simulate import linear_dataset


@passes_to(lambda _: linear_dataset, but=("kind", "random_state"))
def draw(seed: int, *, graph: str, **settings: Any) -> Sample:
    """Those of :func:`toposwap.simulate.linear_dataset`, whose ``kind`` is ``graph`` here."""
    sample = linear_dataset(kind=graph, random_state=seed, **settings)
    return Sample(sample.X, sample.weights)
