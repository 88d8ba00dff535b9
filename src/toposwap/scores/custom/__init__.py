"""Q as any differentiable function that a user writes."""

from toposwap.scores.custom.score import Differentiable

__all__ = ["Differentiable"]
