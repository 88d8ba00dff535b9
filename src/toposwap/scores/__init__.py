"""Q: value, gradient, and the solution for an order."""

from functools import partial

from toposwap.scores.auto import Auto
from toposwap.scores.base import BoundScore, OrderFit, Point, Score
from toposwap.scores.basis import Basis
from toposwap.scores.basis_group import GroupBasis
from toposwap.scores.basis_subset import BasisBIC
from toposwap.scores.differentiable import Differentiable
from toposwap.scores.joint import JointScore
from toposwap.scores.least_squares import LeastSquares
from toposwap.scores.mlp import MLP
from toposwap.scores.names import SCORES
from toposwap.scores.penalized import Penalized
from toposwap.scores.separable import NodeFit, SeparableScore
from toposwap.scores.surrogate import surrogate_order
from toposwap.scores.torch_mlp import TorchMLP

#: The Gaussian likelihood with equal noise variances: ``EqualVariance(penalty, max_parents)``.
EqualVariance = partial(Penalized, "equal-variance")

__all__ = [
    "Auto",
    "LeastSquares",
    "EqualVariance",
    "Penalized",
    "Basis",
    "BasisBIC",
    "GroupBasis",
    "MLP",
    "surrogate_order",
    "Differentiable",
    "TorchMLP",
    "Score",
    "BoundScore",
    "OrderFit",
    "Point",
    "SeparableScore",
    "NodeFit",
    "JointScore",
    "SCORES",
]
