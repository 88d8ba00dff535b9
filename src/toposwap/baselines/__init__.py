"""Other learners, at their best, under the same data, result and certificate as ours."""

from toposwap.baselines.base import Baseline, Found
from toposwap.baselines.golem import GolemEV, GolemNV
from toposwap.baselines.kkts import KKTS
from toposwap.baselines.notears import Notears
from toposwap.baselines.notears_mlp import NotearsMLP
from toposwap.baselines.peers import BOSS, FLOP, GES, PC, Dagma, DirectLiNGAM
from toposwap.baselines.start import resolve_start

_OWN: tuple[type[Baseline], ...] = (Notears, NotearsMLP, GolemEV, GolemNV, KKTS)
_PEERS: tuple[type[Baseline], ...] = (Dagma, PC, GES, BOSS, FLOP, DirectLiNGAM)

#: Learners by name.
BASELINES: dict[str, type[Baseline]] = {learner.name: learner for learner in (*_OWN, *_PEERS)}

__all__ = [
    "Notears",
    "NotearsMLP",
    "GolemEV",
    "GolemNV",
    "KKTS",
    "Dagma",
    "PC",
    "GES",
    "BOSS",
    "FLOP",
    "DirectLiNGAM",
    "Baseline",
    "Found",
    "BASELINES",
    "resolve_start",
]
