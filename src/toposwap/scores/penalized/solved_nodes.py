"""The nodes of a loss and a penalty: each solved to its KKT conditions.

With an L0 penalty a node chooses its parents, in one order or, with few columns, in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER
from toposwap.losses import GaussianLoss, LeastSquaresLoss, MomentLoss
from toposwap.orderfit.exact import best_order, best_parents, members
from toposwap.orderfit.nodes import NodeFit, SeparableScore
from toposwap.penalties import L0, NoPenalty, ProximalPenalty
from toposwap.scores.penalized.gaussian_nodes import GaussianNodes, Solution
from toposwap.scores.penalized.glm_nodes import GLMNodes
from toposwap.scores.penalized.parent_selection import select_parents
from toposwap.scores.penalized.rough_fit import RoughFit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.core.runtime.deadline import Deadline
    from toposwap.losses import ColumnLoss
    from toposwap.orderfit.base import OrderFit
    from toposwap.orderfit.separable import SeparableFit
    from toposwap.penalties import Penalty
    from toposwap.scores.base import Score

#: Nodes are solved well below the tolerance of the certificate.
_NODE_TOLERANCE = 1e-10
_FREE = NoPenalty()
#: Columns up to which every move of a concave penalty is evaluated exactly.
MOST_EXACT_DELTAS = 50
#: By what factor a gradient must exceed its threshold for a candidate to violate a rough solution.
_CLEARLY = 1.05
#: Columns up to which all sets of parents can be tried.
_MOST_EXACT = 14


class Coefficients(NamedTuple):
    """W (d, d) and the intercepts b (d,): f_j = b_j + X W_j.

    ``levels`` (d,) are the same constants where all columns are at their means, from the location
    of the loss and in its unit; None for those that follow from the intercepts, which have fewer
    digits where means are large.
    """

    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    levels: NDArray[np.float64] | None = None


class SolvedNodes(SeparableScore):
    """loss + penalty on given data, solved node by node.

    Parameters
    ----------
    score, data
        What is bound to what.
    losses
        The loss of each column.
    penalty
        With its weight worked out.
    """

    def __init__(
        self, score: Score, data: Dataset, losses: tuple[ColumnLoss, ...], penalty: Penalty
    ) -> None:
        self.score = score
        self.data = data
        self.losses = losses
        self.penalty = penalty
        remark = score.loss.remark(data) if hasattr(score, "loss") else None
        #: What was chosen by looking at the data, in words.
        self.choices = (remark,) if remark else ()
        self._moments = [loss.from_moments for loss in losses]
        #: By node, shared by those that share their rows.
        self._gaussian: list[GaussianNodes] = [None] * data.d  # type: ignore[list-item]
        self._glm: list[GLMNodes | None] = [None] * data.d
        for group in data.own_rows:
            of_moments = GaussianNodes(group.moments, _NODE_TOLERANCE)
            of_rows = None
            if not all(self._moments[j] for j in group.nodes):
                of_rows = GLMNodes(group.table, losses, _NODE_TOLERANCE, group.nodes, group.shifted)
            for j in group.nodes:
                self._gaussian[j], self._glm[j] = of_moments, of_rows

    def fit(self, order: Order) -> SeparableFit:
        """Solve every node; with many columns the nodes of a concave penalty are slow."""
        concave = not self.penalty.convex and not isinstance(self.penalty, L0)
        if concave and all(self._moments) and self.data.d > MOST_EXACT_DELTAS:
            return RoughFit(self, order)
        return super().fit(order)

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """Solve ``node`` and say which changes of ``allowed`` would change the solution."""
        if isinstance(self.penalty, L0):
            solution, violating = self._select(node, allowed, warm)
        else:
            solution, violating = self._stationary(node, allowed, warm)
        value = self.data.shares[node] * solution.loss + self._paid(node, solution.weights)
        parameters = (solution.weights, solution.level)
        return NodeFit(value, parameters, support=solution.weights != 0.0, violating=violating)

    def _per_loss(self, node: int) -> float:
        """What a penalty counts against the loss of one node over its rows: n / n_j."""
        share = float(self.data.shares[node])
        return 1.0 / share if share > 0.0 else 1.0

    def _paid(self, node: int, weights: NDArray[np.float64]) -> float:
        """The penalty of the weights (d,) into one node."""
        return self.penalty.total(weights, self.admissible.required_of(node))

    def rough_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        """What a few steps from ``warm`` come to, for a Gaussian column and a sized penalty."""
        loss, penalty = self.losses[node], self.penalty
        assert isinstance(loss, MomentLoss)
        assert isinstance(penalty, ProximalPenalty)
        required = self.admissible.required_of(node)
        solution = self._gaussian[node].solve(
            node,
            allowed,
            warm.parameters[0],
            loss,
            penalty,
            required=required,
            weight=self._per_loss(node),
            rough=True,
        )
        value = self.data.shares[node] * solution.loss + self._paid(node, solution.weights)
        # A gradient just above its threshold would hardly lower the value.
        violating = (np.abs(solution.gradient) > _CLEARLY * solution.kinks) & ~allowed
        violating[node] = False
        parameters = (solution.weights, solution.level)
        return NodeFit(value, parameters, support=solution.weights != 0.0, violating=violating)

    def assemble(self, nodes: list[NodeFit]) -> NDArray[np.float64] | Coefficients:
        """W where all losses are Gaussian, which need no intercept besides; else W and b."""
        weights = np.column_stack([node.parameters[0] for node in nodes])
        if all(self._moments):
            return weights
        levels = np.array([node.parameters[1] for node in nodes])
        return Coefficients(weights, self._intercepts(weights, levels), levels)

    def coefficients(self, node: int, fit: NodeFit) -> tuple[NDArray[np.float64], float]:
        """The weights (d,) and the intercept of one node, in the units of the data."""
        weights, level = fit.parameters
        return weights, self._intercept(node, weights, level)

    def _intercept(self, node: int, weights: NDArray[np.float64], level: float) -> float:
        """What is added to X w, for the level at the means; Gaussian columns have theirs there."""
        of_rows = self._glm[node]
        if of_rows is None or self._moments[node]:
            mean = self._gaussian[node].data.mean
            return float(mean[node] - mean @ weights)
        return of_rows.intercept(node, weights, float(level))

    def _intercepts(
        self, weights: NDArray[np.float64], levels: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The constants (d,) that are added to X W."""
        return np.array([self._intercept(j, weights[:, j], levels[j]) for j in range(self.data.d)])

    def _stationary(
        self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None, weight: float = 1.0
    ) -> tuple[Solution, NDArray[np.bool_]]:
        """The solution and which absent variables (d,) would change it if they were allowed."""
        assert isinstance(self.penalty, ProximalPenalty)
        start = None if warm is None else warm.parameters
        solution = self._solve(node, allowed, start, self.penalty, weight, self.deadline)
        excess = np.abs(solution.gradient) - solution.kinks
        violating = (excess > _NODE_TOLERANCE * solution.size) & ~allowed
        violating[node] = False
        return solution, violating

    def _solve(
        self,
        node: int,
        allowed: NDArray[np.bool_],
        start: tuple[NDArray[np.float64], float] | None,
        penalty: ProximalPenalty,
        weight: float = 1.0,
        deadline: Deadline = NEVER,
    ) -> Solution:
        """Minimise n_j / n loss + weight * penalty."""
        loss, required = self.losses[node], self.admissible.required_of(node)
        weight *= self._per_loss(node)
        if isinstance(loss, MomentLoss):
            weights = None if start is None else start[0]
            return self._gaussian[node].solve(
                node,
                allowed,
                weights,
                loss,
                penalty,
                required=required,
                weight=weight,
                deadline=deadline,
            )
        return self._rows_of(node).solve(
            node, allowed, start, penalty, required, weight=weight, deadline=deadline
        )

    def _rows_of(self, node: int) -> GLMNodes:
        of_rows = self._glm[node]
        assert of_rows is not None
        return of_rows

    def _select(
        self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None
    ) -> tuple[Solution, NDArray[np.bool_]]:
        """Parents chosen by an L0 penalty: the solution, and which others (d,) would pay."""
        assert isinstance(self.penalty, L0)
        loss = self.losses[node]
        weight = self.penalty.weight * self._per_loss(node)
        start = np.zeros_like(allowed) if warm is None else warm.parameters[0] != 0.0
        if isinstance(loss, GaussianLoss | LeastSquaresLoss):
            required = self.admissible.required_of(node)
            chosen, violating = self._gaussian[node].select(
                node, allowed, start, loss, weight, required
            )
            return self._solve(node, chosen, None, _FREE), violating

        def fit(parents: NDArray[np.bool_], near: Solution | None) -> Solution:
            start = None if near is None else (near.weights, near.level)
            return self._solve(node, parents, start, _FREE)

        def curvature(
            solution: Solution, index: NDArray[np.int64]
        ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            if isinstance(loss, MomentLoss):
                H = self._gaussian[node].curvature(node, solution, loss)
                return H[index], np.diag(H)
            return self._rows_of(node).curvature(node, solution, index)

        scale = float(self.data.scale[node])
        return select_parents(
            allowed,
            start,
            weight,
            fit,
            curvature,
            node=node,
            loss=loss,
            unit=loss.unit(scale) if isinstance(loss, MomentLoss) else 1.0,
            required=self.admissible.required_of(node),
            deadline=self.deadline,
        )

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Refuse where a node may have several solutions, of which a solver finds one.

        With an L0 penalty a node has one for each set of parents, and all of these are tried.
        """
        if isinstance(self.penalty, L0):
            fit.restore(self._best_choices())
            return True
        if not self._one_solution:
            raise InputError(
                f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
                "several local ones; use search='auto'"
            )
        return super().solve_exactly(fit)

    def _best_choices(self) -> tuple[Order, list[NodeFit]]:
        """The best order and parents of all, by ``d 2^(d-1)`` fits without the penalty."""
        assert isinstance(self.penalty, L0)
        d, weight = self.data.d, self.penalty.weight
        if d > _MOST_EXACT:
            raise InputError(
                f"search='exact' fits every set of parents with this score: {d} columns are too "
                f"many (at most {_MOST_EXACT}); use search='auto'"
            )
        digits = 1 << np.arange(d)
        required = self.admissible.required
        wanted = np.zeros(d, dtype=np.int64) if required is None else digits @ required
        tables = [best_parents(d, v, weight, self._losses_of(v), int(wanted[v])) for v in range(d)]
        order = best_order(
            d, lambda v, allowed: float(tables[v][0][allowed @ digits]), self.admissible
        )
        nodes = []
        for v in range(d):
            before = self.candidates(order, v)
            chosen = members(int(tables[v][1][before @ digits]), d)
            solution = self._solve(v, chosen, None, _FREE)
            known = NodeFit(solution.loss, (solution.weights, solution.level))
            nodes.append(self.fit_node(v, before, known))
        return order, nodes

    def _losses_of(self, node: int) -> Callable[[int], float]:
        """The least loss of ``node`` for a set of parents; each fit starts from one of fewer."""
        starts: dict[int, tuple[NDArray[np.float64], float]] = {}

        def loss(subset: int) -> float:
            self.deadline.check()
            fewer = starts.get(subset & (subset - 1))
            solution = self._solve(node, members(subset, self.data.d), fewer, _FREE)
            starts[subset] = (solution.weights, solution.level)
            return float(self.data.shares[node]) * solution.loss

        return loss

    @property
    def _one_solution(self) -> bool:
        return self.score.convex or isinstance(self.penalty, NoPenalty)
