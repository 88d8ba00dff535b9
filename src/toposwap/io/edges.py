"""The edges of a weight matrix, strongest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.core.table import NumberTable


class Edge(NamedTuple):
    """source -> target, and its weight: all that a weight matrix tells."""

    source: str
    target: str
    weight: float


class LearnedEdge(NamedTuple):
    """source -> target, with what is known of it where the graph was learned from data.

    ``standardised`` is the weight in standard deviations, None where the model does not tell;
    ``open`` says that the data fit as well with target -> source.
    """

    source: str
    target: str
    weight: float
    standardised: float | None
    open: bool


def edge_list(weights: NumberTable | pd.DataFrame) -> list[Edge]:
    """The non-zero entries of ``weights`` (d, d), sorted by decreasing |weight|, then by name."""
    names = [str(name) for name in weights.columns]
    matrix = weights.to_numpy(dtype=np.float64)
    edges = [Edge(names[i], names[j], float(matrix[i, j])) for i, j in np.argwhere(matrix)]
    return sorted(edges, key=lambda edge: (-abs(edge.weight), edge.source, edge.target))
