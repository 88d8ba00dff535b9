"""Linear least squares: value, solution and deltas from one triangular factor."""

from toposwap.scores.least_squares.score import LeastSquares

__all__ = ["LeastSquares"]
