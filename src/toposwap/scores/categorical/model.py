"""Tables of conditional probabilities, without the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.tables.codes import Levels, codes_of_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.scores.categorical.rows import CountedRows

#: Configurations up to this many have numbers.
_LARGEST_NUMBER = 2.0**62


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """One column given its parents.

    Attributes
    ----------
    parents
        Their positions, (k,).
    cells
        The configurations that occurred, (c, k), sorted.
    chances
        Of each level in these, (c, r), and in any other, the last row: (c + 1, r).
    """

    parents: NDArray[np.int64]
    cells: NDArray[np.int64]
    chances: NDArray[np.float64]

    def rows(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chances of each level at rows ``codes`` (m, d), (m, r)."""
        if not self.parents.size:
            return np.broadcast_to(self.chances[0], (len(codes), self.chances.shape[1]))
        wanted = codes[:, self.parents]
        together = np.concatenate([self.cells, wanted])
        _, label = np.unique(together, axis=0, return_inverse=True)
        label = label.reshape(-1)
        place = np.full(label.max() + 1, len(self.cells))
        place[label[: len(self.cells)]] = np.arange(len(self.cells))
        return self.chances[place[label[len(self.cells) :]]]


@dataclass(frozen=True, eq=False, repr=False)
class CategoricalModel:
    r"""p(x_j = x | parents in p) = (N_px + s / (q r)) / (N_p + s / q).

    The posterior mean under the prior of :class:`~toposwap.scores.BDeu`: what did not occur is
    unlikely and not impossible.

    Attributes
    ----------
    nodes
        One for each column.
    levels, names
        Of the columns.
    """

    nodes: Sequence[Node]
    levels: Sequence[Levels]
    names: Sequence[str]

    @classmethod
    def of(
        cls,
        counted: CountedRows,
        edges: NDArray[np.bool_],
        levels: Sequence[Levels],
        names: Sequence[str],
        prior: float,
    ) -> CategoricalModel:
        """From the rows that are ``counted``, and ``edges`` (d, d)."""
        nodes = []
        for j, own in enumerate(levels):
            codes, times = counted.of_node(j)
            parents = np.flatnonzero(edges[:, j])
            configured = float(np.prod([len(levels[int(i)]) for i in parents], dtype=np.float64))
            cells, label = _cells(codes[:, parents], [len(levels[int(i)]) for i in parents])
            count = np.zeros((len(cells) + 1, len(own)))
            place = label * len(own) + codes[:, j]
            count += np.bincount(place, times, count.size).reshape(count.shape)
            count += prior / (configured * len(own))
            chances = count / count.sum(axis=1, keepdims=True)
            nodes.append(Node(parents, cells.astype(np.int64), chances))
        return cls(nodes, levels, names)

    def probabilities(self, X: NDArray[np.float64], j: int) -> NDArray[np.float64]:
        """Of each level of column ``j`` given its parents at rows ``X`` (m, d), (m, r)."""
        codes = np.zeros(X.shape, dtype=np.int64)
        for i in self.nodes[j].parents:
            codes[:, i] = self.levels[i].codes(X[:, i], self.names[i])
        return self.nodes[j].rows(codes)

    def values_of(self, j: int) -> NDArray[np.float64]:
        """The numbers of the levels that column ``j`` can have as a cause, (L,)."""
        return self.levels[j].numbers

    def chances(self, X: NDArray[np.float64], j: int) -> tuple[Levels, NDArray[np.float64]]:
        """The L values of column ``j`` and the chance of each, (m, L), for rows ``X`` (m, d)."""
        return self.levels[j], self.probabilities(X, j)

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The number of the most likely level of each column at rows ``X`` (m, d), (m, d)."""
        return np.column_stack(
            [
                of.numbers[self.probabilities(X, j).argmax(axis=1)]
                for j, of in enumerate(self.levels)
            ]
        )

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d), (m,)."""
        codes = codes_of_rows(X, self.levels, self.names)
        total = np.zeros(len(X))
        for j, node in enumerate(self.nodes):
            total += np.log(node.rows(codes)[np.arange(len(X)), codes[:, j]])
        return total


def _cells(
    codes: NDArray[np.int16], sizes: Sequence[int]
) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """The different rows of ``codes`` (m, k), sorted, (c, k), and which of them each row is, (m,).

    Columns have ``sizes`` (k,) levels each.
    """
    if float(np.prod(sizes, dtype=np.float64)) > _LARGEST_NUMBER:
        cells, label = np.unique(codes, axis=0, return_inverse=True)
        return cells, label.reshape(-1)
    number = np.zeros(len(codes), dtype=np.int64)
    for column, size in zip(codes.T, sizes, strict=True):
        number = number * size + column
    _, first, label = np.unique(number, return_index=True, return_inverse=True)
    return codes[first], label.reshape(-1)
