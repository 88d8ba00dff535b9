"""Q: value, gradient, and the solution for an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.runtime.lazy import lazy_names

if TYPE_CHECKING:
    from toposwap.orderfit.base import OrderFit
    from toposwap.orderfit.joint import JointScore
    from toposwap.orderfit.nodes import NodeFit, SeparableScore
    from toposwap.scores.additive import Basis, BasisBIC, GroupBasis
    from toposwap.scores.auto import Auto
    from toposwap.scores.base import BoundScore, Point, Score
    from toposwap.scores.blocks import Blocks, GroupBlocks
    from toposwap.scores.categorical import BDeu, CategoricalBIC
    from toposwap.scores.custom import Differentiable
    from toposwap.scores.equal_variance import EqualVariance
    from toposwap.scores.least_squares import LeastSquares
    from toposwap.scores.mlp import MLP
    from toposwap.scores.names import SCORES
    from toposwap.scores.penalized import Penalized
    from toposwap.scores.torch import TorchMLP

#: Where the public names live.
_HOMES = {
    "Auto": "toposwap.scores.auto",
    "LeastSquares": "toposwap.scores.least_squares",
    "EqualVariance": "toposwap.scores.equal_variance",
    "Penalized": "toposwap.scores.penalized",
    "Basis": "toposwap.scores.additive",
    "BasisBIC": "toposwap.scores.additive",
    "GroupBasis": "toposwap.scores.additive",
    "Blocks": "toposwap.scores.blocks",
    "GroupBlocks": "toposwap.scores.blocks",
    "MLP": "toposwap.scores.mlp",
    "BDeu": "toposwap.scores.categorical",
    "CategoricalBIC": "toposwap.scores.categorical",
    # A search, under the name that users know.
    "surrogate_order": "toposwap.search.start",
    "Differentiable": "toposwap.scores.custom",
    "TorchMLP": "toposwap.scores.torch",
    "Score": "toposwap.scores.base",
    "BoundScore": "toposwap.scores.base",
    "OrderFit": "toposwap.orderfit.base",
    "Point": "toposwap.scores.base",
    "SeparableScore": "toposwap.orderfit.nodes",
    "NodeFit": "toposwap.orderfit.nodes",
    "JointScore": "toposwap.orderfit.joint",
    "SCORES": "toposwap.scores.names",
}
__all__ = [
    "Auto",
    "LeastSquares",
    "EqualVariance",
    "Penalized",
    "Basis",
    "BasisBIC",
    "GroupBasis",
    "Blocks",
    "GroupBlocks",
    "MLP",
    "BDeu",
    "CategoricalBIC",
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

__getattr__, __dir__ = lazy_names("toposwap.scores", _HOMES)
