"""Which edges of a solution are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.lazy import LazyMaker, lazy_names
from toposwap.pruning.base import Pruned, Pruner
from toposwap.pruning.threshold import KeepAll, Threshold

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposwap.pruning.bic import BICPruner
    from toposwap.pruning.f_tests import FTests
    from toposwap.pruning.networks import NetworkPruner
    from toposwap.scores.base import BoundScore

#: Where the rules live that need a family of scores, or a search.
_HOMES = {
    "BICPruner": "toposwap.pruning.bic",
    "FTests": "toposwap.pruning.f_tests",
    "NetworkPruner": "toposwap.pruning.networks",
}
#: Pruners by name: those that a score's strategy may name.
PRUNERS: dict[str, Callable[[], Pruner]] = {
    "none": KeepAll,
    "threshold": Threshold,
    "bic": LazyMaker("toposwap.pruning.bic", "BICPruner"),
    "f-tests": LazyMaker("toposwap.pruning.f_tests", "FTests"),
    "networks": LazyMaker("toposwap.pruning.networks", "NetworkPruner"),
}
#: What the parameter ``prune`` may be called besides a number and None.
NAMES = ("auto", "bic")

__getattr__, __dir__ = lazy_names("toposwap.pruning", _HOMES)


def check_prune(prune: Any) -> None:
    """Refuse a ``prune`` that means nothing, before any data are looked at."""
    if prune is None or isinstance(prune, Pruner) or (isinstance(prune, str) and prune in NAMES):
        return
    number = not isinstance(prune, bool) and isinstance(prune, int | float | np.number)
    if not number or not 0.0 <= float(prune) < np.inf:
        named = ", ".join(map(repr, NAMES))
        raise InputError(f"prune: must be {named}, None or a number >= 0, got {prune!r}")


def resolve_pruner(prune: Any, bound: BoundScore, usual: float | None = None) -> Pruner:
    """The pruner that ``prune`` stands for with this score, checked against it.

    Parameters
    ----------
    prune
        "auto" (what the score's strategy says), "bic", None (keep all), a threshold, or a pruner.
    bound
        The score on its data.
    usual
        What "auto" means instead, for a method with a threshold of its own.
    """
    check_prune(prune)
    if isinstance(prune, Pruner):
        pruner = prune
    elif prune is None:
        pruner = KeepAll()
    elif isinstance(prune, str):
        automatic = prune == NAMES[0]
        if automatic and usual is not None:
            pruner = Threshold(usual)
        elif automatic:
            pruner = own_pruner(bound) or (KeepAll() if bound.score.selects_edges else Threshold())
        else:
            pruner = PRUNERS[prune]()
    else:
        pruner = Threshold(float(prune))
    pruner.check(bound)
    return pruner


def own_pruner(bound: BoundScore) -> Pruner | None:
    """The rule that the score's strategy names, if it names one."""
    name = bound.strategy.pruner
    return None if name is None else PRUNERS[name]()


__all__ = [
    "Pruner",
    "Pruned",
    "KeepAll",
    "Threshold",
    "BICPruner",
    "FTests",
    "NetworkPruner",
    "PRUNERS",
    "check_prune",
    "own_pruner",
    "resolve_pruner",
]
