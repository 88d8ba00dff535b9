"""Other learners, at their best, under the same data, result and certificate as ours."""

from toposwap.baselines.base import Baseline, Found
from toposwap.baselines.golem import GolemEV, GolemNV
from toposwap.baselines.kkts import KKTS
from toposwap.baselines.notears import Notears
from toposwap.baselines.start import resolve_start

#: Learners by name.
BASELINES: dict[str, type[Baseline]] = {learner.name: learner for learner in (Notears, GolemEV, GolemNV, KKTS)}

__all__ = ["Notears", "GolemEV", "GolemNV", "KKTS", "Baseline", "Found", "BASELINES", "resolve_start"]
