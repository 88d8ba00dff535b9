"""Q: value, gradient, and the solution for an order."""

from collections.abc import Callable
from functools import partial

from toposwap.penalties import L1
from toposwap.scores.base import BoundScore, OrderFit, Point, Score
from toposwap.scores.basis import Basis
from toposwap.scores.basis_group import GroupBasis
from toposwap.scores.basis_subset import BasisBIC
from toposwap.scores.equal_variance import EqualVariance
from toposwap.scores.joint import JointScore
from toposwap.scores.least_squares import LeastSquares
from toposwap.scores.mlp import MLP
from toposwap.scores.penalized import Penalized
from toposwap.scores.separable import NodeFit, SeparableScore
from toposwap.scores.surrogate import surrogate_order

#: Scores by name.
SCORES: dict[str, Callable[[], Score]] = {
    LeastSquares.name: LeastSquares,
    EqualVariance.name: EqualVariance,
    "bic": partial(Penalized, "gaussian", "bic"),
    "ebic": partial(Penalized, "gaussian", "ebic"),
    "gaussian-mcp": partial(Penalized, "gaussian", "mcp"),
    "gaussian-l1": partial(Penalized, "gaussian", "l1"),
    "least-squares-l1": partial(Penalized, "least-squares", "l1"),
    "logistic": partial(Penalized, "logistic", "none"),
    # The paper's weight.
    "logistic-l1": lambda: Penalized("logistic", L1(0.01)),
    "poisson-l1": lambda: Penalized("poisson", L1(0.01)),
    Basis.name: Basis,
    BasisBIC.name: BasisBIC,
    "basis-mcp": GroupBasis,
    "basis-lasso": partial(GroupBasis, "lasso"),
    MLP.name: MLP,
}

__all__ = [
    "LeastSquares",
    "EqualVariance",
    "Penalized",
    "Basis",
    "BasisBIC",
    "GroupBasis",
    "MLP",
    "surrogate_order",
    "Score",
    "BoundScore",
    "OrderFit",
    "Point",
    "SeparableScore",
    "NodeFit",
    "JointScore",
    "SCORES",
]
