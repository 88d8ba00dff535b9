r"""The pruned graph revised: other parents, and edges turned.

Going down from all that precedes a node keeps the wrong one of two inputs that stand for each
other, and the penalties that bias weights bias the order. So the graph that pruning leaves is
improved as a whole, by moves that lower the sum over the nodes of the criterion of
:mod:`toposwap.pruning.network_parents` with :math:`k = d - 1`: drop an input, add one, exchange one
for another, and put a variable before one that it descends from and would be a parent of.

A move needs fits, so only those are tried whose score tests say that they may help
(:mod:`toposwap.scores.mlp.score_tests`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.graph import topological_order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.graphs.reachability import reachability
from toposwap.pruning.network_parents import criterion
from toposwap.scores.mlp.solver import ROUGH, NodeSolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.orderfit.nodes import NodeFit

#: How many columns are tried in each place.
_MOST_TRIED = 2
#: Iterations of a fit with an input more, or one less, from where the others are.
_ITERATIONS = 40
#: An input is exchanged for columns whose score test is this part of its own.
_ALIKE = 0.5
#: Networks with penalties tell what an input is worth but for this part of it. Of an edge that may
#: as well point the other way, as between Gaussian columns on a line, they prefer the end that they
#: approximate better.
_INEXACT = 0.02


class Revision:
    """A graph with the networks of its nodes.

    Parameters
    ----------
    solvers
        For each node, with the penalties that its parents are chosen with.
    fits
        For each node the network of its parents.
    admissible
        The edges and orders that come into question.
    """

    def __init__(
        self, solvers: list[NodeSolver], fits: list[NodeFit], admissible: Admissible = EVERYTHING
    ) -> None:
        self._solvers, data = solvers, solvers[0].table.data
        self._d = data.d
        self._admissible = admissible
        self.fits = [
            solver.trimmed(j, fit)
            for j, (solver, fit) in enumerate(zip(solvers, fits, strict=True))
        ]
        self._criteria = [self._criterion(j, fit) for j, fit in enumerate(self.fits)]
        self._memory: dict[tuple[int, bytes], tuple[NodeFit, float]] = {}
        #: What a turn must lower the sum by, beside what the criterion is inexact by.
        self._least_fall = np.log(data.n)

    def settle(self, deadline: Deadline = NEVER) -> None:
        """Move until nothing helps, and fit the networks that are new as far as the others."""
        given = list(self.fits)
        waiting = list(range(self._d))
        while waiting and not deadline.passed:
            while waiting and not deadline.passed:
                node = waiting.pop(0)
                if self._changed(node, deadline):
                    waiting.insert(0, node)
            waiting = self._turned(deadline)
        for j, fit in enumerate(self.fits):
            if fit is not given[j]:
                self.fits[j] = self._solvers[j].settled(j, fit.parameters)

    @property
    def edges(self) -> NDArray[np.bool_]:
        """``[i, j]`` (d, d): i is an input of the network of j."""
        edges = np.zeros((self._d, self._d), dtype=bool)
        for j, fit in enumerate(self.fits):
            edges[fit.parameters.inputs, j] = True
        return edges

    def _changed(self, node: int, deadline: Deadline) -> bool:
        """Take the best drop, addition or exchange for ``node``, if one helps."""
        allowed = ~self._leads()[node]
        if self._admissible.parents is not None:
            allowed &= self._admissible.parents[:, node]
        lowest, best = self._criteria[node], None
        for fit, value in self._alternatives(node, allowed):
            if value < lowest:
                lowest, best = value, fit
            if deadline.passed:
                break
        if best is None:
            return False
        self._set(node, best, lowest)
        return True

    def _alternatives(
        self, node: int, allowed: NDArray[np.bool_]
    ) -> Iterator[tuple[NodeFit, float]]:
        fit = self.fits[node]
        inputs = fit.parameters.inputs
        outside = np.setdiff1d(np.flatnonzero(allowed), np.append(inputs, node))
        for c in self._best(self._score_tests(node, fit), outside):
            yield self._fitted(node, np.append(inputs, c), fit)
        for i in np.setdiff1d(inputs, self._solvers[node].required_inputs(node)):
            without, value = self._fitted(node, inputs[inputs != i], fit)
            yield without, value
            score_tests = self._score_tests(node, without)
            for c in self._best(score_tests, outside, _ALIKE * score_tests[i]):
                yield self._fitted(node, np.append(inputs[inputs != i], c), without)

    def _turned(self, deadline: Deadline) -> list[int]:
        """Put a descendant before its ancestor, if it helps; the nodes that have lost or gained."""
        edges, leads = self.edges, self._leads()
        for node, fit in enumerate(self.fits):
            later = np.flatnonzero(leads[node])
            later = later[later != node]
            later = later[[self._admissible.permits(int(c), node) for c in later]]
            for c in self._best(self._score_tests(node, fit), later):
                if deadline.passed:
                    return []
                gained = self._fitted(node, np.append(fit.parameters.inputs, c), fit)
                gain = self._criteria[node] - gained[1]
                least = self._least_fall + _INEXACT * gain
                if gain < least:
                    continue
                # Either the node goes behind c, and what leads from it to c does without it, or c
                # goes before the node, without the parents that the node leads to.
                between = np.flatnonzero(edges[node] & leads[:, c])
                behind = {int(w): self._without(int(w), [node]) for w in between}
                lost = np.flatnonzero(edges[:, c] & leads[node])
                before = {int(c): self._without(int(c), lost)}
                for changes in (behind, before):
                    changes[node] = gained
                    if not self._obey(changes):
                        continue
                    fall = sum(self._criteria[w] - value for w, (_, value) in changes.items())
                    if fall > least:
                        for w, (other, value) in changes.items():
                            self._set(w, other, value)
                        return list(changes)
        return []

    def _leads(self) -> NDArray[np.bool_]:
        """Who leads to whom, (d, d), what must come before what included."""
        before = self._admissible.before
        return reachability(self.edges if before is None else self.edges | before)

    def _obey(self, changes: dict[int, tuple[NodeFit, float]]) -> bool:
        """Whether the graph with ``changes`` leaves an order that is permitted."""
        before = self._admissible.before
        if before is None:
            return True
        edges = self.edges
        for w, (fit, _) in changes.items():
            edges[:, w] = False
            edges[fit.parameters.inputs, w] = True
        return topological_order(edges | before) is not None

    def _without(self, node: int, lost: NDArray[np.intp] | list[int]) -> tuple[NodeFit, float]:
        inputs = self.fits[node].parameters.inputs
        return self._fitted(node, inputs[~np.isin(inputs, lost)], self.fits[node])

    def _fitted(self, node: int, inputs: NDArray[np.intp], warm: NodeFit) -> tuple[NodeFit, float]:
        """A fit to ``inputs``, and its criterion."""
        inputs = np.sort(inputs)
        key = node, inputs.tobytes()
        if key not in self._memory:
            solver = self._solvers[node]
            if inputs.size:
                fit = solver.trimmed(node, solver.warm_fit(node, inputs, warm, _ITERATIONS, ROUGH))
            else:
                fit = solver.cold_fits(node, inputs, range(1))[0]
            self._memory[key] = fit, self._criterion(node, fit)
        return self._memory[key]

    def _criterion(self, node: int, fit: NodeFit) -> float:
        return criterion(self._solvers[node], node, fit, max(self._d - 1, 1))

    def _set(self, node: int, fit: NodeFit, value: float) -> None:
        self.fits[node], self._criteria[node] = fit, value

    def _score_tests(self, node: int, fit: NodeFit) -> NDArray[np.float64]:
        return self._solvers[node].residuals.score_tests(node, fit.parameters)

    @staticmethod
    def _best(
        score_tests: NDArray[np.float64], columns: NDArray[np.intp], least: float = 0.0
    ) -> NDArray[np.intp]:
        """Those of ``columns`` whose tests are largest, if above chance and ``least``."""
        ranked = columns[np.argsort(-score_tests[columns], kind="stable")][:_MOST_TRIED]
        return ranked[score_tests[ranked] > max(least, 0.0)]
