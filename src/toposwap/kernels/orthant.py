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

if TYPE_CHECKING:
    from numpy.typing import NDArray

_evaluate = network.evaluate
_PAIRS = 12
_WINDOW = 20
LOGISTIC = network.LOGISTIC


@kernel
def _pseudo_gradient(
    u: NDArray[np.float64],
    g: NDArray[np.float64],
    l1: NDArray[np.float64],
    out: NDArray[np.float64],
) -> float:
    """Return the largest entry of what is put into ``out``."""
    worst = 0.0
    for i in range(u.size):
        if u[i] > 0.0:
            t = g[i] + l1[i]
        elif u[i] < 0.0 or g[i] > l1[i]:
            t = g[i] - l1[i]
        elif g[i] < -l1[i]:
            t = g[i] + l1[i]
        else:
            t = 0.0
        out[i] = t
        worst = max(worst, abs(t))
    return worst


@kernel
def _two_loops(
    direction: NDArray[np.float64],
    steps: NDArray[np.float64],
    changes: NDArray[np.float64],
    rho: NDArray[np.float64],
    count: int,
    head: int,
) -> None:
    """Apply the inverse Hessian that the last ``count`` pairs tell of."""
    pairs, size = steps.shape
    alpha = np.empty(pairs)
    for back in range(count):
        j = (head - 1 - back) % pairs
        t = 0.0
        for i in range(size):
            t += steps[j, i] * direction[i]
        alpha[j] = t * rho[j]
        for i in range(size):
            direction[i] -= alpha[j] * changes[j, i]
    if count > 0:
        j = (head - 1) % pairs
        t = 0.0
        for i in range(size):
            t += changes[j, i] * changes[j, i]
        for i in range(size):
            direction[i] *= 1.0 / (rho[j] * t)
    for back in range(count - 1, -1, -1):
        j = (head - 1 - back) % pairs
        t = 0.0
        for i in range(size):
            t += changes[j, i] * direction[i]
        for i in range(size):
            direction[i] += (alpha[j] - t * rho[j]) * steps[j, i]


@kernel
def minimise(
    u: NDArray[np.float64],
    X: NDArray[np.float32],
    y: NDArray[np.float32],
    l1: NDArray[np.float64],
    decay: NDArray[np.float64],
    ridge: NDArray[np.float64],
    loss: int,
    activation: int,
    hidden: int,
    v: NDArray[np.float64],
    max_iter: int,
    tolerance: float,
) -> tuple[float, int]:
    """Improve ``u`` in place; return the penalised value and the number of evaluations.

    Ends when twenty iterations have lowered the value by less than ``tolerance`` of it. ``v`` is
    set to the output weights that belong to ``u``.
    """
    k, n = X.shape
    size = u.size
    S = np.empty((ridge.size, n), dtype=np.float32)
    A = np.empty((hidden, k), dtype=np.float32)
    f = np.empty(n, dtype=np.float32)
    steps, changes = np.empty((_PAIRS, size)), np.empty((_PAIRS, size))
    rho = np.empty(_PAIRS)
    count, head = 0, 0
    g, tried_g, pseudo = np.empty(size), np.empty(size), np.empty(size)
    tried, direction = np.empty(size), np.empty(size)
    value = _evaluate(u, X, y, decay, ridge, loss, activation, S, A, f, v, g)
    for i in range(size):
        value += l1[i] * abs(u[i])
    evaluations = 1
    past = np.full(_WINDOW, np.inf)
    for iteration in range(max_iter):
        if _pseudo_gradient(u, g, l1, pseudo) == 0.0:
            break
        if past[iteration % _WINDOW] - value < tolerance * abs(value):
            break
        past[iteration % _WINDOW] = value
        for i in range(size):
            direction[i] = -pseudo[i]
        _two_loops(direction, steps, changes, rho, count, head)
        slope = 0.0
        for i in range(size):
            if u[i] == 0.0 and l1[i] > 0.0 and direction[i] * pseudo[i] >= 0.0:
                direction[i] = 0.0
            slope += direction[i] * pseudo[i]
        if not slope < 0.0:
            count, slope = 0, 0.0
            for i in range(size):
                direction[i] = -pseudo[i]
                slope -= pseudo[i] * pseudo[i]
        step = 1.0 if count > 0 else min(1.0, 0.3 / np.sqrt(-slope))
        found = False
        new = value
        for _ in range(12):
            expected, new = 0.0, 0.0
            for i in range(size):
                t = u[i] + step * direction[i]
                if l1[i] > 0.0 and (t * u[i] < 0.0 or (u[i] == 0.0 and t * pseudo[i] > 0.0)):
                    t = 0.0
                tried[i] = t
                new += l1[i] * abs(t)
                expected += pseudo[i] * (t - u[i])
            new += _evaluate(tried, X, y, decay, ridge, loss, activation, S, A, f, v, tried_g)
            evaluations += 1
            if new <= value + 1e-4 * min(expected, 0.0):
                found = True
                break
            step *= 0.4
        if not found:
            if count == 0:
                break
            count = 0
            continue
        inner, norm = 0.0, 0.0
        for i in range(size):
            steps[head, i] = tried[i] - u[i]
            changes[head, i] = tried_g[i] - g[i]
            inner += steps[head, i] * changes[head, i]
            norm += changes[head, i] ** 2
            u[i] = tried[i]
            g[i] = tried_g[i]
        if inner > 1e-8 * norm:
            rho[head] = 1.0 / inner
            head = (head + 1) % _PAIRS
            count = min(count + 1, _PAIRS)
        value = new
    if loss != LOGISTIC:
        _evaluate(u, X, y, decay, ridge, loss, activation, S, A, f, v, g)
    return value, evaluations
