r"""Products with few rows and many columns: :math:`P Q^\top` and :math:`A X`.

For the shapes of a small network, ten by twenty rows with a thousand columns, they are two to three
times as fast as a general matrix product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import reordered_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float32] | NDArray[np.float64]

_TALL, _WIDE = 4, 2
_SQUARE = 4
_STRETCH = 1024


@reordered_kernel(inner=True)
def inner_products(P: Reals, Q: Reals, symmetric: bool, out: NDArray[np.float64]) -> None:
    """Put P Q' (p, q) into ``out``; if ``symmetric``, Q is P and only one half is computed.

    Four rows of P meet two of Q at a time, so that six numbers are read for eight products and the
    sums stay in registers. Sums of single precision are collected in double precision every
    thousand columns.
    """
    p, n = P.shape
    q = Q.shape[0]
    zero = P.dtype.type(0.0)
    for a in range(p):
        for b in range(q):
            out[a, b] = 0.0
    for start in range(0, n, _STRETCH):
        stop = min(n, start + _STRETCH)
        for a in range(0, p, _TALL):
            # Rows beyond the last are the last again, and not counted.
            tall, wide = min(_TALL, p - a), min(a + _TALL, q) if symmetric else q
            p0, p1 = P[a, start:stop], P[min(a + 1, p - 1), start:stop]
            p2, p3 = P[min(a + 2, p - 1), start:stop], P[min(a + 3, p - 1), start:stop]
            for b in range(0, wide, _WIDE):
                q0, q1 = Q[b, start:stop], Q[min(b + 1, q - 1), start:stop]
                s00 = s10 = s20 = s30 = s01 = s11 = s21 = s31 = zero
                for i in range(stop - start):
                    x, y = q0[i], q1[i]
                    s00 += p0[i] * x
                    s10 += p1[i] * x
                    s20 += p2[i] * x
                    s30 += p3[i] * x
                    s01 += p0[i] * y
                    s11 += p1[i] * y
                    s21 += p2[i] * y
                    s31 += p3[i] * y
                left, right = (s00, s10, s20, s30), (s01, s11, s21, s31)
                for r in range(tall):
                    out[a + r, b] += left[r]
                    if b + 1 < q:
                        out[a + r, b + 1] += right[r]
    if symmetric:
        for a in range(p):
            for b in range(a):
                out[b, a] = out[a, b]


@reordered_kernel(inner=True)
def combinations(A: Reals, X: Reals, out: Reals) -> None:
    """Put A X (h, n) into ``out``.

    Four rows of it gain from four of X at a time, so that eight numbers are read for sixteen
    products.
    """
    h, k = A.shape
    n = X.shape[1]
    zero = A.dtype.type(0.0)
    # Rows beyond the last have no weights, and each has a place of its own: loops vectorise where
    # no two rows are one.
    W = np.empty((_SQUARE, _SQUARE), dtype=A.dtype)
    spare = np.empty((_SQUARE, min(n, _STRETCH)), dtype=A.dtype)
    for start in range(0, n, _STRETCH):
        stop = min(n, start + _STRETCH)
        for a in range(0, h, _SQUARE):
            z0 = out[a, start:stop]
            z1 = out[a + 1, start:stop] if a + 1 < h else spare[1, : stop - start]
            z2 = out[a + 2, start:stop] if a + 2 < h else spare[2, : stop - start]
            z3 = out[a + 3, start:stop] if a + 3 < h else spare[3, : stop - start]
            for i in range(stop - start):
                z0[i] = z1[i] = z2[i] = z3[i] = zero
            for c in range(0, k, _SQUARE):
                for r in range(_SQUARE):
                    for i in range(_SQUARE):
                        W[r, i] = A[a + r, c + i] if a + r < h and c + i < k else zero
                x0, x1 = X[c, start:stop], X[min(c + 1, k - 1), start:stop]
                x2, x3 = X[min(c + 2, k - 1), start:stop], X[min(c + 3, k - 1), start:stop]
                w00, w01, w02, w03 = W[0, 0], W[0, 1], W[0, 2], W[0, 3]
                w10, w11, w12, w13 = W[1, 0], W[1, 1], W[1, 2], W[1, 3]
                w20, w21, w22, w23 = W[2, 0], W[2, 1], W[2, 2], W[2, 3]
                w30, w31, w32, w33 = W[3, 0], W[3, 1], W[3, 2], W[3, 3]
                for i in range(stop - start):
                    s0, s1, s2, s3 = x0[i], x1[i], x2[i], x3[i]
                    z0[i] += w00 * s0 + w01 * s1 + w02 * s2 + w03 * s3
                    z1[i] += w10 * s0 + w11 * s1 + w12 * s2 + w13 * s3
                    z2[i] += w20 * s0 + w21 * s1 + w22 * s2 + w23 * s3
                    z3[i] += w30 * s0 + w31 * s1 + w32 * s2 + w33 * s3
