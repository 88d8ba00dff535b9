r"""The direction of a limited-memory quasi-Newton method on the variables that are free to move.

:math:`p_F = -H_F g_F`, where H is the BFGS matrix of the pairs :math:`(s_i, y_i)` restricted to the
free variables F; :math:`p` is zero elsewhere. Restricting the pairs keeps H positive definite on F,
so the direction goes down whatever F is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def free_direction(
    steps: NDArray[np.float64],
    changes: NDArray[np.float64],
    newest: int,
    count: int,
    gradient: NDArray[np.float64],
    free: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return p_F, (f,), for the variables ``free`` (f,).

    ``steps`` and ``changes`` (m, N) hold the pairs in a ring: row ``newest`` is the last one,
    ``count`` of them are valid. Pairs without positive curvature on F are left out.
    """
    m = steps.shape[0]
    f = free.size
    s = np.empty((count, f))
    y = np.empty((count, f))
    curvature = np.zeros(count)
    share = np.empty(count)
    q = np.empty(f)
    for k in range(f):
        q[k] = -gradient[free[k]]
    scale = 0.0
    for age in range(count):
        row = (newest - age + m) % m
        for k in range(f):
            s[age, k] = steps[row, free[k]]
            y[age, k] = changes[row, free[k]]
        sy = np.dot(s[age], y[age])
        yy = np.dot(y[age], y[age])
        if sy > 1e-12 * yy and sy > 0.0:
            curvature[age] = sy
            if scale == 0.0:
                scale = sy / yy
    for age in range(count):
        if curvature[age] > 0.0:
            share[age] = np.dot(s[age], q) / curvature[age]
            for k in range(f):
                q[k] -= share[age] * y[age, k]
    if scale > 0.0:
        for k in range(f):
            q[k] *= scale
    for age in range(count - 1, -1, -1):
        if curvature[age] > 0.0:
            back = share[age] - np.dot(y[age], q) / curvature[age]
            for k in range(f):
                q[k] += back * s[age, k]
    return q


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
    new = x.copy()
    foretold = 0.0
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
    return new, np.dot(l1, np.abs(new)), foretold
