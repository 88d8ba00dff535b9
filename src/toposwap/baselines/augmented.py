r"""The augmented Lagrangian of NOTEARS.

.. math:: \min_x f(x) + \lVert\lambda \circ x\rVert_1 + \tfrac\rho2 h(x)^2 + \alpha h(x),

for growing :math:`\rho` and :math:`\alpha \leftarrow \alpha + \rho h`, until :math:`h` is below a
tolerance: Zheng, Aragam, Ravikumar, Xing (2018), DAGs with NO TEARS, Algorithm 1, with the factors
of its published program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.baselines.bounded import SOLVERS
from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline, TimeUp

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    #: f, its gradient (N,), h and its gradient (N,), the latter fresh in every call.
    Problem = Callable[
        [NDArray[np.float64]], tuple[float, NDArray[np.float64], float, NDArray[np.float64]]
    ]

#: h must fall to this share of what it was, or the penalty grows by the factor.
_ENOUGH, _FACTOR = 0.25, 10.0


@dataclass(frozen=True)
class Feasible:
    """A solution: ``x`` (N,), its h, the rounds and quasi-Newton steps it took."""

    x: NDArray[np.float64]
    h: float
    rounds: int
    steps: int


def augmented_lagrangian(
    problem: Problem,
    start: NDArray[np.float64],
    l1: NDArray[np.float64],
    movable: NDArray[np.bool_],
    *,
    max_iter: int,
    h_tol: float,
    rho_max: float,
    solver: str = "orthant",
    deadline: Deadline = NEVER,
) -> Feasible:
    """Minimise f + ||l1 x||_1 subject to h = 0 from ``start``; after ``deadline`` as it is then."""
    if solver not in SOLVERS:
        raise InputError(f"solver: {solver!r} is not one of {', '.join(map(repr, SOLVERS))}")
    minimize = SOLVERS[solver]
    x, h = start, np.inf
    rho, alpha = 1.0, 0.0
    rounds = steps = 0

    def lagrangian(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        deadline.check()
        f, gradient, h, h_gradient = problem(x)
        if not h < np.inf:
            # Outside the domain of h.
            return np.inf, gradient
        h_gradient *= rho * h + alpha
        h_gradient += gradient
        return f + (0.5 * rho * h + alpha) * h, h_gradient

    while rounds < max_iter:
        rounds += 1
        new, new_h = x, h
        while rho < rho_max:
            # Steps that overflow are refused, and need no warning.
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    found = minimize(lagrangian, x, l1, movable)
            except TimeUp:
                return Feasible(x, h, rounds, steps)
            steps += found.steps
            new, new_h = found.x, problem(found.x)[2]
            if new_h <= _ENOUGH * h:
                break
            rho *= _FACTOR
        x, h = new, new_h
        alpha += rho * h
        if h <= h_tol or rho >= rho_max:
            break
    return Feasible(x, h, rounds, steps)
