"""Anyone's own Q."""

from toposwap.scores.custom.score import Differentiable

__all__ = ["Differentiable"]
