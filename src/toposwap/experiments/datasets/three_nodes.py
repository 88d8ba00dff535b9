"""X1 = z1, X2 = a X1 + z2, X3 = b X2 + z3 on the population.

A finite table stands for the population: its rows are ±sqrt(3) times those of a root of the
covariance, so its means are zero and its second moments exactly the population's.
"""

from __future__ import annotations

import numpy as np

from toposwap.experiments.datasets import Sample
from toposwap.simulate import population_covariance


def draw(seed: int, *, a: float, b: float) -> Sample:  # noqa: ARG001 - nothing is random
    """996 rows with the second moments of the population."""
    weights = np.zeros((3, 3))
    weights[0, 1], weights[1, 2] = a, b
    root = np.linalg.cholesky(population_covariance(weights)).T
    return Sample(np.tile(np.sqrt(3.0) * np.vstack([root, -root]), (166, 1)), weights)
