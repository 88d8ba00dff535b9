"""Least squares of each column on the parents it has, all nodes of one size at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A diagonal entry of a triangular factor below this share of the largest says nothing.
_INDEPENDENT = 1e-10


class Coefficients:
    r"""W (d, d) with :math:`w_j = \arg\min \lVert f_j - F w \rVert^2` over the parents of j.

    By orthogonal triangular factors of the columns of F (m, d), as accurate as the columns allow;
    those that determine each other share what they explain. What was solved for the same parents
    the last time is not solved again.

    Parameters
    ----------
    factor
        F.
    nodes
        The columns j that are asked for.
    """

    def __init__(self, factor: NDArray[np.float64], nodes: NDArray[np.int64]) -> None:
        self._factor, self.nodes = factor, nodes
        d = factor.shape[1]
        self._weights = np.zeros((d, d))
        self._solved = np.zeros((d, d), dtype=np.bool_)

    def of(self, parents: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The columns of the ``nodes`` for ``parents`` (d, d), ``[i, j]`` for i -> j."""
        mine = self.nodes
        changed = mine[(parents[:, mine] != self._solved[:, mine]).any(axis=0)]
        self._weights[:, changed] = 0.0
        self._solved[:, changed] = parents[:, changed]
        counts = parents[:, changed].sum(axis=0)
        for k in np.unique(counts[counts > 0]):
            nodes = changed[counts == k]
            self._solve(nodes, np.array([np.flatnonzero(parents[:, j]) for j in nodes]))
        return self._weights[:, mine]

    def _solve(self, nodes: NDArray[np.int64], parents: NDArray[np.int64]) -> None:
        """``nodes`` (a,), each with as many ``parents`` (a, k)."""
        F, k = self._factor, parents.shape[1]
        if len(F) >= k:
            Q, R = np.linalg.qr(F.T[parents].transpose(0, 2, 1))
            size = np.abs(np.diagonal(R, axis1=1, axis2=2))
            sound = size.min(axis=1) > _INDEPENDENT * size.max(axis=1)
            projected = np.einsum("ami,ma->ai", Q[sound], F[:, nodes[sound]])
            solved = np.linalg.solve(R[sound], projected[:, :, None])[:, :, 0]
            self._weights[parents[sound], nodes[sound, None]] = solved
            nodes, parents = nodes[~sound], parents[~sound]
        for j, mine in zip(nodes, parents, strict=True):
            self._weights[mine, j] = np.linalg.lstsq(F[:, mine], F[:, j], rcond=None)[0]
