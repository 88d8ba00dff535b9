r"""One node of an additive model with a penalty on whole functions, by block coordinate descent.

.. math:: \tfrac12 \bigl\lVert y - \sum_i U_i \theta_i \bigr\rVert^2
          + \sum_i \rho_i(\lVert \theta_i \rVert_2), \qquad
          \rho_i'(t) = \max(\mathrm{kink}_i - \mathrm{concavity}\, t,\, 0)

with :math:`U_i^\top U_i = I`, so that a block has a closed solution: with
:math:`z = U_i^\top (y - \sum_{k \ne i} U_k \theta_k)` it points along ``z``, and its length is that
of the scalar problem with :math:`|z|`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel(inner=True, inlined=True)
def shrunk(length: float, kink: float, concavity: float) -> float:
    """The t >= 0 that minimises (t - length)^2 / 2 + rho(t); concavity < 1."""
    if length <= kink:
        return 0.0
    t = (length - kink) / (1.0 - concavity)
    return length if t * concavity >= kink else t


@kernel
def solve_node(
    gram: NDArray[np.float64],
    target: NDArray[np.float64],
    allowed: NDArray[np.bool_],
    kinks: NDArray[np.float64],
    concavity: float,
    theta: NDArray[np.float64],
    slack: NDArray[np.float64],
    tolerance: float,
    max_sweeps: int,
) -> int:
    """Improve ``theta`` (d, m) in place; ``slack`` (d, m) becomes U'(y - U theta).

    ``gram`` is U'U, (d m, d m), ``target`` U'y, (d m,). Sweeps run over the blocks in use until
    none moves by more than ``tolerance``, then over all allowed ones. Returns how many there were.
    """
    d, m = theta.shape
    for i in range(d):
        for r in range(m):
            slack[i, r] = target[i * m + r]
    for k in range(d):
        for s in range(m):
            value = theta[k, s]
            if value != 0.0:
                row = gram[k * m + s]
                for i in range(d):
                    for r in range(m):
                        slack[i, r] -= value * row[i * m + r]
    step = np.empty(m)
    everything = True
    for sweep in range(max_sweeps):
        largest = 0.0
        for i in range(d):
            if not allowed[i]:
                continue
            used = False
            for r in range(m):
                used = used or theta[i, r] != 0.0
            if not (used or everything):
                continue
            length2 = 0.0
            for r in range(m):
                z = slack[i, r] + theta[i, r]
                step[r] = z
                length2 += z * z
            length = math.sqrt(length2)
            t = shrunk(length, kinks[i], concavity)
            ratio = t / length if length > 0.0 else 0.0
            moved = 0.0
            for r in range(m):
                step[r] = ratio * step[r] - theta[i, r]
                moved = max(moved, abs(step[r]))
            if moved == 0.0:
                continue
            largest = max(largest, moved)
            for r in range(m):
                change = step[r]
                theta[i, r] += change
                row = gram[i * m + r]
                for k in range(d):
                    for s in range(m):
                        slack[k, s] -= change * row[k * m + s]
        if largest <= tolerance:
            if everything:
                return sweep + 1
            everything = True
        else:
            everything = False
    return max_sweeps
