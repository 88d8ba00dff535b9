"""Q: value, gradient, and the solution for an order."""

from toposwap.scores.base import BoundScore, OrderFit, Point, Score
from toposwap.scores.joint import JointScore
from toposwap.scores.least_squares import LeastSquares
from toposwap.scores.separable import NodeFit, SeparableScore

#: Scores by name.
SCORES: dict[str, type[Score]] = {score.name: score for score in (LeastSquares,)}

__all__ = [
    "LeastSquares",
    "Score",
    "BoundScore",
    "OrderFit",
    "Point",
    "SeparableScore",
    "NodeFit",
    "JointScore",
    "SCORES",
]
