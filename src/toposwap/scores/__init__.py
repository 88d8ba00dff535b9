"""Q: value, gradient, and the solution for an order."""

from collections.abc import Callable
from functools import partial

from toposwap.scores.base import BoundScore, OrderFit, Point, Score
from toposwap.scores.joint import JointScore
from toposwap.scores.least_squares import LeastSquares
from toposwap.scores.priced import BIC, EqualVarianceBIC
from toposwap.scores.separable import NodeFit, SeparableScore

#: Scores by name.
SCORES: dict[str, Callable[[], Score]] = {
    LeastSquares.name: LeastSquares,
    BIC.name: BIC,
    "ebic": partial(BIC, gamma=0.5),
    EqualVarianceBIC.name: EqualVarianceBIC,
}

__all__ = [
    "LeastSquares",
    "BIC",
    "EqualVarianceBIC",
    "Score",
    "BoundScore",
    "OrderFit",
    "Point",
    "SeparableScore",
    "NodeFit",
    "JointScore",
    "SCORES",
]
