r"""The KKT conditions of Lemma 1, as a matrix and a verdict.

.. math::
    K_{ij} = \begin{cases}
      \lVert \partial Q / \partial \theta_{ij} \rVert_1
         & \text{if there is no directed walk } j \to \dots \to i,\\
      |W_{ij}| & \text{otherwise,}
    \end{cases}

(the cases are :math:`[\nabla h(|W|)]_{ij} = 0` and :math:`> 0`). All of K is zero exactly when the
first two conditions of the lemma hold; the third asks the same of the parameters that belong to no
edge. Reachability is decided on the graph, so the only tolerance is on the sizes of the entries.

The conditions are checked at the point itself, whatever Q is. That a search always ends at such a
point is a theorem for a Q that is a sum over nodes. For any other Q the theorem asks that the
solutions be *connected*: every variable is reached by a directed path from each one before it. The
certificate tells which of the two it is, see :attr:`Certificate.condition`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.kernels.graphs.reachability import reachability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.base import Point


#: The kind of a point without continuous parameters, of which the conditions say nothing.
GRAPH = "permitted graph"
_LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """Whether a point satisfies the KKT conditions, and what that means.

    Attributes
    ----------
    satisfied
        ``max_residual <= tolerance``.
    kind
        What the point is when satisfied: "local minimum" (convex Q), "KKT point", or "permitted
        graph" where there are no continuous parameters, so that no conditions are left to check.
    max_residual
        Largest relative residual: an entry of the gradient over the size of the terms that cancel
        in it, or a forbidden weight times sd(cause) / sd(effect). It does not depend on units.
    tolerance
        The bound on ``max_residual``.
    worst
        The pair (i, j) of the largest residual.
    matrix
        K of the paper, (d, d), in the units of the data.
    relative
        The relative residual behind each entry of K, (d, d).
    condition
        What the paper's theorem about the search rests on: "separable" (Q is a sum over nodes,
        nothing else is needed), "connected" (it is not, and the condition on connected solutions
        holds here) or "not connected" (it does not: the conditions hold or fail as checked, but no
        theorem guarantees that a search gets here).
    unmet
        Pairs (i, j) that lack a directed path which is known to be there, or have one that is known
        not to; a point that has any is not ``satisfied``.
    """

    satisfied: bool
    kind: str
    max_residual: float
    tolerance: float
    worst: tuple[int, int]
    matrix: NDArray[np.float64] = field(repr=False)
    relative: NDArray[np.float64] = field(repr=False)
    condition: str = "separable"
    unmet: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        verdict = f"{self.kind}" if self.satisfied else f"not a {self.kind}"
        sign = "<=" if self.satisfied else ">"
        return (
            f"Certificate({verdict}: largest relative KKT residual "
            f"{self.max_residual:.1e} {sign} {self.tolerance:.1e})"
        )

    def __bool__(self) -> bool:
        return self.satisfied


def violations(
    point: Point, tolerance: float, admissible: Admissible = EVERYTHING
) -> NDArray[np.int64]:
    """Y(Theta, 0, 0): pairs (i, j), (m, 2), with no walk j -> i whose edge would lower Q.

    Only edges that are ``admissible`` are asked for; what must come before what counts as a walk.
    """
    if point.relative is not None:
        beyond = point.relative > tolerance
    else:
        beyond = point.gradient > np.outer(tolerance * point.row_scale, point.column_scale)
    return np.argwhere(~_closed(point.weights, admissible) & beyond)


def _closed(weights: NDArray[np.float64], admissible: Admissible) -> NDArray[np.bool_]:
    """Where no edge i -> j can be added, (d, d): it closes a cycle, or is ruled out."""
    edges = weights != 0.0
    if admissible.before is not None:
        edges = edges | admissible.before
    closed = reachability(edges).T
    return closed if admissible.parents is None else closed | ~admissible.parents


def is_connected(weights: NDArray[np.float64]) -> bool:
    """Whether of any two variables one is reached from the other by a directed path."""
    reached = reachability(weights != 0.0)
    return bool((reached | reached.T | np.eye(len(weights), dtype=bool)).all())


def certify(
    point: Point,
    *,
    convex: bool,
    tolerance: float,
    separable: bool = True,
    continuous: bool = True,
    admissible: Admissible = EVERYTHING,
) -> Certificate:
    """Check the conditions of Lemma 1 at ``point``.

    The multiplier of an edge that is ruled out is free: its weight must be zero and its gradient is
    not asked for.

    Parameters
    ----------
    point
        Q and its derivatives.
    convex, separable, continuous
        What is known about Q; without continuous parameters only the graph is checked.
    tolerance
        The largest relative residual that counts as zero.
    admissible
        The edges and orders that come into question.
    """
    walk_back = _closed(point.weights, admissible)
    matrix = np.where(walk_back, np.abs(point.weights), point.gradient)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        # Nothing over nothing is nothing: both were too small for a number.
        relative = np.divide(matrix, point.column_scale, out=matrix.copy(), where=matrix != 0.0)
        # K_ij / (row_i column_j) for a gradient, K_ij row_i / column_j for a weight.
        row = point.row_scale[:, None]
        np.divide(relative, row, out=relative, where=~walk_back)
        np.multiply(relative, row, out=relative, where=walk_back)
    if point.relative is not None:
        relative = np.where(walk_back, relative, point.relative)
    # What is not a number, or too large for one, is as far off as can be.
    for told in (matrix, relative):
        np.nan_to_num(told, copy=False, nan=_LARGEST, posinf=_LARGEST)
    i, j = np.unravel_index(relative.argmax(), relative.shape)
    rest = float(point.rest)
    residual = max(float(relative[i, j]), rest if rest <= _LARGEST else _LARGEST)
    unmet: tuple[tuple[int, int], ...] = ()
    if admissible.asks_for_paths:
        edges = admissible.with_required(point.weights) != 0.0
        unmet = admissible.unmet_paths(reachability(edges))
    return Certificate(
        satisfied=bool(residual <= tolerance) and not unmet,
        kind=GRAPH if not continuous else "local minimum" if convex else "KKT point",
        max_residual=residual,
        tolerance=tolerance,
        worst=(int(i), int(j)),
        matrix=matrix,
        relative=relative,
        condition=_condition(point.weights, separable=separable),
        unmet=unmet,
    )


def _condition(weights: NDArray[np.float64], *, separable: bool) -> str:
    if separable:
        return "separable"
    return "connected" if is_connected(weights) else "not connected"
