"""Where the KKT conditions fail: the pairs of variables with the largest relative residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.certificate import Certificate


class Residual(NamedTuple):
    """How far the pair source -> target is from its KKT condition, and in which way."""

    source: str
    target: str
    relative: float
    reason: str


def worst_pairs(
    certificate: Certificate,
    weights: NDArray[np.float64],
    names: Sequence[str],
    most: int = 10,
) -> list[Residual]:
    """The pairs whose relative residual exceeds the tolerance, largest first, at most ``most``.

    An edge i -> j must not have a weight if a walk leads from j back to i; if none does, the score
    must not fall as the weight changes.
    """
    on_cycle = reachability(weights != 0.0).T
    relative = certificate.relative
    found = []
    for flat in np.argsort(-relative, axis=None, kind="stable")[:most]:
        i, j = (int(k) for k in np.unravel_index(flat, relative.shape))
        if relative[i, j] <= certificate.tolerance:
            break
        if on_cycle[i, j]:
            reason = "lies on a cycle"
        elif weights[i, j] != 0.0:
            reason = "another weight lowers the score"
        else:
            reason = "adding this edge lowers the score"
        found.append(Residual(names[i], names[j], float(relative[i, j]), reason))
    return found
