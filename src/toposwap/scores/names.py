"""Names for scores: a few that have one of their own, and every "<loss>-<penalty>"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from toposwap.core.lazy import LazyMaker
from toposwap.losses import LOSSES
from toposwap.penalties import L1, PENALTIES
from toposwap.scores.base import Score

#: The families, each loaded with its kernels when one of its scores is made.
Auto = LazyMaker("toposwap.scores.auto", "Auto")
LeastSquares = LazyMaker("toposwap.scores.least_squares", "LeastSquares")
Penalized = LazyMaker("toposwap.scores.penalized", "Penalized")
Basis = LazyMaker("toposwap.scores.additive", "Basis")
BasisBIC = LazyMaker("toposwap.scores.additive", "BasisBIC")
GroupBasis = LazyMaker("toposwap.scores.additive", "GroupBasis")
MLP = LazyMaker("toposwap.scores.mlp", "MLP")


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
        "auto": Auto,
        "least-squares": LeastSquares,
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
        "basis": Basis,
        "basis-bic": BasisBIC,
        "basis-mcp": GroupBasis,
        "basis-lasso": partial(GroupBasis, "lasso"),
        "mlp": MLP,
    }
)
