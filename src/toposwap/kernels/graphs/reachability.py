"""Directed walks as a combinatorial fact: transitive closure on bits, no floating point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def _close(rows: NDArray[np.uint64], d: int) -> None:
    """Warshall's closure of a relation whose row i is the bit set rows[i], in place."""
    words = rows.shape[1]
    for k in range(d):
        word = k >> 6
        bit = np.uint64(1) << np.uint64(k & 63)
        through = rows[k]
        for i in range(d):
            if rows[i, word] & bit:
                target = rows[i]
                for w in range(words):
                    target[w] |= through[w]


def reachability(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """``reach[i, j]``: there is a directed walk i -> ... -> j, of any length including none.

    ``adjacency`` is (d, d) with ``adjacency[i, j]`` for the edge i -> j; cycles are allowed.
    """
    d = adjacency.shape[0]
    padded = np.zeros((d, -(-d // 64) * 64), dtype=np.bool_)
    padded[:, :d] = adjacency
    np.fill_diagonal(padded, val=True)
    rows = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    _close(rows, d)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, count=d, bitorder="little")
    return bits.view(np.bool_)
