r"""A number with a penalty on the lengths of the blocks of its parents, by block descent.

.. math:: \min_x \; \tfrac{s}{2} \log \lVert y - F x \rVert^2
          + \sum_b \rho_b(\lVert x_b \rVert_2), \qquad
          \rho_b'(t) = \max(\mathrm{kink}_b - \mathrm{concavity}\, t,\, 0) .

With r the residual, 1/2 log |r|^2 is concave in the sum of squares, so that the sum of squares over
its present value bounds it from above; a block moves to the minimum of that bound, its largest
curvature in all directions. The sum of squares follows each step: with u = -F'r before a step z of
a block and u' after it, it changes by (u + u')'z.

Where columns nearly repeat each other such steps are short. So Newton's method is tried now and
then for the blocks in use, with the curvature s (F'F / |r|^2 - 2 u u' / |r|^4) and that of the
penalty; what does not lower the whole is not taken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.additive.group_descent import shrunk
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Sweeps between two tries of Newton's method.
_BETWEEN = 10
_SHORTEST = 1e-3


@kernel(inner=True)
def _penalty(
    x: NDArray[np.float64],
    starts: NDArray[np.int64],
    kinks: NDArray[np.float64],
    concavity: float,
) -> float:
    """The sum over blocks of rho, at ``x`` (M,)."""
    total = 0.0
    for b in range(starts.size - 1):
        length = 0.0
        for a in range(starts[b], starts[b + 1]):
            length += x[a] * x[a]
        length = math.sqrt(length)
        if concavity > 0.0:
            length = min(length, kinks[b] / concavity)
        total += kinks[b] * length - 0.5 * concavity * length * length
    return total


@kernel(inner=True)
def _squares(factor: NDArray[np.float64], y: NDArray[np.float64], x: NDArray[np.float64]) -> float:
    """|y - F x|^2."""
    squares = 0.0
    for k in range(y.size):
        total = y[k]
        for a in range(x.size):
            total -= factor[k, a] * x[a]
        squares += total * total
    return squares


@kernel(inner=True)
def _solve_positive(H: NDArray[np.float64], g: NDArray[np.float64]) -> bool:
    """``g`` (p,) becomes H^-1 g by Cholesky's factor, in place of ``H``; whether there is one."""
    p = g.size
    for j in range(p):
        for k in range(j):
            for i in range(j, p):
                H[i, j] -= H[i, k] * H[j, k]
        if not H[j, j] > 0.0:
            return False
        root = math.sqrt(H[j, j])
        for i in range(j, p):
            H[i, j] /= root
    for j in range(p):
        for k in range(j):
            g[j] -= H[j, k] * g[k]
        g[j] /= H[j, j]
    for j in range(p - 1, -1, -1):
        for k in range(j + 1, p):
            g[j] -= H[k, j] * g[k]
        g[j] /= H[j, j]
    return True


@kernel(inner=True)
def _newton(
    factor: NDArray[np.float64],
    gram: NDArray[np.float64],
    y: NDArray[np.float64],
    starts: NDArray[np.int64],
    kinks: NDArray[np.float64],
    concavity: float,
    share: float,
    squares: float,
    slope: NDArray[np.float64],
    used: NDArray[np.bool_],
    x: NDArray[np.float64],
) -> bool:
    """A step of Newton's method for the blocks ``used`` (d,); whether it lowers the whole."""
    who = np.empty(x.size, dtype=np.int64)
    p = 0
    for b in range(starts.size - 1):
        if used[b]:
            for a in range(starts[b], starts[b + 1]):
                who[p] = a
                p += 1
    H, step = np.empty((p, p)), np.empty(p)
    inverse = share / squares
    for i in range(p):
        step[i] = -inverse * slope[who[i]]
        for j in range(p):
            H[i, j] = inverse * (
                gram[who[i], who[j]] - 2.0 * slope[who[i]] * slope[who[j]] / squares
            )
    at = 0
    for b in range(starts.size - 1):
        if not used[b]:
            continue
        first, m = starts[b], starts[b + 1] - starts[b]
        length = 0.0
        for a in range(first, first + m):
            length += x[a] * x[a]
        length = math.sqrt(length)
        rate = kinks[b] - concavity * length
        if rate > 0.0 and length > 0.0:
            for i in range(m):
                step[at + i] -= rate * x[first + i] / length
                H[at + i, at + i] += rate / length
                for j in range(m):
                    both = x[first + i] * x[first + j] / (length * length)
                    H[at + i, at + j] -= (rate / length + concavity) * both
        at += m
    if not _solve_positive(H, step):
        return False
    before = 0.5 * share * math.log(squares) + _penalty(x, starts, kinks, concavity)
    there = x.copy()
    fraction = 1.0
    while fraction > _SHORTEST:
        for i in range(p):
            there[who[i]] = x[who[i]] + fraction * step[i]
        left = _squares(factor, y, there)
        if left > 0.0:
            after = 0.5 * share * math.log(left) + _penalty(there, starts, kinks, concavity)
            if after < before:
                x[:] = there
                return True
        fraction *= 0.5
    return False


@kernel
def descend_gaussian(
    factor: NDArray[np.float64],
    gram: NDArray[np.float64],
    y: NDArray[np.float64],
    starts: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    kinks: NDArray[np.float64],
    concavity: float,
    curvatures: NDArray[np.float64],
    share: float,
    least: float,
    x: NDArray[np.float64],
    tolerance: float,
    max_sweeps: int,
) -> int:
    """Improve ``x`` (M,) of the ``allowed`` (d,) blocks in place; how many sweeps.

    ``factor`` (M, M) is F, ``gram`` F'F, ``y`` (M,), block b is from ``starts[b]`` to
    ``starts[b + 1]``, with a largest eigenvalue ``curvatures[b]`` of its part of the gram;
    ``share`` is s; a sum of squares below ``least`` counts as that. Sweeps run over the blocks in
    use until no step, times its curvature, is longer than ``tolerance``, then over all of them.
    """
    size = x.size
    steps, slope = np.empty(size), np.empty(size)
    in_use = np.zeros(starts.size - 1, dtype=np.bool_)
    everything = True
    wait = _BETWEEN
    for sweep in range(max_sweeps):
        # Residual and slope anew from the factor: what steps leave behind does not add up.
        magnitude, squares = 1.0, 0.0
        for a in range(size):
            magnitude += abs(x[a])
            slope[a] = 0.0
        for k in range(size):
            total = y[k]
            for a in range(size):
                total -= factor[k, a] * x[a]
            squares += total * total
            for a in range(size):
                slope[a] -= factor[k, a] * total
        squares = max(squares, least)
        rounding = 4e-16 * magnitude * share / squares
        wait -= 1
        if wait <= 0 and not everything and squares > least:
            for b in range(starts.size - 1):
                in_use[b] = allowed[b] and kinks[b] == 0.0
                for a in range(starts[b], starts[b + 1]):
                    in_use[b] = in_use[b] or x[a] != 0.0
            moved_all = _newton(
                factor, gram, y, starts, kinks, concavity, share, squares, slope, in_use, x
            )
            # A step that was good may be followed by a better one.
            wait = 1 if moved_all else _BETWEEN
            if moved_all:
                continue
        largest = 0.0
        for b in range(starts.size - 1):
            first, end = starts[b], starts[b + 1]
            if not allowed[b]:
                continue
            used = kinks[b] == 0.0
            for a in range(first, end):
                used = used or x[a] != 0.0
            if not (used or everything):
                continue
            inverse = share / squares
            bound = inverse * curvatures[b] * (1.0 + 1e-12) + 1e-300
            if kinks[b] > 0.0:
                bound = max(bound, 2.0 * concavity)
            length = 0.0
            for a in range(first, end):
                steps[a] = x[a] - inverse * slope[a] / bound
                length += steps[a] * steps[a]
            length = math.sqrt(length)
            scale = 1.0
            if kinks[b] > 0.0:
                scale = 0.0
                if length > 0.0:
                    scale = shrunk(length, kinks[b] / bound, concavity / bound) / length
            moved = 0.0
            for a in range(first, end):
                steps[a] = scale * steps[a] - x[a]
                moved += steps[a] * steps[a]
                squares += slope[a] * steps[a]
            if moved == 0.0:
                continue
            largest = max(largest, bound * math.sqrt(moved))
            for a in range(first, end):
                x[a] += steps[a]
                for c in range(size):
                    slope[c] += gram[a, c] * steps[a]
            for a in range(first, end):
                squares += slope[a] * steps[a]
            squares = max(squares, least)
        if largest <= max(tolerance * share, rounding):
            if everything:
                return sweep + 1
            everything = True
        else:
            everything = False
    return max_sweeps
