"""Least squares of each column on the parents it has, all nodes of one size at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A diagonal entry of a triangular factor below this share of the largest says nothing.
_INDEPENDENT = 1e-10
#: Numbers of F that are gathered at once.
_AT_ONCE = 1 << 22


class Coefficients:
    r"""W (d, d) with :math:`w_j = \arg\min \lVert f_j - F w \rVert^2` over the parents of j.

    By orthogonal triangular factors of the columns of F (m, d), as accurate as the columns allow;
    those that determine each other share what they explain. What was solved for the same parents
    the last time is not solved again.

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
        #: Of each node that was solved, its parents and their coefficients.
        self._solved: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def add_to(self, weights: NDArray[np.float64], parents: NDArray[np.bool_]) -> None:
        """Fill the columns of the ``nodes`` in ``weights`` for ``parents``, (d, d): i -> j."""
        changed: dict[int, list[tuple[int, NDArray[np.int64]]]] = {}
        for j in self.nodes.tolist():
            mine = np.flatnonzero(parents[:, j])
            known = self._solved.get(j)
            if mine.size and (known is None or not np.array_equal(known[0], mine)):
                changed.setdefault(mine.size, []).append((j, mine))
        for k, some in changed.items():
            at_once = max(1, _AT_ONCE // (k * len(self._factor)))
            for first in range(0, len(some), at_once):
                nodes, theirs = zip(*some[first : first + at_once], strict=True)
                self._solve(np.array(nodes), np.array(theirs))
        for j in self.nodes.tolist():
            if parents[:, j].any():
                mine, coefficients = self._solved[j]
                weights[mine, j] = coefficients

    def _columns(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Columns of F, (..., m) for ``chosen`` (...)."""
        return self._factor.T[chosen] / self._deviations[chosen][..., None]

    def _solve(self, nodes: NDArray[np.int64], parents: NDArray[np.int64]) -> None:
        """``nodes`` (a,), each with as many ``parents`` (a, k)."""
        if len(self._factor) >= parents.shape[1]:
            Q, R = np.linalg.qr(self._columns(parents).transpose(0, 2, 1))
            size = np.abs(np.diagonal(R, axis1=1, axis2=2))
            sound = size.min(axis=1) > _INDEPENDENT * size.max(axis=1)
            projected = np.einsum("ami,am->ai", Q[sound], self._columns(nodes[sound]))
            solved = np.linalg.solve(R[sound], projected[:, :, None])[:, :, 0]
            for j, mine, w in zip(nodes[sound].tolist(), parents[sound], solved, strict=True):
                self._solved[j] = mine, w
            nodes, parents = nodes[~sound], parents[~sound]
        for j, mine in zip(nodes.tolist(), parents, strict=True):
            F, f = self._columns(mine).T, self._columns(np.array([j]))[0]
            self._solved[j] = mine, np.linalg.lstsq(F, f, rcond=None)[0]
