"""From the solution of an order, which has nearly every edge, to the edges that matter.

Pruning comes after the certificate, which speaks of the unpruned solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores import Score

#: The threshold on |weight| that the field uses.
USUAL_THRESHOLD = 0.3


def resolve_threshold(prune: Any, score: Score) -> float | None:
    """Return the threshold that ``prune`` (None, a number or "auto") means for ``score``."""
    if prune is None:
        return None
    if isinstance(prune, str):
        if prune != "auto":
            raise InputError(f"prune: must be 'auto', None or a number >= 0, got {prune!r}")
        return None if score.selects_edges else USUAL_THRESHOLD
    number = not isinstance(prune, bool) and isinstance(prune, int | float | np.number)
    if not number or not 0.0 <= float(prune) < np.inf:
        raise InputError(f"prune: must be 'auto', None or a number >= 0, got {prune!r}")
    return float(prune)


def threshold(weights: NDArray[np.float64], at_least: float | None) -> NDArray[np.float64]:
    """Keep the weights with |W_ij| >= ``at_least``, (d, d)."""
    if at_least is None:
        return weights.copy()
    return np.where(np.abs(weights) >= at_least, weights, 0.0)
