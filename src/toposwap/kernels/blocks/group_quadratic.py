r"""A quadratic with a penalty on the lengths of blocks, by block coordinate descent.

.. math:: \min_x \; g^\top (x - x_0) + \tfrac12 (x - x_0)^\top H (x - x_0)
          + \sum_b \rho_b(\lVert x_b \rVert_2), \qquad
          \rho_b'(t) = \max(\mathrm{kink}_b - \mathrm{concavity}\, t,\, 0) .

A block moves to the minimum of what bounds the quadratic from above, its largest curvature in all
directions.
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
def descend_blocks(
    H: NDArray[np.float64],
    starts: NDArray[np.int64],
    kinks: NDArray[np.float64],
    concavity: float,
    bounds: NDArray[np.float64],
    x: NDArray[np.float64],
    gradient: NDArray[np.float64],
    tolerance: float,
    max_sweeps: int,
) -> int:
    """Improve ``x`` (N,) in place, and ``gradient`` (N,) of the quadratic; how many sweeps.

    Block b is from ``starts[b]`` to ``starts[b + 1]``, with curvature at most ``bounds[b]``, which
    is more than ``concavity``; one without a kink has no penalty. It ends when no step, times its
    curvature, is longer than ``tolerance``.
    """
    size = x.size
    steps = np.empty(size)
    for sweep in range(max_sweeps):
        largest = 0.0
        for b in range(starts.size - 1):
            first, end = starts[b], starts[b + 1]
            length = 0.0
            for a in range(first, end):
                steps[a] = x[a] - gradient[a] / bounds[b]
                length += steps[a] * steps[a]
            length = math.sqrt(length)
            scale = 1.0
            if kinks[b] > 0.0:
                scale = 0.0
                if length > 0.0:
                    scale = shrunk(length, kinks[b] / bounds[b], concavity / bounds[b]) / length
            moved = 0.0
            for a in range(first, end):
                steps[a] = scale * steps[a] - x[a]
                moved += steps[a] * steps[a]
            if moved == 0.0:
                continue
            largest = max(largest, bounds[b] * math.sqrt(moved))
            for a in range(first, end):
                x[a] += steps[a]
                for c in range(size):
                    gradient[c] += H[a, c] * steps[a]
        if largest <= tolerance:
            return sweep + 1
    return max_sweeps
