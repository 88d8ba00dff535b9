r"""Inner products of the rows of two matrices: :math:`P Q^\top` for few rows and many columns.

Four rows of P meet two of Q at a time, so that six numbers are read for eight products and the sums
stay in registers. For the shapes of a small network, ten by twenty rows with a thousand columns,
that is two to three times as fast as a general matrix product, and half of a symmetric one need not
be computed. Sums of single precision are collected in double precision every thousand columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import reordered_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float32] | NDArray[np.float64]

_TALL, _WIDE = 4, 2
_STRETCH = 1024


@reordered_kernel
def inner_products(P: Reals, Q: Reals, symmetric: bool, out: NDArray[np.float64]) -> None:
    """Put P Q' (p, q) into ``out``; if ``symmetric``, Q is P and only one half is computed."""
    p, n = P.shape
    q = Q.shape[0]
    zero = P.dtype.type(0.0)
    out[:] = 0.0
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
