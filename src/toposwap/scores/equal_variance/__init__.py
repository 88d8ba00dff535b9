"""One noise variance for all columns."""

from functools import partial

from toposwap.scores.penalized.score import Penalized

#: The Gaussian likelihood with equal noise variances: ``EqualVariance(penalty, max_parents)``.
EqualVariance = partial(Penalized, "equal-variance")

__all__ = ["EqualVariance"]
