"""How sure each edge is, from whatever speaks of it: narrow doors into a confidence object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sureness:
    """Probabilities, (d, d) each: of the arrow i -> j, and of an edge between i and j."""

    arrow: NDArray[np.float64]
    adjacent: NDArray[np.float64]


def sureness_of(confidence: Any, names: Sequence[str]) -> Sureness | None:
    """From an object with ``probabilities`` (and perhaps ``adjacent``), or a matrix of them.

    Both are (d, d), arrays or frames; a frame is matched by name. Without ``adjacent``, the two
    arrows of a pair exclude each other, so that their probabilities add up.
    """
    if confidence is None:
        return None
    arrow = _matrix(_door(confidence, "probabilities", confidence), names)
    adjacent = _door(confidence, "adjacent", None)
    either = np.clip(arrow + arrow.T, 0.0, 1.0) if adjacent is None else _matrix(adjacent, names)
    return Sureness(arrow, np.maximum(either, either.T))


def _door(confidence: Any, name: str, otherwise: Any) -> Any:
    found = getattr(confidence, name, otherwise)
    return found() if callable(found) else found


def _matrix(given: Any, names: Sequence[str]) -> NDArray[np.float64]:
    if hasattr(given, "columns") and set(map(str, given.columns)) == set(names):
        given = given.rename(index=str, columns=str).loc[list(names), list(names)]
    found = np.asarray(given, dtype=np.float64)
    if found.shape != (len(names), len(names)):
        raise InputError(
            "confidence: must have probabilities of edges, one for each pair of the "
            f"{len(names)} columns, got an array of shape {found.shape}"
        )
    return found
