"""One node's network on given data: fitted in single precision, polished in double."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.runtime.clock import clock
from toposwap.kernels.mlp.network import SIGMOID
from toposwap.kernels.mlp.orthant import descend, living_units
from toposwap.orderfit.nodes import NodeFit
from toposwap.scores.mlp.conversion import from_data
from toposwap.scores.mlp.pace import Pace
from toposwap.scores.mlp.penalties import ScaledPenalties
from toposwap.scores.mlp.problem import ACTIVATIONS, Problem
from toposwap.scores.mlp.residuals import Residuals
from toposwap.scores.mlp.starts import Network, Starts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.mlp.score import MLP, Networks
    from toposwap.scores.mlp.table import NetworkTable

#: Of the certificate; nodes are polished below it.
TOLERANCE = 1e-7
_POLISHED = 0.1
#: A fit ends when twenty iterations lower Q by less than this part of it.
LOOSE = 1e-5
ROUGH = 2e-4
#: What single precision resolves. From there few steps of Newton's method lead to the end, but for
#: narrow valleys, where a step of it leads no further than one of a descent in double precision,
#: which costs a hundredth of it, and for saddle points, where descents end and Newton's method does
#: not. There both take turns.
_FINE = 2e-7
_FINEST = 1e-9
_NEWTON_STEPS = 12
_MOST_TURNS = 30
_MOST_ITERATIONS = 3000


class NodeSolver:
    """Fits the network of one node at a time.

    Networks are in the units of the table; values of fits are in those of the data.

    Parameters
    ----------
    score, table
        Settings and columns.
    pace
        Of another solver on the same columns, whose deadline holds here too.
    required
        Inputs (d, d) that a node must have; None for none.

    Attributes
    ----------
    penalties
        Of each node, in the units of the table.
    residuals, starts
        What networks leave over, and where fits begin.
    """

    def __init__(
        self,
        score: MLP,
        table: NetworkTable,
        pace: Pace | None = None,
        required: NDArray[np.bool_] | None = None,
    ) -> None:
        self.score = score
        self.required = required
        self.pace = Pace() if pace is None else pace
        self.table = table
        self.activation = ACTIVATIONS[score.activation]
        self.penalties = ScaledPenalties(score, table, required)
        self.residuals = Residuals(score, table, self.penalties)
        self.starts = Starts(score, table, self.residuals)

    def with_score(self, score: MLP) -> NodeSolver:
        """Other penalties on the same columns, with the same tables."""
        return NodeSolver(score, self.table, self.pace, self.required)

    def required_inputs(self, node: int) -> NDArray[np.intp]:
        """The inputs that ``node`` must have, (k,)."""
        if self.required is None:
            return np.zeros(0, dtype=np.intp)
        return np.flatnonzero(self.required[:, node])

    def problem(self, node: int, inputs: NDArray[np.intp]) -> Problem:
        """Q_node with parents ``inputs`` (k,), in double precision."""
        table, score = self.table, self.score
        rows, own = table.rows(inputs), self.penalties[node]
        ridge = np.full(score.hidden, own.ridge)
        return Problem(
            table.double[rows],
            table.targets[node],
            own.l1[rows],
            own.decay[rows],
            np.append(ridge, 0.0) if score.bias else ridge,
            score.hidden,
            table.node_losses[node],
            self.activation,
        )

    def fit(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """From ``warm``, or from a random first layer and on from there, to a stationary point."""
        inputs = np.flatnonzero(allowed)
        if warm is not None:
            return self.warm_fit(node, inputs, warm)
        fit = self.cold_fits(node, inputs, range(1))[0]
        return self.improved(node, inputs, self.renewed(node, fit, self.score.n_starts).parameters)

    def cold_fits(self, node: int, inputs: NDArray[np.intp], starts: range) -> list[NodeFit]:
        """Fits from the random first layers of these numbers, far enough to compare them."""
        if inputs.size == 0:
            return [self.polished(node, self.starts.started(node, inputs, 0))]
        return [self.rough_fit(node, self.starts.started(node, inputs, k)) for k in starts]

    def renewed(self, node: int, fit: NodeFit, stop: int) -> NodeFit:
        """The best of ``fit`` and the starts 1 to ``stop`` - 1, each from the best until then.

        A start draws a few units anew and keeps the others. That finds lower minima, in less time,
        than beginning with none.
        """
        inputs = fit.parameters.inputs
        for number in range(1, stop if inputs.size else 0):
            if self.pace.deadline.passed:
                break
            other = self.rough_fit(node, self.starts.redrawn(node, fit.parameters, number))
            if other.value < fit.value:
                fit = other
        return fit

    def rough_fit(self, node: int, start: Network) -> NodeFit:
        """From ``start``, far enough to compare it with others."""
        return self.improved(node, start.inputs, start, tolerance=ROUGH)

    def warm_fit(
        self,
        node: int,
        inputs: NDArray[np.intp],
        warm: NodeFit,
        max_iter: int = _MOST_ITERATIONS,
        tolerance: float = LOOSE,
    ) -> NodeFit:
        """From the network of ``warm``, whose idle units look at the inputs it gains."""
        start = self.starts.carried(warm.parameters, inputs)
        fit = self.improved(
            node, inputs, self.starts.reinitialised(node, start, warm), max_iter, tolerance
        )
        assert warm.support is not None
        if fit.value > warm.value and warm.support[inputs].sum() == warm.support.sum():
            return self.as_fit(warm.value, start)
        return fit

    def improved(
        self,
        node: int,
        inputs: NDArray[np.intp],
        start: Network,
        max_iter: int = _MOST_ITERATIONS,
        tolerance: float = LOOSE,
    ) -> NodeFit:
        """At most ``max_iter`` iterations from ``start``, in single precision."""
        if inputs.size + self.score.bias == 0:
            return self.polished(node, start)
        first, output = start.first.copy(), start.output.copy()
        single, table, own = tolerance >= _FINE, self.table, self.penalties[node]
        rows = table.rows(inputs)
        units = self.score.hidden
        began, work = clock(), float(table.data.n * units * (rows.size + units))
        value, iterations = descend(
            first,
            output,
            (table.single if single else table.double)[rows],
            (table.single_targets if single else table.targets)[node],
            own.l1[rows],
            own.decay[rows],
            own.ridge,
            self.score.bias,
            self._stays_constant(node),
            table.node_losses[node].formula,
            self.activation,
            tolerance <= _FINE,
            self.pace.most(max_iter, work, single=single),
            tolerance,
        )
        self.pace.took(began, iterations, work, single=single)
        value = table.node_losses[node].in_data(value)
        return self.as_fit(value, Network(inputs, first, output, polished=False))

    def _stays_constant(self, node: int) -> bool:
        """Whether a unit that has become constant stays so.

        Where there is an intercept, or a unit without input is 0, the ridge makes the output weight
        of a constant unit 0, and then no gradient reaches its inputs.
        """
        constant_is_zero = self.score.bias or self.activation != SIGMOID
        return constant_is_zero and not self.table.node_losses[node].by_rows

    def settled(self, node: int, network: Network) -> NodeFit:
        """As far as single precision goes: enough for what no certificate speaks of."""
        return self.improved(node, network.inputs, network, tolerance=_FINE)

    def polished(self, node: int, network: Network) -> NodeFit:
        """``network`` solved in double precision, below the certificate's tolerance.

        Where time does not suffice for that, it is left as far as it got, and not polished.
        """
        inputs = network.inputs
        if inputs.size == 0 and self._stays_constant(node):
            return self._constant(node, network)
        problem = self.problem(node, inputs)
        scale = self.table.scales[node]
        unit = min(scale, np.sqrt(scale))
        small = _POLISHED * TOLERANCE * unit / max(self.score.hidden, 1)
        small *= np.append(self.table.deviations[inputs], 1.0).min(initial=1.0)
        value = steepest = np.inf
        for turn in range(_MOST_TURNS):
            if inputs.size:
                tolerance = _FINEST if turn else _FINE
                network = self.improved(node, inputs, network, tolerance=tolerance).parameters
            first, output = network.first.copy(), network.output.copy()
            alive = living_units(first, inputs.size, self._stays_constant(node))
            rows = np.append(alive, self.score.hidden) if self.score.bias else alive
            first[alive], kept, value = problem.with_units(alive.size).polish(
                first[alive], output[rows], small, _NEWTON_STEPS, self.pace.deadline
            )
            output[:] = 0.0
            output[rows] = kept
            before, steepest = steepest, problem.steepest(first, output)
            solved = steepest <= small or steepest == before
            cut_short = not solved and self.pace.deadline.passed
            network = Network(inputs, first, output, polished=not cut_short)
            if solved or cut_short:
                break
        return self.as_fit(self.table.node_losses[node].in_data(value), network)

    def _constant(self, node: int, network: Network) -> NodeFit:
        """The mean, and units that are constant at no cost."""
        first, output = network.first.copy(), np.zeros_like(network.output)
        if self.score.bias:
            output[-1] = self.table.targets[node].mean()
        return self._valued(node, Network(network.inputs, first, output, polished=True))

    def trimmed(self, node: int, fit: NodeFit) -> NodeFit:
        """``fit`` of ``node`` without the inputs that no unit uses and nobody requires."""
        assert fit.support is not None
        used = fit.support.copy()
        if self.required is not None:
            inputs = fit.parameters.inputs
            used[inputs] |= self.required[inputs, node]
        return self.as_fit(fit.value, self.starts.carried(fit.parameters, np.flatnonzero(used)))

    def as_fit(self, value: float, network: Network) -> NodeFit:
        """``network`` and its value as a node's fit; the inputs it uses are the support."""
        k = network.inputs.size
        support = np.zeros(self.table.data.d, dtype=bool)
        support[network.inputs] = network.first[:, :k].any(axis=0)
        return NodeFit(value, network, support=support)

    def node_of(self, parameters: Networks, node: int) -> NodeFit:
        """The network of one node, with the inputs it uses."""
        inputs = np.flatnonzero(parameters.weights[:, node])
        return self._valued(node, from_data(self.table, parameters, node, inputs))

    def _valued(self, node: int, network: Network) -> NodeFit:
        value = self.problem(node, network.inputs).value(network.first, network.output)
        return self.as_fit(self.table.node_losses[node].in_data(value), network)
