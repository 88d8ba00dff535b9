"""Learn directed acyclic graphs by searching over topological orders.

>>> import toposwap as ts
>>> model = ts.Topo().fit(X)                                       # doctest: +SKIP
>>> model.adjacency_matrix_, model.certificate_                    # doctest: +SKIP

Names are imported when they are first used, so that ``import toposwap`` and the command line's
``--help`` cost next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.runtime.lazy import lazy_names

__version__ = "0.2.0"

#: Where the public names live; the other entries of __all__ are modules.
_HOMES = {
    "Topo": "toposwap.estimators",
    "refine": "toposwap.estimators",
    "check_kkt": "toposwap.estimators",
    "confidence": "toposwap.certainty",
    "Confidence": "toposwap.certainty",
    "load_confidence": "toposwap.certainty",
    "evidence": "toposwap.certainty",
    "effect": "toposwap.estimators",
    "effects": "toposwap.estimators",
    "Dataset": "toposwap.core.dataset",
    "Order": "toposwap.core.order",
    "Knowledge": "toposwap.knowledge",
    "Certificate": "toposwap.certificate",
    "InputError": "toposwap.core.errors",
    "ToposwapWarning": "toposwap.core.errors",
    "UnitsWarning": "toposwap.core.errors",
}
__all__ = [
    "Topo",
    "refine",
    "check_kkt",
    "confidence",
    "Confidence",
    "load_confidence",
    "evidence",
    "effect",
    "effects",
    "Dataset",
    "Order",
    "Knowledge",
    "Certificate",
    "InputError",
    "ToposwapWarning",
    "UnitsWarning",
    "acyclicity",
    "baselines",
    "candidates",
    "diagnostics",
    "interop",
    "losses",
    "metrics",
    "missing",
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
        interop,
        losses,
        metrics,
        missing,
        penalties,
        scores,
        search,
        simulate,
    )
    from toposwap.certainty.confidence import Confidence
    from toposwap.certainty.evidence import evidence
    from toposwap.certainty.files import load_confidence
    from toposwap.certainty.run import confidence
    from toposwap.certificate import Certificate
    from toposwap.core.dataset import Dataset
    from toposwap.core.errors import InputError, ToposwapWarning, UnitsWarning
    from toposwap.core.order import Order
    from toposwap.estimators import Topo, check_kkt, effect, effects, refine
    from toposwap.knowledge import Knowledge


__getattr__, __dir__ = lazy_names("toposwap", _HOMES, [*(set(__all__) - set(_HOMES))])
