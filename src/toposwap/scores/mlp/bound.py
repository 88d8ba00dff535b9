"""Networks on given data: all nodes together."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from toposwap.core.admissible import EVERYTHING, Admissible
from toposwap.core.errors import InputError
from toposwap.core.validation import columns, listed
from toposwap.losses.base import rows_of
from toposwap.orderfit.nodes import SeparableScore
from toposwap.scores.base import Point
from toposwap.scores.mlp.conversion import from_data, to_data
from toposwap.scores.mlp.problem import toward_zero
from toposwap.scores.mlp.score import NetworkModel, Networks
from toposwap.scores.mlp.solver import TOLERANCE, NodeSolver
from toposwap.scores.mlp.table import NetworkTable
from toposwap.scores.strategy import Strategy, Surrogate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.order import Order
    from toposwap.losses import ColumnLoss
    from toposwap.orderfit.base import OrderFit
    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.mlp.fit import MLPFit
    from toposwap.scores.mlp.problem import Problem
    from toposwap.scores.mlp.score import MLP

#: Columns above which deltas are so expensive that it pays to search with a surrogate first.
_MANY = 25
_COARSE_UNITS = 8
_COARSE_PENALTIES = 3.0
#: Standard deviations beyond which penalties on the scale of 1 say nothing about squares.
_LARGE, _SMALL = 100.0, 0.1


class BoundMLP(SeparableScore):
    """Q of networks on given data, one network for each node.

    Parameters
    ----------
    score, data
        What is bound to what.
    losses
        The loss of each column.

    Attributes
    ----------
    table
        The columns as networks see them.
    nodes
        Fits networks, node by node.
    """

    tolerance = TOLERANCE
    _admissible = EVERYTHING

    def __init__(self, score: MLP, data: Dataset, losses: tuple[ColumnLoss, ...]) -> None:
        self.score: MLP = score
        self.data = data
        self.losses = losses
        self.table = NetworkTable(data, losses, bias=bool(score.bias))
        self.nodes = NodeSolver(score, self.table)
        self.remarks = (*self._few_rows(), *self._units())

    @property
    def admissible(self) -> Admissible:
        """The edges and orders that come into question; solvers know which are required."""
        return self._admissible

    @admissible.setter
    def admissible(self, told: Admissible) -> None:
        self._admissible = told
        self.nodes = NodeSolver(self.score, self.table, self.nodes.pace, told.required)

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """From ``warm``, or from a random first layer and on from there, to a stationary point."""
        return self.nodes.fit(node, allowed, warm)

    def _few_rows(self) -> Iterator[str]:
        n, hidden = self.data.n, self.score.hidden
        if n < 3 * hidden:
            yield (
                f"{n} rows are few for {hidden} hidden units a node: columns are fitted too "
                "closely; use fewer units (hidden), larger penalties or more rows"
            )

    def _units(self) -> Iterator[str]:
        """Squares have units and penalties have none."""
        squares = np.array([loss.has_units for loss in self.losses])
        for beyond, told in (
            (self.deviations > _LARGE, "weigh nothing, so that noise is fitted, and slowly"),
            (
                self.deviations < _SMALL,
                "cost more than any cause explains, so that none is found",
            ),
        ):
            names = [self.data.names[j] for j in np.flatnonzero(beyond & squares)]
            if names and self.score.l1 > 0.0:
                yield (
                    f"{columns(len(names))} {listed(names)}: in these units the penalties {told}; "
                    "use units in which the noise is about 1"
                )

    @property
    def gradient_unit(self) -> float:
        """For least squares alone the geometric mean of the columns' variances; else 1."""
        if not all(loss.has_units for loss in self.losses):
            return 1.0
        return float(np.exp(2.0 * np.log(self.deviations).mean()))

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Of the columns, (d,), in the units of the data."""
        return self.table.deviations * self.table.sizes

    @cached_property
    def strategy(self) -> Strategy:  # type: ignore[override]
        """From the order of an additive model; with many columns through a surrogate.

        That has smaller networks with larger penalties. Small networks are fitted in a tenth of the
        time, and sparse ones not at all when they gain or lose an input outside their support.
        """
        d = self.data.d
        surrogates: tuple[Surrogate, ...] = ()
        if d > _MANY:
            score = copy.copy(self.score)
            score.hidden, score.n_starts = min(score.hidden, _COARSE_UNITS), 1
            score.l1, score.l2 = _COARSE_PENALTIES * score.l1, _COARSE_PENALTIES * score.l2
            surrogates = (Surrogate(score, restarts=d // 5),)
        return Strategy(
            start="additive",
            search="screened",
            # A restart concerns a stretch of the order or a pair, and a long one has more of these,
            # but takes longer too.
            restarts=max(7, min(d // 2, 30)),
            surrogates=surrogates,
            pruner="networks",
        )

    def fit(self, order: Order) -> MLPFit:
        """Fit every node to its predecessors, as far as time goes."""
        from toposwap.scores.mlp.fit import MLPFit

        self.nodes.pace.deadline = self.deadline
        return MLPFit(self, order)

    def solve_exactly(self, fit: OrderFit) -> NoReturn:  # noqa: ARG002 - refused
        """A node may have several solutions, of which a solver finds one."""
        raise InputError(
            f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
            "several local ones; use search='auto'"
        )

    def assemble(self, nodes: list[NodeFit]) -> Networks:
        """The parameters of all nodes together."""
        return to_data(self.table, [node.parameters for node in nodes])

    def as_parameters(self, given: Any) -> Networks:
        """Only networks say what the networks are."""
        shape = (self.data.d, self.score.hidden, self.data.d)
        if not isinstance(given, Networks) or given.first.shape != shape:
            raise InputError(
                "parameters: weights do not determine the networks they are norms of: give "
                f"Topo().fit(X).result_.parameters (first layer of shape {shape}), or an order"
            )
        return given

    def predictor(self, parameters: Networks) -> NetworkModel:
        """The mean of each column by its network, as a function of new rows."""
        table = self.table
        model = NetworkModel(
            parameters, table.mean, table.shift, table.unit, self.losses, self.nodes.activation
        )
        return model.with_densities(rows_of(self.data, "network's"))

    def weights(self, parameters: Networks) -> NDArray[np.float64]:
        """W (d, d) from the first layers alone; Q is not evaluated."""
        return parameters.weights

    def evaluate(self, parameters: Networks) -> Point:
        """Q and the distance of zero from its subdifferential, edge by edge, at any networks."""
        table, d, bias = self.table, self.data.d, self.score.bias
        everyone = np.arange(d)
        gradient = np.empty((d, d))
        value = penalty = rest = 0.0
        for j in range(d):
            problem = self.nodes.problem(j, everyone)
            network = from_data(table, parameters, j, everyone)
            A, v = network.first, network.output
            by_a, by_v = problem.smooth_gradient(A, v)
            distance = np.abs(toward_zero(A, by_a, problem.l1))
            gradient[:, j] = distance[:, :d].sum(axis=0)
            cost = self._penalty(problem, parameters, j)
            value += table.node_losses[j].in_data(problem.misfit(A, v)) + cost
            penalty += cost
            unit = table.scales[j]
            if bias:
                rest = max(rest, float(distance[:, -1].max()) / unit)
            root = np.sqrt(unit)
            rest = max(rest, float(np.abs(by_v).max()) / root)
        np.fill_diagonal(gradient, 0.0)
        units = np.array([own.unit for own in table.node_losses])
        with np.errstate(over="ignore", under="ignore"):
            in_data = np.minimum(gradient * table.sizes[:, None] * units, np.finfo(float).max)
        return Point(
            weights=parameters.weights,
            value=value,
            penalty=penalty,
            gradient=in_data,
            row_scale=self.deviations,
            column_scale=table.scales * units,
            relative=gradient / table.scales / table.deviations[:, None],
            rest=rest,
        )

    def _penalty(self, problem: Problem, parameters: Networks, node: int) -> float:
        """l1 ||A||_1 + l2/2 (||A||^2 + ||v||^2) of one node, in the units of the data."""
        A, v = parameters.first[:, :, node].T, parameters.output[:, node]
        l1, l2 = (np.full(self.data.d, float(given)) for given in (self.score.l1, self.score.l2))
        l1[self.nodes.required_inputs(node)] = 0.0
        given = replace(problem, l1=l1, decay=l2, ridge=np.full(v.size, float(self.score.l2)))
        with np.errstate(over="ignore", under="ignore"):
            return given.penalty(A, v)
