r"""L-BFGS with orthant projection: :math:`\min_u F(u) + \sum_i \lambda_i |u_i|`.

The pseudo-gradient (the element of the subdifferential nearest to zero) takes the place of the
gradient; a step that would change the sign of a coordinate stops at zero. Coordinates at zero that
the penalty holds there take no part, so a sparse solution is found exactly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.jit import kernel, reordered_kernel
from toposwap.kernels.linalg.dot import dot
from toposwap.kernels.linalg.projected_step import free_direction, one_sided_slopes, projected_step
from toposwap.kernels.mlp import network

if TYPE_CHECKING:
    from numpy.typing import NDArray

_evaluate = network.evaluate
_PAIRS = 12
_WINDOW = 20
#: About the slope of a unit where it has one.
_SLOPE = 0.2
#: Biases have no penalty to hold them.
_LEAST_STIFFNESS = 1e-3
#: Units that lose their inputs do so early; those left are cheaper. Until the first count all
#: weights are taken to be alike, because output weights say nothing yet.
_COUNTED_AFTER = (12, 40)


@kernel
def descend(
    first: NDArray[np.float64],
    output: NDArray[np.float64],
    X: network.Reals,
    y: network.Reals,
    l1: NDArray[np.float64],
    decay: NDArray[np.float64],
    output_ridge: float,
    bias: bool,
    stays_constant: bool,
    loss: network.Formula,
    activation: int,
    careful: bool,
    max_iter: int,
    tolerance: float,
) -> tuple[float, int]:
    """Improve a network by :func:`minimise`, in place; return its penalised value and iterations.

    The network is ``first`` (h, k) and ``output`` (h,), with a column of biases and an intercept at
    the end of them if ``bias``. ``l1`` and ``decay`` (k,) are the weights of |A_ai| and A_ai^2 / 2,
    zero for biases, and ``output_ridge`` that of v_a^2 / 2. If a unit without inputs
    ``stays_constant``, such units are left out: at the start, and twice on the way.
    """
    h, k = first.shape
    inputs = k - 1 if bias else k
    value, done, iterations = 0.0, 0, 0
    for stage in range(len(_COUNTED_AFTER) + 1):
        alive = living_units(first, inputs, stays_constant)
        hidden = alive.size
        rows = hidden + 1 if bias else hidden
        u = np.empty(hidden * k + (rows if loss.by_rows else 0))
        each = np.empty(u.size)
        for i in range(u.size):
            each[i] = 0.0
        for a in range(hidden):
            for i in range(k):
                u[a * k + i] = first[alive[a], i]
                each[a * k + i] = l1[i]
        if loss.by_rows:
            for a in range(hidden):
                u[hidden * k + a] = output[alive[a]]
            if bias:
                u[-1] = output[-1]
        ridge, v = np.empty(rows), np.empty(rows)
        for a in range(rows):
            ridge[a] = output_ridge if a < hidden else 0.0
            v[a] = 0.0
        most = max_iter
        if stage < len(_COUNTED_AFTER):
            most = min(_COUNTED_AFTER[stage], max_iter)
        value, ended, taken = minimise(
            u,
            X,
            y,
            each,
            decay,
            ridge,
            loss,
            activation,
            careful,
            hidden,
            v,
            stage > 0,
            most - done,
            tolerance,
        )
        for a in range(h):
            output[a] = 0.0
        for a in range(hidden):
            for i in range(k):
                first[alive[a], i] = u[a * k + i]
            output[alive[a]] = v[a]
        if bias:
            output[-1] = v[-1]
        done = most
        iterations += taken
        if ended or done == max_iter:
            break
    return value, iterations


@kernel
def living_units(
    first: NDArray[np.float64], inputs: int, stays_constant: bool
) -> NDArray[np.int64]:
    """Units with inputs, or all if one without ``stays_constant`` is False; at least one."""
    alive = np.empty(first.shape[0], dtype=np.int64)
    count = 0
    for a in range(first.shape[0]):
        living = not stays_constant
        for i in range(inputs):
            living = living or first[a, i] != 0.0
        if living:
            alive[count] = a
            count += 1
    if count == 0:
        alive[0] = 0
        count = 1
    return alive[:count]


@reordered_kernel(inner=True)
def mean_squares(X: network.Reals) -> NDArray[np.float64]:
    """1/n sum_t X_it^2 of each row i of X (k, n), (k,)."""
    k, n = X.shape
    means = np.empty(k)
    for i in range(k):
        row, total = X[i], 0.0
        for r in range(n):
            total += row[r] * row[r]
        means[i] = total / n
    return means


@kernel(inner=True)
def minimise(
    u: NDArray[np.float64],
    X: network.Reals,
    y: network.Reals,
    l1: NDArray[np.float64],
    decay: NDArray[np.float64],
    ridge: NDArray[np.float64],
    loss: network.Formula,
    activation: int,
    careful: bool,
    hidden: int,
    v: NDArray[np.float64],
    scaled: bool,
    max_iter: int,
    tolerance: float,
) -> tuple[float, bool, int]:
    """Improve ``u`` in place; return the penalised value, whether it is the end, and iterations.

    Ends when twenty iterations have lowered the value by less than ``tolerance`` of it. ``v`` is
    set to the output weights that belong to ``u``. If ``scaled``, weights of large inputs, and of
    units whose output weights are large, are moved less.
    """
    k, n = X.shape
    size = u.size
    S = np.empty((ridge.size, n), dtype=X.dtype)
    A = np.empty((hidden, k), dtype=X.dtype)
    f = np.empty(n, dtype=X.dtype)
    steps, changes = np.empty((_PAIRS, size)), np.empty((_PAIRS, size))
    count, newest = 0, -1
    g, tried_g, slope = np.empty(size), np.empty(size), np.empty(size)
    movable, softness = np.empty(size, dtype=np.bool_), np.empty(size)
    power = mean_squares(X)
    value = _evaluate(u, X, y, decay, ridge, loss, activation, careful, S, A, f, v, g)
    for i in range(size):
        movable[i] = True
        softness[i] = 1.0
        value += l1[i] * abs(u[i])
    ended, taken = False, 0
    past = np.empty(_WINDOW)
    for i in range(_WINDOW):
        past[i] = np.inf
    for iteration in range(max_iter):
        largest, free = one_sided_slopes(u, g, l1, movable, slope)
        ended = largest == 0.0 or past[iteration % _WINDOW] - value < tolerance * abs(value)
        if ended:
            break
        past[iteration % _WINDOW] = value
        taken = iteration + 1
        if scaled:
            for a in range(hidden):
                for i in range(k):
                    stiffness = _SLOPE * abs(v[a]) * power[i] + max(decay[i], _LEAST_STIFFNESS)
                    softness[a * k + i] = 1.0 / stiffness
        direction = free_direction(steps, changes, newest, count, slope, free, softness)
        length = 1.0
        if count == 0:
            length = min(1.0, 0.3 / math.sqrt(dot(direction, direction)))
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
        for i in range(size):
            steps[newest, i] = tried[i] - u[i]
            changes[newest, i] = tried_g[i] - g[i]
            u[i] = tried[i]
            g[i] = tried_g[i]
        value = new
    if not loss.by_rows:
        _evaluate(u, X, y, decay, ridge, loss, activation, careful, S, A, f, v, g)
    return value, ended, taken
