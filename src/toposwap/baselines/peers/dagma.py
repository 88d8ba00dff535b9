"""DAGMA, by the package ``dagma`` of its authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.baselines.base import Found
from toposwap.baselines.peers.border import Peer, centred_rows

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset


class Dagma(Peer):
    """Linear DAGMA: least squares + lambda1 ||W||_1 with the log-determinant as central path.

    Parameters
    ----------
    lambda1 : float, default=0.03
        Weight of the l1 norm; the package's default.
    warm_iter, max_iter : int, default=30000 and 60000
        Steps for each weight of the path but the last, and for the last; the package's defaults.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`.
    """

    name: ClassVar[str] = "dagma"
    package = "dagma"

    def __init__(
        self,
        lambda1: float = 0.03,
        *,
        warm_iter: int = 30_000,
        max_iter: int = 60_000,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.lambda1 = lambda1
        self.warm_iter = warm_iter
        self.max_iter = max_iter
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Weights as the package returns them, before its threshold."""
        learner = self.module("dagma.linear").DagmaLinear(loss_type="l2")
        with self.running(rng):
            W = learner.fit(
                centred_rows(data, self.name),
                lambda1=self.lambda1,
                w_threshold=0.0,
                warm_iter=self.warm_iter,
                max_iter=self.max_iter,
            )
        return Found(np.array(W, dtype=np.float64))
