"""From the solution of an order, which has nearly every edge, to the edges that matter.

Pruning comes after the certificate, which speaks of the unpruned solution. There are three ways:

- a threshold on |W_ij|;
- the rule of a score that has one of its own (:meth:`~toposwap.scores.base.BoundScore.pruned`);
- BIC: the same loss with BIC's L0 penalty in place of the score's own, minimised from the order of
  the solution downhill. Along the way edges may be turned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores import Score

#: The threshold on |weight| that the field uses.
USUAL_THRESHOLD = 0.3


#: What ``prune`` is called for a score's own rule, and for an L0 penalty.
OWN_RULE, BY_BIC = "auto", "bic"


def resolve_threshold(
    prune: Any, score: Score, names: tuple[str, ...] = (OWN_RULE,)
) -> float | None:
    """Return the threshold that ``prune`` (None, a number or one of ``names``) means."""
    if prune is None:
        return None
    if isinstance(prune, str) and prune in names:
        return None if score.selects_edges or prune != OWN_RULE else USUAL_THRESHOLD
    number = not isinstance(prune, bool) and isinstance(prune, int | float | np.number)
    if not number or not 0.0 <= float(prune) < np.inf:
        named = ", ".join(map(repr, names))
        raise InputError(f"prune: must be {named}, None or a number >= 0, got {prune!r}")
    return float(prune)


def threshold(weights: NDArray[np.float64], at_least: float | None) -> NDArray[np.float64]:
    """Keep the weights with |W_ij| >= ``at_least``, (d, d)."""
    if at_least is None:
        return weights.copy()
    return np.where(np.abs(weights) >= at_least, weights, 0.0)
