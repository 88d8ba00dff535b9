"""Learners of other packages, each behind one small file; ``pip install "toposwap[peers]"``."""

from toposwap.baselines.peers.causal_learn import BOSS, GES, PC
from toposwap.baselines.peers.dagma import Dagma
from toposwap.baselines.peers.flop import FLOP
from toposwap.baselines.peers.lingam import DirectLiNGAM

__all__ = ["Dagma", "PC", "GES", "BOSS", "FLOP", "DirectLiNGAM"]
