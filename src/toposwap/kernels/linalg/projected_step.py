r"""The direction of a limited-memory quasi-Newton method on the variables that are free to move.

:math:`p_F = -H_F g_F`, where H is the BFGS matrix of the pairs :math:`(s_i, y_i)` restricted to the
free variables F; :math:`p` is zero elsewhere. Restricting the pairs keeps H positive definite on F,
so the direction goes down whatever F is. H begins as a multiple of a given diagonal matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel, reassociated_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: One variable of so many is few.
_FEW = 5


@reassociated_kernel
def free_direction(
    steps: NDArray[np.float64],
    changes: NDArray[np.float64],
    newest: int,
    count: int,
    gradient: NDArray[np.float64],
    free: NDArray[np.int64],
    softness: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return p_F, (f,), for the variables ``free`` (f,).

    ``steps`` and ``changes`` (m, N) hold the pairs in a ring: row ``newest`` is the last one,
    ``count`` of them are valid. Pairs without positive curvature on F are left out. ``softness``
    (N,) says how far variables go under the same force: about one over their second derivatives.
    """
    m, size = steps.shape
    f = free.size
    rows = np.empty(count, dtype=np.int64)
    for age in range(count):
        rows[age] = (newest - age + m) % m
    # Whole rows with ones and zeros vectorise; few variables are better copied together.
    few = _FEW * f < size
    if few:
        s_pairs, y_pairs = np.empty((count, f)), np.empty((count, f))
        for age in range(count):
            for k in range(f):
                s_pairs[age, k] = steps[rows[age], free[k]]
                y_pairs[age, k] = changes[rows[age], free[k]]
            rows[age] = age
        steps, changes, size = s_pairs, y_pairs, f
    inside, q, soft = np.empty(size), np.empty(size), np.empty(size)
    for k in range(size):
        inside[k] = q[k] = soft[k] = 0.0
    for k in range(f):
        at = k if few else free[k]
        inside[at] = 1.0
        soft[at] = softness[free[k]]
        q[at] = -gradient[free[k]]
    curvature = np.empty(count)
    share = np.empty(count)
    scale = 0.0
    for age in range(count):
        curvature[age] = 0.0
        s, y = steps[rows[age]], changes[rows[age]]
        sy = yy = sq = 0.0
        for k in range(size):
            y_inside = inside[k] * y[k]
            sy += s[k] * y_inside
            yy += y[k] * y_inside * soft[k]
            sq += s[k] * q[k]
        if sy > 1e-12 * yy and sy > 0.0:
            curvature[age] = sy
            share[age] = sq / sy
            if scale == 0.0:
                scale = sy / yy
            for k in range(size):
                q[k] -= share[age] * inside[k] * y[k]
    if scale == 0.0:
        scale = 1.0
    for k in range(size):
        q[k] *= scale * soft[k]
    for age in range(count - 1, -1, -1):
        if curvature[age] > 0.0:
            s, y = steps[rows[age]], changes[rows[age]]
            yq = 0.0
            for k in range(size):
                yq += y[k] * q[k]
            back = share[age] - yq / curvature[age]
            for k in range(size):
                q[k] += back * inside[k] * s[k]
    if few:
        return q
    direction = np.empty(f)
    for k in range(f):
        direction[k] = q[free[k]]
    return direction


@kernel
def one_sided_slopes(
    x: NDArray[np.float64],
    gradient: NDArray[np.float64],
    l1: NDArray[np.float64],
    movable: NDArray[np.bool_],
    slope: NDArray[np.float64],
) -> tuple[float, NDArray[np.int64]]:
    """Steepest descent of f + ||l1 x||_1: ``slope`` (N,) receives minus its direction.

    At zero a variable stays while its gradient is within [-l1, l1]. Returns the largest |slope| and
    the variables that move.
    """
    free = np.empty(x.size, dtype=np.int64)
    count = 0
    largest = 0.0
    for k in range(x.size):
        s = 0.0
        if movable[k]:
            if x[k] > 0.0:
                s = gradient[k] + l1[k]
            elif x[k] < 0.0 or gradient[k] > l1[k]:
                s = gradient[k] - l1[k]
            elif gradient[k] < -l1[k]:
                s = gradient[k] + l1[k]
        slope[k] = s
        if s != 0.0:
            free[count] = k
            count += 1
            largest = max(largest, abs(s))
    return largest, free[:count]


@kernel
def projected_step(
    x: NDArray[np.float64],
    slope: NDArray[np.float64],
    l1: NDArray[np.float64],
    free: NDArray[np.int64],
    direction: NDArray[np.float64],
    length: float,
) -> tuple[NDArray[np.float64], float, float]:
    """The point x + length * direction on ``free`` (f,), not across zero where l1 > 0.

    Returns the point, its l1 term, and the change that the slopes foretell.
    """
    new = np.empty(x.size)
    for k in range(x.size):
        new[k] = x[k]
    foretold = penalty = 0.0
    for k in range(free.size):
        v = free[k]
        moved = x[v] + length * direction[k]
        if l1[v] > 0.0:
            # From zero the slope says which side is open.
            side = x[v] if x[v] != 0.0 else -slope[v]
            if moved * side < 0.0:
                moved = 0.0
        new[v] = moved
        foretold += slope[v] * (moved - x[v])
    for k in range(x.size):
        penalty += l1[k] * abs(new[k])
    return new, penalty, foretold
