"""How far an estimated graph is from the true one, and how well a model fits other rows."""

from __future__ import annotations

from toposwap.metrics.compare import Comparison, compare, compare_classes, shd
from toposwap.metrics.equivalence import cpdag
from toposwap.metrics.scorers import log_likelihood

__all__ = ["Comparison", "compare", "compare_classes", "shd", "cpdag", "log_likelihood"]
