r"""A node with an L0 penalty, solved by adding and dropping single parents.

From the parents at hand: drop the one that is missed least while that pays, then add the one that
the gradient foretells the largest decrease for, until neither pays. Decreases are foretold to
second order, :math:`g_u^2 / 2 h_u` with :math:`h_u` the curvature given the other parents; whether
a change pays is decided by fitting it. A parent set that neither of these two changes improves is
what this finds, not necessarily the best one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses import ColumnLoss
    from toposwap.scores.penalized.gaussian_nodes import Solution

    Fit = Callable[[NDArray[np.bool_], Solution | None], Solution]
    Curvature = Callable[[Solution], NDArray[np.float64]]

#: A candidate with less than this share of its curvature left depends on the parents at hand.
_DEPENDENT = 1e-9


def select_parents(
    allowed: NDArray[np.bool_],
    start: NDArray[np.bool_],
    weight: float,
    fit: Fit,
    curvature: Curvature,
    *,
    node: int,
    loss: ColumnLoss,
    unit: float,
) -> tuple[Solution, NDArray[np.bool_]]:
    """The solution and which absent variables (d,) would pay if they were allowed.

    ``fit`` solves for given parents without the penalty, ``curvature`` is the second derivative
    (d, d) at a solution in the units of its gradient, and ``unit`` what a decrease is multiplied
    by to be in those of the loss.
    """
    parents = start & allowed
    solution = fit(parents, None)
    refused = np.zeros(allowed.size, dtype=bool)
    while True:
        H = curvature(solution)
        weakest = _weakest(H, solution, parents)
        if weakest is not None:
            fewer = parents.copy()
            fewer[weakest] = False
            other = fit(fewer, solution)
            if other.loss - solution.loss < weight:
                parents, solution = fewer, other
                refused[:] = False
                # What was dropped because it does not pay need not be tried at once.
                refused[weakest] = True
                continue
        gains = loss.decrease(unit * _decreases(H, solution, parents))
        gains[node] = 0.0
        violating = (gains > weight) & ~parents & ~refused
        candidates = np.flatnonzero(violating & allowed)
        if candidates.size == 0:
            return solution, violating & ~allowed
        best = candidates[gains[candidates].argmax()]
        more = parents.copy()
        more[best] = True
        other = fit(more, solution)
        if solution.loss - other.loss > weight:
            parents, solution = more, other
            refused[:] = False
        else:
            refused[best] = True


def _weakest(H: NDArray[np.float64], solution: Solution, parents: NDArray[np.bool_]) -> int | None:
    """The parent whose loss costs least, to second order."""
    index = np.flatnonzero(parents)
    if index.size == 0:
        return None
    inverse = np.linalg.pinv(H[np.ix_(index, index)], hermitian=True)
    scale = np.sqrt(np.maximum(np.diag(inverse), np.finfo(float).tiny))
    return int(index[(np.abs(solution.scaled[index]) / scale).argmin()])


def _decreases(
    H: NDArray[np.float64], solution: Solution, parents: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """g^2 / 2h for every variable (d,), zero for those that depend on the parents."""
    index = np.flatnonzero(parents)
    left = np.diag(H).copy()
    if index.size:
        inverse = np.linalg.pinv(H[np.ix_(index, index)], hermitian=True)
        left -= np.einsum("iu,ij,ju->u", H[index], inverse, H[index])
    free = left > _DEPENDENT * np.diag(H)
    return np.where(free, solution.gradient**2 / (2.0 * np.where(free, left, 1.0)), 0.0)
