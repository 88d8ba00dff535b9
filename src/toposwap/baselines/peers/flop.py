"""FLOP, by the package ``flopsearch`` of its authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.baselines.base import Found
from toposwap.baselines.peers.border import Peer, centred_rows, from_class

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset


class FLOP(Peer):
    """Iterated local search over orders for BIC.

    The package takes no seed: with few restarts on hard data two runs may differ.

    Parameters
    ----------
    lambda_bic : float, default=2
        Penalty of an edge in units of BIC's.
    restarts : int, default=20
        Restarts of the local search.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`; by default nothing is pruned.
    """

    name: ClassVar[str] = "flop"
    package = "flopsearch"
    published_threshold: ClassVar[float | None] = None

    def __init__(
        self,
        lambda_bic: float = 2.0,
        restarts: int = 20,
        *,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.lambda_bic = lambda_bic
        self.restarts = restarts
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """1 in its matrix is an arrow, 2 (twice) an undirected edge."""
        learner = self.module("flopsearch")
        with self.running(rng):
            marks = learner.flop(
                centred_rows(data, self.name), float(self.lambda_bic), restarts=int(self.restarts)
            )
        return from_class(data, np.asarray(marks) != 0)
