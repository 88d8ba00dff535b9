"""How far an estimated graph is from the true one, as graphs and as equivalence classes."""

from __future__ import annotations

from toposwap.metrics.compare import Comparison, compare, compare_classes, shd
from toposwap.metrics.equivalence import cpdag

__all__ = ["Comparison", "compare", "compare_classes", "shd", "cpdag"]
