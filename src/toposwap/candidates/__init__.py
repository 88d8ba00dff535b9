"""Which swaps are worth trying."""

from toposwap.candidates.base import Candidates, Survey
from toposwap.candidates.kkt import KKTCandidates, find_params, in_swap_set
from toposwap.candidates.uniform import UniformCandidates

__all__ = [
    "Candidates",
    "Survey",
    "KKTCandidates",
    "UniformCandidates",
    "find_params",
    "in_swap_set",
]
