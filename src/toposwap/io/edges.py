"""The edges of a weight matrix, strongest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.core.tables.table import NumberTable

#: An edge that fewer resamples than this share have is drawn as doubtful.
DOUBTFUL = 0.5
_OF_RESAMPLES = ("frequency", "direction", "low", "high")
_OF_EVIDENCE = ("parameters", "given_low", "given_high", "evidence")


class Edge(NamedTuple):
    """source -> target, and its weight: all that a weight matrix tells."""

    source: str
    target: str
    weight: float

    def known(self) -> dict[str, Any]:
        """The fields by name."""
        return self._asdict()


class LearnedEdge(NamedTuple):
    """source -> target, with what is known of it where the graph was learned from data.

    ``standardised`` is the weight in standard deviations, None where the model does not tell;
    ``open`` says that the data fit as well with target -> source. Where resamples were drawn,
    ``frequency`` is the share of them with an edge either way, ``direction`` that of this
    direction, and ``low`` to ``high`` the 95 percent interval of the weight; else all four are None
    and files do not mention them. Where the edge was asked for its evidence, it has ``parameters``
    numbers, ``given_low`` to ``given_high`` is the 95 percent interval of the weight in this graph,
    and twice the log-likelihood falls by ``evidence`` without the edge; else all are None.
    """

    source: str
    target: str
    weight: float
    standardised: float | None
    open: bool
    frequency: float | None = None
    direction: float | None = None
    low: float | None = None
    high: float | None = None
    parameters: int | None = None
    given_low: float | None = None
    given_high: float | None = None
    evidence: float | None = None

    @property
    def doubted(self) -> bool:
        """Whether resamples were drawn."""
        return self.frequency is not None

    def known(self) -> dict[str, Any]:
        """The fields by name, without those of resamples and of evidence where there are none."""
        left_out = (
            *(_OF_RESAMPLES if self.frequency is None else ()),
            *(_OF_EVIDENCE if self.parameters is None else ()),
        )
        return {name: value for name, value in self._asdict().items() if name not in left_out}


def edge_list(weights: NumberTable | pd.DataFrame) -> list[Edge]:
    """The non-zero entries of ``weights`` (d, d), sorted by decreasing |weight|, then by name."""
    names = [str(name) for name in weights.columns]
    matrix = weights.to_numpy(dtype=np.float64)
    edges = [Edge(names[i], names[j], float(matrix[i, j])) for i, j in np.argwhere(matrix)]
    return sorted(edges, key=lambda edge: (-abs(edge.weight), edge.source, edge.target))
