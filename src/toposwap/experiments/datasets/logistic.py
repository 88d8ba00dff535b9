"""X_j ~ Bernoulli(1 / (1 + exp(-X w_j))) on ER and SF graphs."""

from __future__ import annotations

from typing import Any

from toposwap.experiments.datasets import Sample
from toposwap.experiments.kinds import passes_to
from toposwap.simulate import discrete_dataset


@passes_to(lambda _: discrete_dataset, but=("kind", "law", "random_state"))
def draw(seed: int, *, graph: str, **settings: Any) -> Sample:
    """Those of ``simulate.discrete_dataset``, whose ``kind`` is ``graph`` here."""
    sample = discrete_dataset(kind=graph, law="logistic", random_state=seed, **settings)
    return Sample(sample.X, sample.weights)
