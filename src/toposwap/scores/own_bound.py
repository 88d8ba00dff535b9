"""Somebody's Q as the searches see it: solved as a whole, or node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.errors import InputError
from toposwap.scores.base import Point
from toposwap.scores.joint import JointScore
from toposwap.scores.own_problem import Problem
from toposwap.scores.separable import NodeFit, SeparableScore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.dataset import Dataset
    from toposwap.scores.base import OrderFit
    from toposwap.scores.differentiable import Differentiable
    from toposwap.scores.layout import Parameters


class _Own:
    """What both share."""

    def __init__(self, score: Differentiable, data: Dataset) -> None:
        self.score: Differentiable = score
        self.data = data
        self.tolerance = score.tolerance
        self.problem = Problem(score, data)

    def evaluate(self, parameters: Parameters) -> Point:
        """Q and its derivatives; a weight matrix alone gets the best of the other parameters."""
        return self.problem.point(parameters)

    def predict(self, parameters: Parameters, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The user's own function."""
        if self.score.predict is None:
            raise InputError(
                f"score {self.score.name!r} does not know how to predict: give "
                "Differentiable(..., predict=function(parameters, X))"
            )
        return np.asarray(self.score.predict(parameters, X), dtype=np.float64)


class OwnJoint(_Own, JointScore):
    """Q does not separate: each order is one optimisation."""

    def solve(self, allowed: NDArray[np.bool_], warm: Any | None) -> tuple[Any, float]:
        """All parameters at once."""
        problem = self.problem
        layout = problem.layout
        free = layout.free(allowed)
        begin = problem.start
        if warm is not None:
            packed = layout.pack(warm)
            # A node that had no parents may sit where its gradient vanishes: begin there afresh.
            idle = ~layout.per_edge(np.where(free, np.abs(packed), 0.0)).any(axis=0)
            begin = np.where(layout.is_edge & idle[layout.effect], begin, packed)
        vector, value = problem.solve(problem.parts[0], free, begin)
        return layout.unpack(vector), value


class OwnNodes(_Own, SeparableScore):
    """Q is a sum over nodes."""

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Solve ``node`` and say which changes of ``allowed`` would change the solution."""
        problem = self.problem
        part = problem.parts[node]
        free = ~part.is_edge | (allowed[part.cause] & ~part.loops)
        begin = None if warm is None else warm.parameters
        if begin is not None and not begin[free & part.is_edge].any():
            # It may sit where its gradient vanishes: begin afresh.
            begin = None
        vector, value = problem.solve(part, free, begin)
        uses = self._causes(part.cause, vector != 0.0)
        wants = ~allowed
        if uses.any() or not problem.start[part.places][part.is_edge].any():
            _, gradient = problem.call(part, vector)
            at = part.places
            excess = np.abs(gradient) - problem.kink[at]
            steep = excess * problem.weight[at] > self.tolerance
            wants = self._causes(part.cause, steep & ~free)
        wants[node] = False
        return NodeFit(value, vector, uses=uses, wants=wants)

    def assemble(self, nodes: list[NodeFit]) -> Parameters:
        """The user's arrays."""
        vector = np.empty(self.problem.layout.p)
        for part, node in zip(self.problem.parts, nodes, strict=True):
            vector[part.places] = node.parameters
        return self.problem.layout.unpack(vector)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Refuse where a node may have several solutions, of which the solver finds one."""
        if not self.score.convex:
            raise InputError(
                f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
                "several local ones; use search='auto', or say convex=True if it is"
            )
        return super().solve_exactly(fit)

    def _causes(
        self, cause: NDArray[np.int64], entries: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Variables (d,) that own one of the ``entries``."""
        found = np.zeros(self.data.d, dtype=bool)
        found[cause[entries & (cause >= 0)]] = True
        return found
