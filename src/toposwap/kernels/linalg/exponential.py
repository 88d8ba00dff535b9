r"""The exponential of a non-negative matrix, less the identity: :math:`e^B - I`, (d, d)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: 1/k!, k = 0 .. 16: with powers of norm at most 1 the rest of Taylor's series is below 3e-15.
_TAYLOR = 1.0 / np.cumprod(np.concatenate((np.ones(1), np.arange(1.0, 17.0))))


@kernel
def _row_norm(nonnegative: NDArray[np.float64]) -> float:
    """max_i sum_j B_ij, the infinity norm of a non-negative B (d, d)."""
    norm = 0.0
    for i in range(nonnegative.shape[0]):
        norm = max(norm, nonnegative[i].sum())
    return norm


@kernel
def exponential_minus_identity(nonnegative: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^B - I without subtracting: every term is non-negative, so no digit cancels.

    Taylor's series of A = B / 2^s with six products (Paterson and Stockmeyer: a cubic in A^4 whose
    coefficients are cubics in A), then s doublings E <- 2 E + E^2. From the sixth on, powers obey
    ||B^k|| <= max(||B^3||^(1/3), ||B^4||^(1/4))^k, and this bound decides s: it is small where
    cycles are weak, however large the weights are. Sizes beyond a double become infinite or NaN.
    """
    d = nonnegative.shape[0]
    one = np.ascontiguousarray(nonnegative).copy()
    two = np.dot(one, one)
    three = np.dot(two, one)
    four = np.dot(two, two)
    third = _row_norm(three) ** (1.0 / 3.0)
    size = min(max(_row_norm(two) ** 0.5, third), max(third, _row_norm(four) ** 0.25))
    size = min(_row_norm(one), size)
    doublings = 0
    while size > 1.0 and doublings < 1100:
        size *= 0.5
        doublings += 1
    if doublings > 0:
        half = 0.5**doublings
        one *= half
        two *= half**2
        three *= half**3
        four *= half**4
    total = np.empty_like(one)
    block = np.empty_like(one)
    for i in range(d):
        for j in range(d):
            total[i, j] = (
                _TAYLOR[13] * one[i, j]
                + _TAYLOR[14] * two[i, j]
                + _TAYLOR[15] * three[i, j]
                + _TAYLOR[16] * four[i, j]
            )
        total[i, i] += _TAYLOR[12]
    for k in range(8, -1, -4):
        np.dot(total, four, block)
        for i in range(d):
            for j in range(d):
                total[i, j] = block[i, j] + (
                    _TAYLOR[k + 1] * one[i, j]
                    + _TAYLOR[k + 2] * two[i, j]
                    + _TAYLOR[k + 3] * three[i, j]
                )
            if k > 0:
                total[i, i] += _TAYLOR[k]
    for _ in range(doublings):
        np.dot(total, total, block)
        for i in range(d):
            for j in range(d):
                total[i, j] = 2.0 * total[i, j] + block[i, j]
    return total
