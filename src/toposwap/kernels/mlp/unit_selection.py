r"""Hidden units that explain what a network leaves over.

Of candidate units :math:`s_p = \sigma(B X)_p - \text{mean}` the one with the largest
:math:`(r^\top s_p)^2 / \lVert s_p \rVert^2` is chosen, r being the residual; r and the other
candidates are made orthogonal to it, and the next is chosen (orthogonal matching pursuit). What
their weights cost is left out: at the start it says little about the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import reordered_kernel
from toposwap.kernels.linalg.products import combinations
from toposwap.kernels.mlp.network import Formula, activate, row_residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Candidates with less than this part of their square left are no other than those chosen.
_NOTHING_NEW = 1e-2
#: Of a mean in single precision, relative.
_ROUNDING = 1e-5
_F = np.float32


@reordered_kernel
def explanatory_units(
    first: NDArray[np.float32],
    output: NDArray[np.float32],
    intercept: float,
    candidates: NDArray[np.float32],
    X: NDArray[np.float32],
    y: NDArray[np.float32],
    count: int,
    loss: Formula,
    activation: int,
) -> NDArray[np.int64]:
    """The numbers of at most ``count`` of the ``candidates`` (p, k), in the order they are chosen.

    The network is ``first`` (h, k), ``output`` (h,) and ``intercept``, on ``X`` (k, n), ``y`` (n,).
    """
    n, p = y.size, candidates.shape[0]
    r = np.empty(n, dtype=_F)
    for i in range(n):
        r[i] = intercept
    if output.size:
        S = np.empty((first.shape[0], n), dtype=_F)
        combinations(first, X, S)
        activate(S, activation)
        for a in range(output.size):
            add_multiple(output[a], S[a], r)
    if loss.by_rows:
        row_residuals(y, r, loss)
    else:
        for i in range(n):
            r[i] = y[i] - r[i]
    centre(r)
    S = np.empty((p, n), dtype=_F)
    combinations(candidates, X, S)
    activate(S, activation)
    left, least = np.empty(p), np.empty(p)
    for a in range(p):
        mean = centre(S[a])
        left[a] = single_dot(S[a], S[a])
        # What is left of a constant unit is the rounding error of its mean.
        least[a] = max(_NOTHING_NEW * left[a], n * (_ROUNDING * mean) ** 2)
    chosen = np.empty(min(count, p), dtype=np.int64)
    for c in range(chosen.size):
        best, most = -1, 0.0
        for a in range(p):
            if left[a] > least[a]:
                gain = single_dot(S[a], r) ** 2 / left[a]
                if gain > most:
                    best, most = a, gain
        if best < 0:
            return chosen[:c]
        chosen[c] = best
        scale = _F(1.0) / _F(np.sqrt(left[best]))
        unit = np.empty(n, dtype=_F)
        for i in range(n):
            unit[i] = S[best, i] * scale
        add_multiple(-single_dot(unit, r), unit, r)
        for a in range(p):
            add_multiple(-single_dot(unit, S[a]), unit, S[a])
            left[a] = single_dot(S[a], S[a])
        left[best] = 0.0
    return chosen


@reordered_kernel(inner=True)
def single_dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> np.float32:
    """Inner product, summed in single precision."""
    total = _F(0.0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@reordered_kernel(inner=True)
def add_multiple(factor: np.float32, x: NDArray[np.float32], y: NDArray[np.float32]) -> None:
    """``y += factor x``, in place, for vectors (n,) in single precision."""
    for i in range(x.size):
        y[i] += factor * x[i]


@reordered_kernel(inner=True)
def centre(x: NDArray[np.float32]) -> np.float32:
    """Take the mean off x, and return it."""
    total = _F(0.0)
    for i in range(x.size):
        total += x[i]
    mean = total / _F(x.size)
    for i in range(x.size):
        x[i] -= mean
    return mean
