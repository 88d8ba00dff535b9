r"""Predictors, gradients and the decrease that each absent block would bring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.blocks.moments import DEPENDENT
from toposwap.kernels.jit import kernel, reassociated_kernel
from toposwap.kernels.linalg.dot import dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def linear_predictors(
    Z: NDArray[np.float64],
    index: NDArray[np.int64],
    theta: NDArray[np.float64],
    constants: NDArray[np.float64],
    eta: NDArray[np.float64],
) -> None:
    """Put constants + theta' Z into ``eta`` (q, n), ``theta`` (p, q) on the rows ``index`` of Z."""
    q, n = eta.shape
    for a in range(q):
        out = eta[a]
        for i in range(n):
            out[i] = constants[a]
        for t in range(index.size):
            w, z = theta[t, a], Z[index[t]]
            if w != 0.0:
                for i in range(n):
                    out[i] += w * z[i]


@reassociated_kernel
def products(
    Z: NDArray[np.float64], slope: NDArray[np.float64], gradient: NDArray[np.float64]
) -> None:
    """Put Z slope' into ``gradient`` (M, q)."""
    for u in range(Z.shape[0]):
        for a in range(slope.shape[0]):
            gradient[u, a] = dot(Z[u], slope[a])


@kernel
def decreases(
    H: NDArray[np.float64],
    starts: NDArray[np.int64],
    parents: NDArray[np.bool_],
    gradient: NDArray[np.float64],
    root: NDArray[np.float64],
    gains: NDArray[np.float64],
) -> None:
    r"""By how much each absent block would lower the loss, to second order.

    .. math:: \tfrac12 \operatorname{tr} A^{-1} g_i^\top S_i^{-1} g_i, \qquad A = L L^\top ,

    with S_i the curvature H (M + 1, M + 1), the constant last, of the block given the parents and
    the constant, and g_i its ``gradient`` (M, q). ``root`` (q, q) is :math:`L^{-1}`. The curvature
    of a node is taken as the product of H and A. ``gains`` (d,) is zero for parents, and for blocks
    that depend on these.
    """
    d, q = parents.size, root.shape[0]
    size = H.shape[0]
    inside = 1
    for i in range(d):
        if parents[i]:
            inside += starts[i + 1] - starts[i]
    B = np.empty((inside, size))
    rows = 0
    # Gram-Schmidt on the constant and the parents' columns.
    for i in range(-1, d):
        if i >= 0 and not parents[i]:
            continue
        first = size - 1 if i < 0 else starts[i]
        end = size if i < 0 else starts[i + 1]
        for c in range(first, end):
            row = B[rows]
            for u in range(size):
                row[u] = H[c, u]
            for t in range(rows):
                factor = B[t, c]
                for u in range(size):
                    row[u] -= factor * B[t, u]
            left = row[c]
            if left <= DEPENDENT * H[c, c]:
                continue
            scale = 1.0 / math.sqrt(left)
            for u in range(size):
                row[u] *= scale
            rows += 1
    widest = 1
    for i in range(d):
        widest = max(widest, starts[i + 1] - starts[i])
    lower, x, turned = np.empty((widest, widest)), np.empty((widest, q)), np.empty(q)
    for i in range(d):
        gains[i] = 0.0
        if parents[i]:
            continue
        first, m = starts[i], starts[i + 1] - starts[i]
        free, total = True, 0.0
        for a in range(m):
            for b in range(a + 1):
                rest = H[first + a, first + b]
                for t in range(rows):
                    rest -= B[t, first + a] * B[t, first + b]
                for t in range(b):
                    rest -= lower[a, t] * lower[b, t]
                if a == b:
                    if rest <= DEPENDENT * H[first + a, first + a] or rest <= 0.0:
                        free = False
                        break
                    lower[a, a] = math.sqrt(rest)
                else:
                    lower[a, b] = rest / lower[b, b]
            if not free:
                break
            for c in range(q):
                value = gradient[first + a, c]
                for t in range(a):
                    value -= lower[a, t] * x[t, c]
                x[a, c] = value / lower[a, a]
            for c in range(q):
                turned[c] = 0.0
                for e in range(c + 1):
                    turned[c] += root[c, e] * x[a, e]
                total += turned[c] * turned[c]
        if free:
            gains[i] = 0.5 * total
