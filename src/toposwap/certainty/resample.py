"""The graph of one resample."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Resample:
    """The graph of one resample.

    Attributes
    ----------
    number
        Which one, from 0.
    edges
        (k, 2): cause and effect of each edge of a DAG.
    weights
        (k,)
    open
        (k,): whether the data of the resample fit as well with the edge turned.
    failed
        Why there is no graph; empty where there is.
    noise
        (d,): the residual variances of the columns in the rows that were drawn, without which the
        weights of the other members of the class are not known; None where nothing is open.
    """

    number: int
    edges: NDArray[np.int32] = field(repr=False)
    weights: NDArray[np.float64] = field(repr=False)
    open: NDArray[np.bool_] = field(repr=False)
    failed: str = ""
    noise: NDArray[np.float64] | None = field(repr=False, default=None)

    @classmethod
    def of(
        cls, number: int, weights: NDArray[np.float64], either: NDArray[np.bool_] | None
    ) -> Resample:
        """From the weights (d, d) of a DAG, and its edges (d, d) that are open, if any."""
        flat = np.flatnonzero(weights)
        edges = np.empty((flat.size, 2), dtype=np.int32)
        np.divmod(flat, weights.shape[1], out=(edges[:, 0], edges[:, 1]), casting="unsafe")
        is_open = np.zeros(flat.size, dtype=bool) if either is None else either.ravel()[flat]
        return cls(number, edges, weights.ravel()[flat], is_open)

    def with_noise(self, data: Dataset) -> Resample:
        """The same, with the residual variances that its weights leave in ``data``."""
        weights = np.zeros((data.d, data.d))
        weights[self.edges[:, 0], self.edges[:, 1]] = self.weights
        return replace(self, noise=data.residual_variances(weights))

    @classmethod
    def without_graph(cls, number: int, why: str) -> Resample:
        """One that could not be learned from."""
        return cls(number, np.empty((0, 2), np.int32), np.empty(0), np.empty(0, dtype=bool), why)
