"""Other learners, at their best, under the same data, result and certificate as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.lazy import lazy_names

if TYPE_CHECKING:
    from toposwap.baselines.base import Baseline, Found
    from toposwap.baselines.golem import GolemEV, GolemNV
    from toposwap.baselines.kkts import KKTS
    from toposwap.baselines.names import BASELINES
    from toposwap.baselines.notears import Notears
    from toposwap.baselines.notears_mlp import NotearsMLP
    from toposwap.baselines.peers import BOSS, FLOP, GES, PC, Dagma, DirectLiNGAM
    from toposwap.baselines.start import resolve_start

#: Where the public names live; every fit looks for its start here, and few begin at a learner.
_HOMES = {
    "Notears": "toposwap.baselines.notears",
    "NotearsMLP": "toposwap.baselines.notears_mlp",
    "GolemEV": "toposwap.baselines.golem",
    "GolemNV": "toposwap.baselines.golem",
    "KKTS": "toposwap.baselines.kkts",
    "Dagma": "toposwap.baselines.peers",
    "PC": "toposwap.baselines.peers",
    "GES": "toposwap.baselines.peers",
    "BOSS": "toposwap.baselines.peers",
    "FLOP": "toposwap.baselines.peers",
    "DirectLiNGAM": "toposwap.baselines.peers",
    "Baseline": "toposwap.baselines.base",
    "Found": "toposwap.baselines.base",
    "BASELINES": "toposwap.baselines.names",
    "resolve_start": "toposwap.baselines.start",
}
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

__getattr__, __dir__ = lazy_names("toposwap.baselines", _HOMES)
