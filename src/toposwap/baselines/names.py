"""The registry of other learners."""

from toposwap.baselines.base import Baseline
from toposwap.baselines.golem import GolemEV, GolemNV
from toposwap.baselines.kkts import KKTS
from toposwap.baselines.notears import Notears
from toposwap.baselines.notears_mlp import NotearsMLP
from toposwap.baselines.peers import BOSS, FLOP, GES, PC, Dagma, DirectLiNGAM

_OWN: tuple[type[Baseline], ...] = (Notears, NotearsMLP, GolemEV, GolemNV, KKTS)
_PEERS: tuple[type[Baseline], ...] = (Dagma, PC, GES, BOSS, FLOP, DirectLiNGAM)

#: Learners by name.
BASELINES: dict[str, type[Baseline]] = {learner.name: learner for learner in (*_OWN, *_PEERS)}
