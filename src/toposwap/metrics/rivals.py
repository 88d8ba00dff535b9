"""Where graphs that a score can hardly tell apart differ."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from toposwap.metrics.equivalence import cpdag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def disputed_pairs(graphs: Sequence[NDArray[np.bool_]]) -> tuple[tuple[int, int], ...]:
    """Pairs i < j between which the equivalence classes of DAGs (d, d) have different marks."""
    classes = {cpdag(graph).tobytes(): cpdag(graph) for graph in graphs}
    if len(classes) < 2:
        return ()
    differs = np.zeros_like(graphs[0])
    for one, other in combinations(classes.values(), 2):
        differs |= one != other
    return tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(differs | differs.T)))
