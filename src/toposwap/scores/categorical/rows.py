"""The rows that are counted: different ones, with how often each occurs, for each group of nodes.

With interventions each node has rows of its own, those in which it was not set
(:mod:`toposwap.core.tables.own_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.tables.codes import Coded

#: Rows for each different one from which on bits are not worth their length.
_REPEATED = 8
#: Bytes of bits at most.
_MOST_BYTES = 1 << 28


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Different rows as codes, those of one group of nodes after those of another.

    The codes are those of the levels, and the rows in their order, so that neither depends on the
    sequence in which the rows were given.

    Attributes
    ----------
    codes
        (d, m).
    times
        How often each row counts, (m,).
    group
        Of each node, (d,).
    begins
        Where the rows of each group begin, (g + 1,).
    """

    codes: NDArray[np.int16] = field(repr=False)
    times: NDArray[np.int32] = field(repr=False)
    group: NDArray[np.int64]
    begins: NDArray[np.int64]

    @classmethod
    def of(cls, coded: Sequence[Coded], data: Dataset) -> CountedRows:
        """The rows of ``data``, whose columns are ``coded``."""
        codes = np.column_stack([column.codes for column in coded]).astype(np.int16)
        times = np.ones(len(codes), dtype=np.int32)
        if data.row_weights is not None:
            times = data.row_weights.astype(np.int32)
        group, parts = np.zeros(data.d, dtype=np.int64), []
        if data.interventions is None:
            parts.append(_different(codes, times))
        else:
            for k, own in enumerate(data.own_rows):
                group[own.nodes] = k
                kept = np.zeros(len(codes), dtype=bool) if own.share == 0.0 else own.unset
                parts.append(_different(codes[kept], times[kept]))
        begins = np.cumsum([0, *(len(often) for _, often in parts)])
        return cls(
            np.ascontiguousarray(np.concatenate([rows for rows, _ in parts]).T),
            np.concatenate([often for _, often in parts]),
            group,
            begins.astype(np.int64),
        )

    def of_node(self, j: int) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """The rows (m, d) that count for node ``j``, and how often, (m,)."""
        own = slice(*self.begins[self.group[j] : self.group[j] + 2])
        return self.codes[:, own].T, self.times[own]


def _different(
    codes: NDArray[np.int16], times: NDArray[np.int32]
) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
    """The different ones of the rows ``codes`` (n, d), and how often each counts."""
    if not len(codes):
        return codes, times
    order = np.lexsort(codes.T)
    codes = codes[order]
    new = np.ones(len(codes), dtype=bool)
    new[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    return codes[first], np.add.reduceat(times[order], first)


def bit_planes(
    counted: CountedRows, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """A bit for each row and level, (sum of sizes, w), and where words of groups begin, (g + 1,).

    No words where rows repeat too often, or are too many.
    """
    groups = list(zip(counted.begins[:-1], counted.begins[1:], strict=True))
    rows = np.add.reduceat(np.append(counted.times, 0), counted.begins[:-1]).astype(np.int64)
    different = np.diff(counted.begins)
    rows[(different == 0) | (rows > _REPEATED * different)] = 0
    lengths = -(-rows // 64)
    if 8.0 * sizes.sum() * lengths.sum() > _MOST_BYTES:
        lengths[:] = 0
    words = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    planes = np.zeros((int(sizes.sum()), int(words[-1])), dtype=np.uint64)
    for (first, end), begin, stop in zip(groups, words[:-1], words[1:], strict=True):
        if begin == stop:
            continue
        times = counted.times[first:end]
        plane = 0
        for codes, size in zip(counted.codes[:, first:end], sizes, strict=True):
            column = np.repeat(codes, times)
            for level in range(size):
                packed = np.packbits(column == level, bitorder="little")
                planes[plane, begin:stop].view(np.uint8)[: packed.size] = packed
                plane += 1
    return planes, words
