"""PC, GES and BOSS, by the package ``causal-learn``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.baselines.base import Found
from toposwap.baselines.peers.border import Peer, centred_rows, from_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


class _CausalLearn(Peer):
    """What its learners share: a class of DAGs, nothing pruned."""

    package = "causal-learn"
    published_threshold: ClassVar[float | None] = None


def read_marks(graph: Any) -> NDArray[np.bool_]:
    """From end marks to edges (d, d).

    ``marks[i, j]`` is the mark at i's end of the edge between i and j: -1 a tail, 1 an arrowhead.
    Two arrowheads, where tests contradict each other, count as undirected.
    """
    marks = np.asarray(graph.graph)
    adjacent = (marks != 0) & (marks.T != 0)
    return adjacent & ((marks == -1) | ((marks == 1) & (marks.T == 1)))


class PC(_CausalLearn):
    """The PC algorithm with Fisher's Z test.

    Parameters
    ----------
    alpha : float, default=0.05
        Level of the tests; the package's default.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`; by default nothing is pruned.
    """

    name: ClassVar[str] = "pc"

    def __init__(
        self,
        alpha: float = 0.05,
        *,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Skeleton by tests, arrows by v-structures and Meek's rules."""
        pc = self.module("causallearn.search.ConstraintBased.PC").pc
        with self.running(rng):
            learned = pc(
                centred_rows(data, self.name),
                alpha=self.alpha,
                indep_test="fisherz",
                verbose=False,
                show_progress=False,
            )
        return from_class(data, read_marks(learned.G))


class GES(_CausalLearn):
    """Greedy equivalence search with BIC, which FGS is a fast form of.

    Parameters
    ----------
    max_parents : int, optional
        The most parents a node may have; by default as many as there are columns.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`; by default nothing is pruned.
    """

    name: ClassVar[str] = "ges"

    def __init__(
        self,
        max_parents: int | None = None,
        *,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.max_parents = max_parents
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Forward and backward phase."""
        ges = self.module("causallearn.search.ScoreBased.GES").ges
        with self.running(rng):
            learned = ges(
                centred_rows(data, self.name), score_func="local_score_BIC", maxP=self.max_parents
            )
        return from_class(data, read_marks(learned["G"]))


class BOSS(_CausalLearn):
    """Best order score search with BIC.

    Parameters
    ----------
    lambda_bic : float, default=2
        Penalty of an edge in units of BIC's; the package's default.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`; by default nothing is pruned.
    """

    name: ClassVar[str] = "boss"

    def __init__(
        self,
        lambda_bic: float = 2.0,
        *,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.lambda_bic = lambda_bic
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Best order search from a random order, which ``rng`` draws; its CPDAG."""
        boss = self.module("causallearn.search.PermutationBased.BOSS").boss
        with self.running(rng):
            learned = boss(
                centred_rows(data, self.name),
                score_func="local_score_BIC_from_cov",
                parameters={"lambda_value": float(self.lambda_bic)},
                verbose=False,
            )
        return from_class(data, read_marks(learned))
