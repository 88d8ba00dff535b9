"""Networks on given data: all nodes together."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from toposwap.core.errors import InputError
from toposwap.losses.base import rows_of
from toposwap.scores.base import Point
from toposwap.scores.mlp.problem import toward_zero
from toposwap.scores.mlp.score import NetworkModel, Networks
from toposwap.scores.mlp.solver import NodeNetworks
from toposwap.scores.mlp.starts import Network
from toposwap.scores.strategy import Strategy, Surrogate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.orderfit.base import OrderFit
    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.mlp.fit import MLPFit
    from toposwap.scores.mlp.score import MLP

#: Columns above which deltas are so expensive that it pays to search with coarser networks first.
_MANY = 25
_COARSE_UNITS = 8
_COARSE_PENALTIES = 3.0


class BoundMLP(NodeNetworks):
    """Q on given data."""

    @property
    def gradient_unit(self) -> float:
        """For least squares alone the geometric mean of the columns' variances; else 1."""
        if not all(loss.has_units for loss in self.losses):
            return 1.0
        return float(np.exp(2.0 * np.log(self.deviations).mean()))

    @cached_property
    def strategy(self) -> Strategy:  # type: ignore[override]
        """From the order of an additive model; with many columns through coarser networks.

        Small networks are fitted in a tenth of the time, and sparse ones not at all when they gain
        or lose an input that is not in their support.
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
        """Fit every node to its predecessors."""
        from toposwap.scores.mlp.fit import MLPFit

        return MLPFit(self, order)

    def solve_exactly(self, fit: OrderFit) -> NoReturn:  # noqa: ARG002 - refused
        """A node may have several solutions, of which a solver finds one."""
        raise InputError(
            f"search='exact' proves a global minimum, and a node of {self.score!r} may have "
            "several local ones; use search='auto'"
        )

    def assemble(self, nodes: list[NodeFit]) -> Networks:
        """The parameters of all nodes together."""
        d, h = self.data.d, self.score.hidden
        first, biases, output = np.zeros((d, h, d)), np.zeros((h, d)), np.zeros((h, d))
        intercepts = np.zeros(d)
        for j, node in enumerate(nodes):
            network: Network = node.parameters
            k = network.inputs.size
            first[network.inputs, :, j] = network.first[:, :k].T
            output[:, j] = network.output[:h]
            if self.score.bias:
                biases[:, j] = network.first[:, -1]
                intercepts[j] = network.output[-1]
        return Networks(first, biases, output, intercepts)

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
        """The mean of each column."""
        model = NetworkModel(
            parameters, self.mean, self.shift, self.unit, self.losses, self.activation
        )
        return model.with_densities(rows_of(self.data, "network's"))

    def with_score(self, score: MLP) -> BoundMLP:
        """Other penalties on the same data, with the same tables."""
        # A table that is made when it is first asked for must be there to be shared.
        _ = self._score_tests
        other = copy.copy(self)
        other.score = score
        return other

    def node_of(self, parameters: Networks, node: int) -> NodeFit:
        """The network of one node, with the inputs it uses."""
        inputs = np.flatnonzero(parameters.weights[:, node])
        first, output = parameters.first[inputs, :, node].T, parameters.output[:, node]
        if self.score.bias:
            first = np.column_stack([first, parameters.biases[:, node]])
            output = np.append(output, parameters.intercepts[node])
        value = self.problem(node, inputs).value(first, output)
        return self.as_fit(value, Network(inputs, first, output, polished=True))

    def weights(self, parameters: Networks) -> NDArray[np.float64]:
        """Nothing has to be evaluated for it."""
        return parameters.weights

    def evaluate(self, parameters: Networks) -> Point:
        """Q and the distance of zero from its subdifferential, edge by edge, at any networks."""
        d, bias = self.data.d, self.score.bias
        everyone = np.arange(d)
        gradient = np.empty((d, d))
        value = penalty = rest = 0.0
        for j in range(d):
            problem = self.problem(j, everyone)
            A, v = parameters.first[:, :, j].T, parameters.output[:, j]
            if bias:
                A = np.column_stack([A, parameters.biases[:, j]])
                v = np.append(v, parameters.intercepts[j])
            by_a, by_v = problem.smooth_gradient(A, v)
            distance = np.abs(toward_zero(A, by_a, problem.l1))
            gradient[:, j] = distance[:, :d].sum(axis=0)
            value += problem.value(A, v)
            penalty += problem.penalty(A, v)
            unit = self.scales[j]
            if bias:
                rest = max(rest, float(distance[:, -1].max()) / unit)
            root = np.sqrt(unit)
            rest = max(rest, float(np.abs(by_v).max()) / root)
        np.fill_diagonal(gradient, 0.0)
        return Point(
            weights=parameters.weights,
            value=value,
            penalty=penalty,
            gradient=gradient,
            row_scale=self.deviations,
            column_scale=self.scales,
            rest=rest,
        )
