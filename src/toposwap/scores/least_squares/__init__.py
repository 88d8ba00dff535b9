"""Linear least squares."""

from toposwap.scores.least_squares.score import LeastSquares

__all__ = ["LeastSquares"]
