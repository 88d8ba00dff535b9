"""Learners with scikit-learn's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.runtime.lazy import lazy_names

if TYPE_CHECKING:
    from toposwap.estimators.functions import check_kkt, refine
    from toposwap.estimators.given_effects import effect, effects
    from toposwap.estimators.topo import Topo

#: Baselines are built on ``estimators.base`` and used by ``Topo``, so neither loads the other.
_HOMES = {
    "Topo": "toposwap.estimators.topo",
    "refine": "toposwap.estimators.functions",
    "check_kkt": "toposwap.estimators.functions",
    "effect": "toposwap.estimators.given_effects",
    "effects": "toposwap.estimators.given_effects",
}
__all__ = ["Topo", "refine", "check_kkt", "effect", "effects"]

__getattr__, __dir__ = lazy_names("toposwap.estimators", _HOMES)
