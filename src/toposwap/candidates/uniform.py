"""The ablation of the paper: pairs to swap, drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.candidates.base import Candidates, Survey

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.orderfit.base import OrderFit


class UniformCandidates(Candidates):
    """Pairs drawn uniformly without replacement from all d(d-1)/2.

    Nothing is known about violations of the KKT conditions.
    """

    def survey(self, fit: OrderFit, rng: np.random.Generator) -> Survey:
        """List all pairs, the later variable first as in Y: it is the one to come forward."""
        return _UniformSurvey(fit.all_pairs()[:, ::-1], rng)


class _UniformSurvey(Survey):
    violations = np.empty((0, 2), dtype=np.int64)

    def __init__(self, everything: NDArray[np.int64], rng: np.random.Generator) -> None:
        self._everything = everything
        self._rng = rng

    def pairs(self, size: int) -> NDArray[np.int64]:
        size = min(size, len(self._everything))
        return self._rng.choice(self._everything, size=size, replace=False)
