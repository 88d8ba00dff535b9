"""A differentiable Q as the searches see it: solved as a whole, or node by node."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.errors import InputError
from toposwap.core.tables.columns import is_frame
from toposwap.core.weights import as_weights
from toposwap.orderfit.joint import JointScore
from toposwap.orderfit.nodes import NodeFit, SeparableScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.base import Point, Score
    from toposwap.scores.custom.layout import Parameters
    from toposwap.scores.custom.problem import Problem


@dataclass(frozen=True, eq=False, repr=False)
class OwnPredictor:
    """A user's function with the means taken out and put back; it holds no data."""

    function: Callable[..., Any]
    parameters: Parameters
    mean: NDArray[np.float64]

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The user's prediction for rows ``X`` (m, d), (m, d), in the units of the data."""
        expected = np.asarray(self.function(self.parameters, X - self.mean), dtype=np.float64)
        if expected.shape != X.shape:
            raise InputError(
                f"predict: must return a table of shape {X.shape} like the one it is given, got "
                f"{expected.shape}"
            )
        return expected + self.mean


class _Own:
    """What both share.

    Parameters
    ----------
    score, data
        What is bound to what.
    problem
        Q on the data.
    predicting
        Makes a predictor of parameters, if the score predicts.
    """

    _admissible = EVERYTHING

    def __init__(
        self,
        score: Score,
        data: Dataset,
        problem: Problem,
        predicting: Callable[[Parameters], Callable[..., Any]] | None = None,
    ) -> None:
        self.score = score
        self.data = data
        self.problem = problem
        self.tolerance = problem.tolerance
        self._predicting = predicting

    @property
    def admissible(self) -> Admissible:
        """The edges and orders that come into question; the problem knows which are required."""
        return self._admissible

    @admissible.setter
    def admissible(self, told: Admissible) -> None:
        self._admissible = told
        self.problem = copy.copy(self.problem)
        self.problem.require(told.required)

    def evaluate(self, parameters: Parameters) -> Point:
        """Q and its derivatives; a weight matrix alone gets the best of the other parameters."""
        return self.problem.point(parameters)

    def fit(self, order: Order) -> Any:
        """Solve ``order``, which must leave Q a value."""
        fit = super().fit(order)  # type: ignore[misc]
        if not np.isfinite(fit.value):
            raise InputError(
                f"q: not finite for the order {list(order)}, where the entries of all edges that "
                "it forbids are zero; Q must have a value wherever edges are absent"
            )
        return fit

    def as_parameters(self, given: Any) -> Parameters:
        """The user's arrays, or a weight matrix (d, d) if that determines them."""
        layout = self.problem.layout
        whole = layout.alone and np.shape(given) == layout.shapes[layout.names[0]]
        if isinstance(given, Mapping) or (whole and not is_frame(given)):
            return layout.unpack(layout.pack(given))
        return as_weights(given, self.data.names)

    def predictor(self, parameters: Parameters) -> Callable[..., Any]:
        """The expected value of each column given the others, as a function of new rows."""
        if self._predicting is None:
            raise NotImplementedError(
                f"score {self.score.name!r} does not know how to predict: give "
                "Differentiable(..., predict=function(parameters, X))"
            )
        return self._predicting(parameters)

    def predict(self, parameters: Parameters, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected values (m, d) at rows ``X`` (m, d)."""
        return np.asarray(self.predictor(parameters)(X))


class OwnJoint(_Own, JointScore):
    """Q does not separate: each order is one optimisation."""

    def solve(self, allowed: NDArray[np.bool_], warm: Any | None) -> tuple[Any, float]:
        """Minimise Q over the entries of ``allowed`` edges and of none, as one problem."""
        problem = self.problem
        layout = problem.layout
        free = layout.free(allowed)
        begin = None
        if warm is not None:
            packed = layout.pack(warm)
            # A node that had no parents may sit where its gradient vanishes: begin there afresh.
            idle = layout.per_edge(np.where(free, np.abs(packed), 0.0)).sum(axis=0) == 0.0
            begin = np.where(layout.is_edge & idle[layout.effect], problem.starts[0], packed)
        [(vector, value)] = problem.solve(problem.parts, free[None], [begin])
        return layout.unpack(vector), value


class OwnNodes(_Own, SeparableScore):
    """Q = sum_j Q_j(theta_j): nodes are solved on their own, many in one batch."""

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Solve ``node`` and say which changes of ``allowed`` would change the solution."""
        return self.fit_nodes([(node, allowed, warm)])[0]

    def fit_nodes(
        self, wanted: Sequence[tuple[int, NDArray[np.bool_], NodeFit | None]]
    ) -> list[NodeFit]:
        """Solve all of ``wanted`` in one batch of evaluations."""
        problem = self.problem
        parts = [problem.parts[node] for node, _, _ in wanted]
        free = np.array(
            [
                ~part.is_edge | (allowed[part.cause] & ~part.loops)
                for part, (_, allowed, _) in zip(parts, wanted, strict=True)
            ]
        )
        warm: list[NDArray[np.float64] | None] = []
        for part, row, (_, _, fit) in zip(parts, free, wanted, strict=True):
            begin = None if fit is None else fit.parameters
            # Without any parent it may sit where its gradient vanishes: begin afresh.
            alive = begin is not None and begin[row & part.is_edge].any()
            warm.append(begin if alive else None)
        solved = problem.solve(parts, free, warm)
        vectors = np.array([vector for vector, _ in solved])
        _, gradients = problem.batch(np.array([part.index for part in parts]), vectors)
        fits = []
        for k, (node, allowed, _) in enumerate(wanted):
            part, (vector, value) = parts[k], solved[k]
            support = self._causes(part.cause, vector != 0.0)
            # At such a place the gradient does not tell which candidates violate the conditions.
            violating = ~allowed
            if support.any() or not problem.starts[0, part.places][part.is_edge].any():
                excess = np.abs(gradients[k]) - problem.kink[part.places]
                steep = excess * problem.weight[part.places] > self.tolerance
                violating = self._causes(part.cause, steep & ~free[k])
            violating[node] = False
            fits.append(NodeFit(value, vector, support=support, violating=violating))
        return fits

    def assemble(self, nodes: list[NodeFit]) -> Parameters:
        """The entries of all nodes in the user's arrays, in the form of ``start``."""
        vector = np.empty(self.problem.layout.p)
        for part, node in zip(self.problem.parts, nodes, strict=True):
            vector[part.places] = node.parameters
        return self.problem.layout.unpack(vector)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Refuse where a node may have several solutions, of which the solver finds one."""
        if not self.score.convex:
            raise InputError(
                f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
                "several local ones; use search='auto'"
            )
        return super().solve_exactly(fit)

    def _causes(self, cause: NDArray[np.int64], entries: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Variables (d,) that own one of the ``entries``."""
        found = np.zeros(self.data.d, dtype=bool)
        found[cause[entries & (cause >= 0)]] = True
        return found
