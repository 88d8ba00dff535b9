"""How sure an answer is: resamples and what they have in common, and the evidence for each edge."""

from toposwap.certainty.confidence import Confidence, Stable
from toposwap.certainty.consensus import Consensus, best_dag
from toposwap.certainty.evidence import evidence
from toposwap.certainty.files import load_confidence
from toposwap.certainty.methods import METHODS
from toposwap.certainty.resample import Resample
from toposwap.certainty.run import confidence

__all__ = [
    "confidence",
    "Confidence",
    "Stable",
    "load_confidence",
    "Resample",
    "METHODS",
    "Consensus",
    "best_dag",
    "evidence",
]
