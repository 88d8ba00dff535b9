r"""The triangular factor of the data, without ever holding a second copy of the data.

With :math:`\mu_j` the mean and :math:`D_j` a power of two near the size of column ``j``,

.. math:: (X - 1 \mu^\top) D^{-1} / \sqrt{n} = Q R_0 .

The mean is kept in two parts: where it is much larger than the deviations, a mean rounded to one
double would be off by as much as the last digits of the data, which are what varies there.

Rows come in blocks: each is centred, scaled and merged into :math:`R_0` by a Householder QR of
triangle over block, so the memory beyond the data is one block and one triangle. Taking out powers
of two changes no digit, and keeps squares away from overflow and underflow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.tables.held_rows import HeldRows, row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Columns from which on a table of up to so many times as many rows is factorised as a whole.
_WIDE, _SHORT = 1000, 4


def power_of_two(size: NDArray[np.float64]) -> NDArray[np.float64]:
    """The power of two next above each positive number, 1 for zero."""
    return np.where(size > 0.0, np.ldexp(1.0, np.frexp(size)[1]), 1.0)


def column_means(
    values: NDArray[np.float64] | HeldRows, weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means (d,) and what rounding left of them, (d,), to be subtracted one after the other.

    ``weights`` (n,) say how often each row counts.
    """
    left = np.zeros(values.shape[1])
    if weights is None:
        mean = np.asarray(values.mean(axis=0))
        for block in row_blocks(values):
            left += (block - mean).sum(axis=0)
        return mean, left / values.shape[0]
    share = weights / weights.sum()
    mean = _weighted_sum(values, share)
    start = 0
    for block in row_blocks(values):
        left += share[start : start + len(block)] @ (block - mean)
        start += len(block)
    return mean, left


def _weighted_sum(
    values: NDArray[np.float64] | HeldRows, share: NDArray[np.float64]
) -> NDArray[np.float64]:
    if isinstance(values, np.ndarray):
        return np.asarray(share @ values)
    total, start = np.zeros(values.shape[1]), 0
    for block in row_blocks(values):
        total += share[start : start + len(block)] @ block
        start += len(block)
    return total


def triangular_factor(
    values: NDArray[np.float64] | HeldRows,
    mean: NDArray[np.float64],
    left: NDArray[np.float64],
    scale: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """R_0 (d, d), upper triangular, of the centred and scaled rows over sqrt(n).

    ``mean`` and ``left`` are the two parts of the mean. With ``weights`` (n,) the rows are those of
    sqrt(weights) times the table, over the root of their sum.
    """
    from scipy.linalg import lapack

    n, d = values.shape
    factor = np.zeros((d, d), order="F")
    roots = None if weights is None else np.sqrt(weights)
    total = float(n) if weights is None else float(weights.sum())
    if n < d:
        # One block, whose factor has n rows; the rest of the triangle is zero.
        rows = (np.asarray(values) - mean - left) / scale
        if roots is not None:
            rows *= roots[:, None]
        factor[:n] = np.linalg.qr(rows, mode="r") / np.sqrt(total)
        return factor
    if d >= _WIDE and n <= _SHORT * d:
        # Blocks of few rows are slow to merge into a large triangle, and so short a table is no
        # larger than what any search holds.
        whole = np.asfortranarray(np.asarray(values) - mean)
        whole -= left
        whole /= scale
        if roots is not None:
            whole *= roots[:, None]
        return np.asfortranarray(retriangularise(whole, overwrite=True) / np.sqrt(total))
    # Narrow panels win while the triangle fits the second-level cache.
    inner = min(d, 16 if d < 400 else 32)
    start = 0
    for block in row_blocks(values):
        rows = np.asfortranarray(block - mean)
        rows -= left
        rows /= scale
        if roots is not None:
            rows *= roots[start : start + len(block), None]
            start += len(block)
        factor, *_, info = lapack.dtpqrt(0, inner, factor, rows, overwrite_a=1, overwrite_b=1)
        assert info == 0
    factor /= np.sqrt(total)
    return factor


@lru_cache(maxsize=4)
def _upper(d: int) -> NDArray[np.bool_]:
    """Where an upper triangle (d, d) has its entries."""
    return ~np.tri(d, k=-1, dtype=bool)


def retriangularise(
    columns: NDArray[np.float64], *, overwrite: bool = False
) -> NDArray[np.float64]:
    """Upper triangle R with positive diagonal and R'R = columns' columns, from (m, d), m >= d."""
    from scipy.linalg import lapack

    factor, _, _, info = lapack.dgeqrf(
        columns, lwork=64 * columns.shape[1], overwrite_a=int(overwrite)
    )
    assert info == 0
    factor = np.where(_upper(columns.shape[1]), factor[: columns.shape[1]], 0.0)
    factor[np.diag(factor) < 0.0] *= -1.0
    return factor


def scaled_covariance(factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """R'R (d, d) of a triangle R, at a third of the products of a whole matrix."""
    from scipy.linalg import lapack

    # Backwards R is a lower triangle L, and LAPACK has L'L.
    backwards = np.asfortranarray(factor[::-1, ::-1])
    lower, info = lapack.dlauum(backwards, lower=1, overwrite_c=1)
    assert info == 0
    upper = np.ascontiguousarray(lower[::-1, ::-1])
    return np.where(_upper(len(factor)), upper, upper.T)
