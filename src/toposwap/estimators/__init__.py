"""Learners with scikit-learn's interface."""

from toposwap.estimators.functions import check_kkt, refine
from toposwap.estimators.topo import Topo

__all__ = ["Topo", "refine", "check_kkt"]
