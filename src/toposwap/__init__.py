"""Learn directed acyclic graphs by searching over topological orders.

>>> import toposwap as ts
>>> model = ts.Topo().fit(X)                                       # doctest: +SKIP
>>> model.adjacency_matrix_, model.certificate_                    # doctest: +SKIP

Names are imported when they are first used, so that ``import toposwap`` and the command line's
``--help`` cost next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

#: Where the public names live; the other entries of __all__ are modules.
_HOMES = {
    "Topo": "toposwap.estimators",
    "refine": "toposwap.estimators",
    "check_kkt": "toposwap.estimators",
    "Dataset": "toposwap.dataset",
    "Order": "toposwap.order",
    "Certificate": "toposwap.certificate",
    "InputError": "toposwap.errors",
    "ToposwapWarning": "toposwap.errors",
}
__all__ = [
    "Topo",
    "refine",
    "check_kkt",
    "Dataset",
    "Order",
    "Certificate",
    "InputError",
    "ToposwapWarning",
    "acyclicity",
    "baselines",
    "candidates",
    "diagnostics",
    "losses",
    "metrics",
    "penalties",
    "scores",
    "search",
    "simulate",
]

if TYPE_CHECKING:
    from toposwap import (
        acyclicity,
        baselines,
        candidates,
        diagnostics,
        losses,
        metrics,
        penalties,
        scores,
        search,
        simulate,
    )
    from toposwap.certificate import Certificate
    from toposwap.dataset import Dataset
    from toposwap.errors import InputError, ToposwapWarning
    from toposwap.estimators import Topo, check_kkt, refine
    from toposwap.order import Order


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"toposwap.{name}")
    raise AttributeError(f"module 'toposwap' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
