r"""L-BFGS with orthant projection: :math:`\min_u F(u) + \sum_i \lambda_i |u_i|`.

The pseudo-gradient (the element of the subdifferential nearest to zero) takes the place of the
gradient; a step that would change the sign of a coordinate stops at zero. Coordinates at zero that
the penalty holds there take no part, so a sparse solution is found exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels import network
from toposwap.kernels.jit import kernel
from toposwap.kernels.projected_step import free_direction, one_sided_slopes, projected_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

_evaluate = network.evaluate
_PAIRS = 12
_WINDOW = 20
LOGISTIC = network.LOGISTIC


@kernel
def minimise(
    u: NDArray[np.float64],
    X: network.Reals,
    y: network.Reals,
    l1: NDArray[np.float64],
    decay: NDArray[np.float64],
    ridge: NDArray[np.float64],
    loss: int,
    activation: int,
    careful: bool,
    hidden: int,
    v: NDArray[np.float64],
    max_iter: int,
    tolerance: float,
) -> tuple[float, bool]:
    """Improve ``u`` in place; return the penalised value and whether the end was reached.

    Ends when twenty iterations have lowered the value by less than ``tolerance`` of it. ``v`` is
    set to the output weights that belong to ``u``.
    """
    k, n = X.shape
    size = u.size
    S = np.empty((ridge.size, n), dtype=X.dtype)
    A = np.empty((hidden, k), dtype=X.dtype)
    f = np.empty(n, dtype=X.dtype)
    steps, changes = np.empty((_PAIRS, size)), np.empty((_PAIRS, size))
    count, newest = 0, -1
    g, tried_g, slope = np.empty(size), np.empty(size), np.empty(size)
    movable = np.ones(size, dtype=np.bool_)
    value = _evaluate(u, X, y, decay, ridge, loss, activation, careful, S, A, f, v, g)
    value += np.dot(l1, np.abs(u))
    ended = False
    past = np.full(_WINDOW, np.inf)
    for iteration in range(max_iter):
        largest, free = one_sided_slopes(u, g, l1, movable, slope)
        ended = largest == 0.0 or past[iteration % _WINDOW] - value < tolerance * abs(value)
        if ended:
            break
        past[iteration % _WINDOW] = value
        direction = free_direction(steps, changes, newest, count, slope, free)
        length = 1.0
        if count == 0:
            length = min(1.0, 0.3 / np.sqrt(np.dot(direction, direction)))
        found = False
        for _ in range(12):
            tried, penalty, foretold = projected_step(u, slope, l1, free, direction, length)
            new = penalty
            new += _evaluate(
                tried, X, y, decay, ridge, loss, activation, careful, S, A, f, v, tried_g
            )
            if new <= value + 1e-4 * min(foretold, 0.0):
                found = True
                break
            length *= 0.4
        if not found:
            ended = count == 0
            if ended:
                break
            count = 0
            continue
        newest = (newest + 1) % _PAIRS
        count = min(count + 1, _PAIRS)
        steps[newest] = tried - u
        changes[newest] = tried_g - g
        u[:] = tried
        g[:] = tried_g
        value = new
    if loss != LOGISTIC:
        _evaluate(u, X, y, decay, ridge, loss, activation, careful, S, A, f, v, g)
    return value, ended
