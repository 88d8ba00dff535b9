r"""Which inputs of a network are parents.

The penalties that keep a search stable also shrink: a parent of moderate effect may not pay for its
weights and be left out, and what a fit with penalties leaves over says little about what an input
is worth. So the question is asked with a part of the penalties, and of all that precedes a node.

The network found is fitted again with these, and so are networks with some of its units drawn anew.
The inputs whose norms :math:`W_{ij}`, averaged over the fits, are smallest are dropped, the
networks are fitted again without them, and so on down to a single input. Of the sets on this way
the one is kept that minimises

.. math:: -2 \log \text{likelihood} + \max(2 \log \log n, 3.84) \cdot p
          + 4 \log k \cdot \#\text{inputs}, \qquad k = \#\text{candidates} :

Hannan and Quinn's penalty for each of p parameters, with few rows that of a test at 5 percent, and
twice the extended BIC's penalty for choosing an input among k. The likelihood is that after one
Gauss-Newton step without any penalty along the parameters in use, which undoes most of the
shrinkage, and p is the rank of that step.

The networks of the graph that is kept are then fitted with penalties by the number of their inputs
(:func:`refitted`).
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toposwap.losses import LeastSquaresLoss
from toposwap.scores.mlp.loss import NodeLoss
from toposwap.scores.mlp.solver import ROUGH, NodeSolver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.mlp.problem import Problem
    from toposwap.scores.mlp.score import MLP
    from toposwap.scores.mlp.starts import Network

#: Up to so many inputs are few: they are dropped one by one, more of them a quarter at a time.
_FEW = 20
#: The parts of l1 and of l2 with which parents are chosen among few candidates, and among many,
#: where there is more to mistake for a parent. The ridge chooses nothing and only shrinks.
_RELAXED = ((0.3, 0.09), (0.5, 0.5))
#: The parts for the fit of what is kept, by the number of inputs up to which they hold. One to
#: three inputs cannot follow the noise far: shrinkage is then most of the error on new rows.
_REFITTED = ((3, 0.1, 0.03), (6, 0.3, 0.09), (np.inf, 0.5, 0.5))
_FITS = 3
#: Norms below this part of the node's largest go together.
_NEGLIGIBLE = 0.1
#: Iterations of the first fits and of those after a drop. Fits that are alike in how far they went
#: compare better than some at the end and some on the way; more of both changes little.
_FIRST, _LATER = 60, 25
#: Directions of the step with less than this part of the square of a parameter's are no parameters.
_NO_DIRECTION = 1e-3
#: The 5 percent point of chi-square with one degree of freedom: 2 log log n below 920 rows is less.
_LEAST_PENALTY = 3.84
#: Networks with more weights than this part of the rows are passed over.
_MOST = 0.5

RULE = (
    f"an information criterion on fits with {_RELAXED[0][0]:g} of the l1 penalty "
    f"({_RELAXED[1][0]:g} above {_FEW} candidates), which may turn edges"
)


def relaxed(score: MLP, candidates: int) -> MLP:
    """``score`` with the part of its penalties that is right for so many candidates."""
    return _softened(score, *_RELAXED[candidates > _FEW])


def _softened(score: MLP, of_l1: float, of_l2: float) -> MLP:
    softer = copy.copy(score)
    softer.l1, softer.l2 = of_l1 * score.l1, of_l2 * score.l2
    return softer


def refitted(solver: NodeSolver, node: int, fit: NodeFit) -> NodeFit:
    """``fit`` with the penalties that predict best for so many inputs, none of which it loses.

    Parameters
    ----------
    solver
        With the penalties of the score itself.
    fit
        The network of the kept inputs, found with other penalties.
    """
    network = fit.parameters
    count = network.inputs.size
    if count == 0:
        return fit
    parts = next((of_l1, of_l2) for most, of_l1, of_l2 in _REFITTED if count <= most)
    other = solver.with_score(_softened(solver.score, *parts)).settled(node, network)
    return other if edge_norms(other).all() else fit


def kept_parents(
    solver: NodeSolver, node: int, solution: NodeFit, before: NDArray[np.intp]
) -> NodeFit | None:
    """The fit of ``node`` to those of the variables ``before`` it that are worth their penalty.

    None if time was up before they were found.

    Parameters
    ----------
    solver
        With the relaxed penalties.
    solution
        The network found, its value by that score.
    """

    def fitted(start: Network, iterations: int) -> NodeFit:
        return solver.improved(node, start.inputs, start, iterations, ROUGH)

    required = solver.required_inputs(node)
    best = None
    if required.size == 0:
        best = solver.cold_fits(node, before[:0], range(1))[0]
        if before.size == 0:
            return best
    lowest = np.inf if best is None else criterion(solver, node, best, before.size)
    found = solver.warm_fit(node, before, solution, _FIRST, ROUGH)
    starts = (solver.starts.redrawn(node, found.parameters, number) for number in range(1, _FITS))
    fits = [found, *(fitted(start, _FIRST) for start in starts)]
    inputs = before
    while True:
        fit = min(fits, key=lambda fit: fit.value)
        value = criterion(solver, node, fit, before.size)
        if best is None or value < lowest:
            best, lowest = fit, value
        norms = np.mean([edge_norms(fit) for fit in fits], axis=0)
        least = 1 if inputs.size <= _FEW else -(-inputs.size // 4)
        count = max(least, int((norms < _NEGLIGIBLE * norms.max()).sum()))
        dropped = np.setdiff1d(inputs[np.argsort(norms, kind="stable")[:count]], required)
        if dropped.size == 0 and inputs.size > required.size:
            # The weakest are required: the weakest of the others goes.
            others = ~np.isin(inputs, required)
            dropped = inputs[others][[np.argmin(norms[others])]]
        inputs = np.setdiff1d(inputs, dropped)
        if inputs.size == 0 or dropped.size == 0:
            return solver.settled(node, best.parameters)
        if solver.pace.deadline.passed:
            return None
        fits = [fitted(solver.starts.carried(fit.parameters, inputs), _LATER) for fit in fits]


def edge_norms(fit: NodeFit) -> NDArray[np.float64]:
    """W_ij for the inputs of a node, (k,)."""
    network = fit.parameters
    return np.asarray(np.abs(network.first[:, : network.inputs.size]).sum(axis=0))


def criterion(solver: NodeSolver, node: int, fit: NodeFit, candidates: int) -> float:
    """The formula above; infinity for networks with too many parameters to tell."""
    network, n = fit.parameters, solver.table.data.n
    used = network.output[: solver.score.hidden] != 0.0
    problem = solver.problem(node, network.inputs).with_units(int(used.sum()))
    first = network.first[used]
    active = (first != 0.0) | (problem.l1 == 0.0)
    if np.count_nonzero(active) > _MOST * n:
        return float(np.inf)
    output = network.output[np.append(used, True) if problem.intercept else used]
    loss, gain, rank = _without_penalties(problem, first, output, active)
    if not problem.loss.by_rows:
        deviance = n * float(np.log(2.0 * max(loss - gain, np.finfo(float).tiny)))
    else:
        deviance = 2.0 * n * (loss - gain)
    if rank + 1 >= n:
        return float(np.inf)
    each = max(2.0 * float(np.log(np.log(max(n, 3)))), _LEAST_PENALTY)
    return float(deviance + each * rank + 4.0 * np.log(candidates) * network.inputs.size)


def _without_penalties(
    problem: Problem,
    A: NDArray[np.float64],
    v: NDArray[np.float64],
    active: NDArray[np.bool_],
) -> tuple[float, float, int]:
    """The loss at (A, v), by how much a Gauss-Newton step lowers it, and the rank of that step.

    The likelihood of squares is a function of their sum, so its step is theirs.
    """
    if not problem.loss.by_rows:
        problem = replace(problem, loss=NodeLoss(LeastSquaresLoss()))
    units, f = problem.forward(A, v)
    loss, r, w, _ = problem.loss.terms(problem.y, f)
    J = problem.jacobian(units, v, active)
    curvature = (J * w) @ J.T
    size = np.sqrt(np.maximum(np.diag(curvature), np.finfo(float).tiny))
    shares, directions = np.linalg.eigh(curvature / np.outer(size, size))
    kept = shares > _NO_DIRECTION
    slope = directions[:, kept].T @ (J @ r / size)
    return loss, 0.5 * float(slope @ (slope / shares[kept])), int(kept.sum())
