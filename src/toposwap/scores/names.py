"""Names for scores: a few that have one of their own, and every "<loss>-<penalty>"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from toposwap.losses import LOSSES
from toposwap.penalties import L1, PENALTIES
from toposwap.scores.additive.bic import BasisBIC
from toposwap.scores.additive.group import GroupBasis
from toposwap.scores.additive.score import Basis
from toposwap.scores.auto import Auto
from toposwap.scores.base import Score
from toposwap.scores.least_squares.score import LeastSquares
from toposwap.scores.mlp.score import MLP
from toposwap.scores.penalized.score import Penalized


class ScoreNames(Mapping[str, Callable[[], Score]]):
    """The scores of ``named``, which are the ones listed; other pairs are made when asked for."""

    #: What an error says besides the names listed.
    others = (
        f"<loss>-<penalty> with a loss of {', '.join(LOSSES)} and a penalty of "
        f"{', '.join(PENALTIES)}"
    )

    def __init__(self, named: Mapping[str, Callable[[], Score]]) -> None:
        self._named = dict(named)

    def __getitem__(self, name: str) -> Callable[[], Score]:
        if name in self._named:
            return self._named[name]
        loss, _, penalty = name.rpartition("-")
        if loss not in LOSSES or penalty not in PENALTIES:
            raise KeyError(name)
        return partial(Penalized, loss, penalty)

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)


#: Scores by name.
SCORES = ScoreNames(
    {
        Auto.name: Auto,
        LeastSquares.name: LeastSquares,
        "equal-variance-l0": partial(Penalized, "equal-variance", "l0"),
        "bic": partial(Penalized, "gaussian", "bic"),
        "ebic": partial(Penalized, "gaussian", "ebic"),
        "gaussian-mcp": partial(Penalized, "gaussian", "mcp"),
        "gaussian-l1": partial(Penalized, "gaussian", "l1"),
        "least-squares-l1": partial(Penalized, "least-squares", "l1"),
        "logistic": partial(Penalized, "logistic", "none"),
        "logistic-bic": partial(Penalized, "logistic", "bic"),
        # The paper's weight.
        "logistic-l1": lambda: Penalized("logistic", L1(0.01)),
        "poisson-l1": lambda: Penalized("poisson", L1(0.01)),
        Basis.name: Basis,
        BasisBIC.name: BasisBIC,
        "basis-mcp": GroupBasis,
        "basis-lasso": partial(GroupBasis, "lasso"),
        MLP.name: MLP,
    }
)
