"""A loss and a penalty make a score."""

from toposwap.scores.penalized.score import Penalized

__all__ = ["Penalized"]
