"""Additive models: sums of functions of single parents."""

from toposwap.scores.additive.bic import BasisBIC
from toposwap.scores.additive.group import GroupBasis
from toposwap.scores.additive.score import Basis

__all__ = ["Basis", "BasisBIC", "GroupBasis"]
