"""The edges of a weight matrix, strongest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.core.table import NumberTable


class Edge(NamedTuple):
    """source -> target."""

    source: str
    target: str
    weight: float


def edge_list(weights: NumberTable | pd.DataFrame) -> list[Edge]:
    """The non-zero entries of ``weights`` (d, d), sorted by decreasing |weight|, then by name."""
    names = [str(name) for name in weights.columns]
    matrix = weights.to_numpy(dtype=np.float64)
    edges = [Edge(names[i], names[j], float(matrix[i, j])) for i, j in np.argwhere(matrix)]
    return sorted(edges, key=lambda edge: (-abs(edge.weight), edge.source, edge.target))
