r"""A node with an L0 penalty, solved by adding and dropping single parents.

From the parents at hand: drop the one that is missed least while that pays, then add the one that
the gradient foretells the largest decrease for, until neither pays. Decreases are foretold to
second order, :math:`g_u^2 / 2 h_u` with :math:`h_u` the curvature given the other parents; whether
a change pays is decided by fitting it. A parent set that neither of these two changes improves is
what this finds, not necessarily the best one. A set that was left is never gone back to: Q falls
from each to the next, and where a fit is given up before its end the same set has several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.deadline import NEVER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.losses import ColumnLoss
    from toposwap.scores.penalized.gaussian_nodes import Solution

    Fit = Callable[[NDArray[np.bool_], Solution | None], Solution]
    Curvature = Callable[
        [Solution, NDArray[np.int64]], tuple[NDArray[np.float64], NDArray[np.float64]]
    ]

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
    required: NDArray[np.bool_] | None = None,
    deadline: Deadline = NEVER,
) -> tuple[Solution, NDArray[np.bool_]]:
    """The solution and which absent variables (d,) would pay if they were allowed.

    ``fit`` solves for given parents without the penalty, ``curvature`` tells the rows (k, d) of k
    variables and the diagonal (d,) of the second derivative at a solution in the units of its
    gradient, and ``unit`` what a decrease is multiplied by to be in those of the loss. Those that
    are ``required`` (d,) are parents in any case. After ``deadline`` the parents stay as they are.
    """
    parents = start & allowed
    if required is not None:
        parents |= required
    solution = fit(parents, None)
    refused = np.zeros(allowed.size, dtype=bool)
    left = {parents.tobytes()}
    while True:
        index = np.flatnonzero(parents)
        rows, diagonal = curvature(solution, index)
        inverse = _inverse(rows[:, index])
        weakest = None if deadline.passed else _weakest(inverse, solution, index, required)
        if weakest is not None:
            fewer = parents.copy()
            fewer[weakest] = False
            other = None if fewer.tobytes() in left else fit(fewer, solution)
            if other is not None and other.loss - solution.loss < weight:
                parents, solution = fewer, other
                left.add(parents.tobytes())
                refused[:] = False
                # What was dropped because it does not pay need not be tried at once.
                refused[weakest] = True
                continue
        gains = loss.decrease(unit * _decreases(rows, diagonal, inverse, solution))
        gains[node] = 0.0
        violating = (gains > weight) & ~parents & ~refused
        candidates = np.flatnonzero(violating & allowed)
        if candidates.size == 0 or deadline.passed:
            return solution, violating & ~allowed
        best = candidates[gains[candidates].argmax()]
        more = parents.copy()
        more[best] = True
        other = None if more.tobytes() in left else fit(more, solution)
        if other is not None and solution.loss - other.loss > weight:
            parents, solution = more, other
            left.add(parents.tobytes())
            refused[:] = False
        else:
            refused[best] = True


def _inverse(block: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of the curvature (k, k) of parents, a pseudo-inverse where they are dependent."""
    try:
        root = np.linalg.cholesky(block)
        if (np.diag(root) ** 2 > _DEPENDENT * np.diag(block)).all():
            inverse = np.linalg.inv(root)
            return np.asarray(inverse.T @ inverse)
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.pinv(block, hermitian=True), dtype=np.float64)


def _weakest(
    inverse: NDArray[np.float64],
    solution: Solution,
    index: NDArray[np.int64],
    required: NDArray[np.bool_] | None = None,
) -> int | None:
    """The parent whose loss costs least, to second order, among those that are not required."""
    scale = np.sqrt(np.maximum(np.diag(inverse), np.finfo(float).tiny))
    missed = np.abs(solution.scaled[index]) / scale
    if required is not None:
        missed[required[index]] = np.inf
    if not np.isfinite(missed).any():
        return None
    return int(index[missed.argmin()])


def _decreases(
    rows: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    inverse: NDArray[np.float64],
    solution: Solution,
) -> NDArray[np.float64]:
    """g^2 / 2h for every variable (d,), zero for those that depend on the parents."""
    left = diagonal - np.einsum("iu,iu->u", rows, inverse @ rows)
    free = left > np.maximum(_DEPENDENT * diagonal, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        return np.where(free, solution.gradient**2 / (2.0 * np.where(free, left, 1.0)), 0.0)
