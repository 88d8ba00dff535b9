"""Least squares of each column on the parents it has."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.linalg import regressions

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A diagonal entry of a triangular factor below this share of the largest says nothing.
_INDEPENDENT = 1e-10


class Coefficients:
    r"""W (d, d) with :math:`w_j = \arg\min \lVert f_j - F w \rVert^2` over the parents of j.

    By orthogonal triangular factors of the columns of F (m, d), as accurate as the columns allow;
    those that determine each other share what they explain.

    Parameters
    ----------
    factor, deviations
        F is the ``factor`` (m, d) with its columns divided by ``deviations`` (d,).
    nodes
        The columns j that are asked for.
    """

    def __init__(
        self,
        factor: NDArray[np.float64],
        deviations: NDArray[np.float64],
        nodes: NDArray[np.int64],
    ) -> None:
        self._factor, self._deviations, self.nodes = factor, deviations, nodes

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """The columns of F, (d, m)."""
        return np.ascontiguousarray(self._factor.T / self._deviations[:, None])

    def add_to(self, weights: NDArray[np.float64], parents: NDArray[np.bool_]) -> None:
        """Fill the columns of the ``nodes`` in ``weights`` for ``parents``, (d, d): i -> j."""
        chosen = self.nodes.copy()
        left = regressions.regressions(self._columns, chosen, parents, _INDEPENDENT, weights)
        for j in chosen[:left].tolist():
            mine = np.flatnonzero(parents[:, j])
            F, f = self._columns[mine].T, self._columns[j]
            weights[mine, j] = np.linalg.lstsq(F, f, rcond=None)[0]
