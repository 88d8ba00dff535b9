"""Networks with one hidden layer."""

from toposwap.scores.mlp.score import MLP

__all__ = ["MLP"]
