"""DirectLiNGAM, by the package ``lingam`` of its authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.baselines.base import Found
from toposwap.baselines.peers.border import Peer, centred_rows

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset


class DirectLiNGAM(Peer):
    """DirectLiNGAM, for noise that is not Gaussian.

    Parameters
    ----------
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`.
    """

    name: ClassVar[str] = "direct-lingam"
    package = "lingam"

    def __init__(
        self,
        *,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """The transpose of the package's matrix, whose rows are effects."""
        learner = self.module("lingam").DirectLiNGAM(random_state=int(rng.integers(2**31)))
        with self.running(rng):
            learner.fit(centred_rows(data, self.name))
        return Found(np.array(learner.adjacency_matrix_, dtype=np.float64).T.copy())
