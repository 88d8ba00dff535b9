r"""A number with a penalty on the lengths of the blocks of its parents, by block descent.

.. math:: \min_x \; \tfrac{s}{2} \log \lVert y - F x \rVert^2
          + \sum_b \rho_b(\lVert x_b \rVert_2), \qquad
          \rho_b'(t) = \max(\mathrm{kink}_b - \mathrm{concavity}\, t,\, 0) .

With r the residual, 1/2 log |r|^2 is concave in the sum of squares, so that the sum of squares over
its present value bounds it from above; a block moves to the minimum of that bound, its largest
curvature in all directions. The sum of squares follows each step: with u = -F'r before a step z of
a block and u' after it, it changes by (u + u')'z.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.additive.group_descent import shrunk
from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    everything = True
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
