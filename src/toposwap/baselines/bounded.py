r"""Bounded quasi-Newton minimisation of a smooth function with an l1 term.

.. math:: \min_x f(x) + \sum_k \lambda_k |x_k|
          = \min_{x^+, x^- \ge 0} f(x^+ - x^-) + \sum_k \lambda_k (x^+_k + x^-_k).

On the right is the form of NOTEARS, smooth with bounds, in twice as many variables. Of
:math:`x^+_k` and :math:`x^-_k` one is at its bound in every solution, and the other stays on its
side of zero; :func:`minimize_l1` keeps to that and works with x alone: variables at zero whose
gradient does not leave :math:`[-\lambda_k, \lambda_k]` are at both bounds and do not move, and no
step crosses zero. Few variables are free then, so that a step costs little more than f.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.kernels.linalg.projected_step import (
    free_direction,
    one_sided_slopes,
    projected_step,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    #: f and its gradient (N,); an infinite f marks points outside its domain.
    Smooth = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]

_MEMORY = 10
#: The defaults of L-BFGS-B as SciPy has them, under which the baselines were published.
MAX_STEPS = 15_000
VALUE_TOLERANCE = 1e7 * float(np.finfo(float).eps)
GRADIENT_TOLERANCE = 1e-5
_ARMIJO = 1e-4
_HALVINGS = 40


class Minimum(NamedTuple):
    """Where the minimisation ended: the point, the value and the number of steps."""

    x: NDArray[np.float64]
    value: float
    steps: int


def minimize_l1(
    smooth: Smooth,
    start: NDArray[np.float64],
    l1: NDArray[np.float64],
    movable: NDArray[np.bool_],
    *,
    max_steps: int = MAX_STEPS,
) -> Minimum:
    """Minimise from ``start`` (N,) with l1 weights (N,); only ``movable`` (N,) variables move."""
    x = start.copy()
    f, gradient = smooth(x)
    total = f + float(l1 @ np.abs(x))
    steps = np.empty((_MEMORY, x.size))
    changes = np.empty((_MEMORY, x.size))
    newest, count = -1, 0
    slope, softness = np.empty_like(x), np.ones_like(x)
    for step in range(max_steps):
        largest, free = one_sided_slopes(x, gradient, l1, movable, slope)
        if largest <= GRADIENT_TOLERANCE:
            return Minimum(x, total, step)
        direction = free_direction(steps, changes, newest, count, slope, free, softness)
        if count == 0:
            direction /= max(1.0, float(np.sqrt(direction @ direction)))
        new, new_gradient, new_total = x, gradient, np.inf
        length = 1.0
        for _ in range(_HALVINGS):
            new, penalty, expected = projected_step(x, slope, l1, free, direction, length)
            new_f, new_gradient = smooth(new)
            new_total = new_f + penalty
            # NaN and infinity fail the comparison and shorten the step.
            if expected < 0.0 and new_total <= total + _ARMIJO * expected:
                break
            length *= 0.5
        else:
            if count == 0:
                return Minimum(x, total, step)
            # Forget the curvature and go along the gradient.
            count = 0
            continue
        newest, count = (newest + 1) % _MEMORY, min(count + 1, _MEMORY)
        np.subtract(new, x, out=steps[newest])
        np.subtract(new_gradient, gradient, out=changes[newest])
        gain, size = total - new_total, max(abs(total), abs(new_total), 1.0)
        x, gradient, total = new, new_gradient, new_total
        if gain <= VALUE_TOLERANCE * size:
            return Minimum(x, total, step + 1)
    return Minimum(x, total, max_steps)


def minimize_split(
    smooth: Smooth,
    start: NDArray[np.float64],
    l1: NDArray[np.float64],
    movable: NDArray[np.bool_],
    *,
    max_steps: int = MAX_STEPS,
) -> Minimum:
    """The same in the form on the right, x = x+ - x-, by SciPy's L-BFGS-B, as it was published.

    Variables without an l1 term are not split.
    """
    from scipy.optimize import Bounds, minimize

    split = l1 > 0.0
    n = start.size
    ceiling = np.where(movable, np.inf, 0.0)
    floor = np.where(split | ~movable, 0.0, -np.inf)
    worst = 1.0

    def joined(z: NDArray[np.float64]) -> NDArray[np.float64]:
        x = z[:n].copy()
        x[split] -= z[n:]
        return x

    def objective(z: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        nonlocal worst
        f, gradient = smooth(joined(z))
        value = f + float(l1 @ z[:n]) + float(l1[split] @ z[n:])
        if not np.isfinite(value):
            # Outside the domain: high and flat, which makes the line search step back.
            return 2.0 * worst + 1.0, np.zeros_like(z)
        worst = max(abs(value), 1.0)
        return value, np.concatenate((gradient + l1, l1[split] - gradient[split]))

    z0 = np.concatenate((np.where(split, np.maximum(start, 0.0), start), -start[split].clip(max=0)))
    bounds = Bounds(
        np.concatenate((floor, np.zeros(int(split.sum())))),
        np.concatenate((ceiling, ceiling[split])),
    )
    found = minimize(
        objective, z0, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": max_steps}
    )
    return Minimum(joined(found.x), float(found.fun), int(found.nit))


#: Ways to solve the bounded problem, by name.
SOLVERS = {"orthant": minimize_l1, "l-bfgs-b": minimize_split}
