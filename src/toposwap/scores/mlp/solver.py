"""One node's network on given data: fitted in single precision, polished in double."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.validation import columns, listed
from toposwap.kernels.mlp.network import SIGMOID
from toposwap.kernels.mlp.orthant import descend, living_units
from toposwap.losses import RowLoss
from toposwap.orderfit.nodes import NodeFit
from toposwap.scores.mlp.problem import ACTIVATIONS, Problem, formula
from toposwap.scores.mlp.residuals import NetworkResiduals
from toposwap.scores.mlp.starts import Network

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses import ColumnLoss
    from toposwap.scores.mlp.score import MLP

#: Nodes are polished below the tolerance of the certificate.
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
#: Standard deviations beyond which penalties on the scale of 1 say nothing about squares.
_LARGE, _SMALL = 100.0, 0.1


class NodeNetworks(NetworkResiduals):
    """The part of the score that deals with one node at a time.

    Parameters
    ----------
    score, data
        What is bound to what.
    losses
        The loss of each column.
    """

    tolerance = 1e-7

    def __init__(self, score: MLP, data: Dataset, losses: tuple[ColumnLoss, ...]) -> None:
        self.score: MLP = score
        self.data = data
        self.losses = losses
        self.activation = ACTIVATIONS[score.activation]
        assert data.rows is not None
        self.mean = data.mean if score.bias else np.zeros(data.d)
        X = np.ascontiguousarray(data.rows.T)
        # With the row of the biases at the end, ready to be picked from.
        self._double = np.vstack([X - self.mean[:, None], np.ones((1, data.n))])
        self._single = self._double.astype(np.float32)
        self.inputs = self._double[:-1]
        self.shift, self.unit = self.mean.copy(), np.ones(data.d)
        self.targets = X - self.shift[:, None]
        for j, loss in enumerate(losses):
            if isinstance(loss, RowLoss):
                self.targets[j], self.shift[j], self.unit[j] = loss.target(X[j])
        self._targets = self.targets.astype(np.float32)
        self.deviations = data.deviations * data.scale
        self.remarks = (*self._few_rows(), *self._units())

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
            (self.deviations < _SMALL, "cost more than any cause explains, so that none is found"),
        ):
            names = [self.data.names[j] for j in np.flatnonzero(beyond & squares)]
            if names and self.score.l1 > 0.0:
                yield (
                    f"{columns(len(names))} {listed(names)}: in these units the penalties {told}; "
                    "use units in which the noise is about 1"
                )

    @property
    def scales(self) -> NDArray[np.float64]:
        """What the gradient by a bias is measured by, (d,): the variance of a column of squares."""
        squares = np.array([loss.has_units for loss in self.losses])
        return np.where(squares, self.deviations**2, 1.0)

    def problem(self, node: int, inputs: NDArray[np.intp]) -> Problem:
        """Q_node with parents ``inputs`` (k,), in double precision."""
        score, bias = self.score, self.score.bias
        X = self._double[self._rows(inputs)]
        l1, l2, ridge = (
            np.full(inputs.size, float(score.l1)),
            np.full(inputs.size, float(score.l2)),
            np.full(score.hidden, float(score.l2)),
        )
        if bias:
            l1, l2, ridge = np.append(l1, 0.0), np.append(l2, 0.0), np.append(ridge, 0.0)
        return Problem(
            X, self.targets[node], l1, l2, ridge, score.hidden, self.losses[node], self.activation
        )

    def fit_node(self, node: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        """From ``warm``, or from a random first layer and on from there, to a stationary point."""
        inputs = np.flatnonzero(allowed)
        if warm is not None:
            return self.warm_fit(node, inputs, warm)
        fit = self.cold_fits(node, inputs, range(1))[0]
        return self.improved(node, inputs, self.renewed(node, fit, self.score.n_starts).parameters)

    def cold_fits(self, node: int, inputs: NDArray[np.intp], starts: range) -> list[NodeFit]:
        """Fits from the random first layers of these numbers, far enough to compare them."""
        if inputs.size == 0:
            return [self.polished(node, self.started(node, inputs, 0))]
        return [self.rough_fit(node, self.started(node, inputs, k)) for k in starts]

    def renewed(self, node: int, fit: NodeFit, stop: int) -> NodeFit:
        """The best of ``fit`` and the starts 1 to ``stop`` - 1, each from the best until then.

        A start draws a few units anew and keeps the others. That finds lower minima, in less time,
        than beginning with none.
        """
        inputs = fit.parameters.inputs
        for number in range(1, stop if inputs.size else 0):
            other = self.rough_fit(node, self.redrawn(node, fit.parameters, number))
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
        start = self.carried(warm.parameters, inputs)
        fit = self.improved(
            node, inputs, self.reinitialised(node, start, warm), max_iter, tolerance
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
        single = tolerance >= _FINE
        value = descend(
            first,
            output,
            (self._single if single else self._double)[self._rows(inputs)],
            (self._targets if single else self.targets)[node],
            self.score.l1,
            self.score.l2,
            self.score.bias,
            self._stays_constant(node),
            formula(self.losses[node]),
            self.activation,
            tolerance <= _FINE,
            max_iter,
            tolerance,
        )
        return self.as_fit(value, Network(inputs, first, output, polished=False))

    def _stays_constant(self, node: int) -> bool:
        """Whether a unit that has become constant stays so.

        Where there is an intercept, or a unit without input is 0, the ridge makes the output weight
        of a constant unit 0, and then no gradient reaches its inputs.
        """
        constant_is_zero = self.score.bias or self.activation != SIGMOID
        return constant_is_zero and self.losses[node].from_moments

    def settled(self, node: int, network: Network) -> NodeFit:
        """As far as single precision goes: enough for what no certificate speaks of."""
        return self.improved(node, network.inputs, network, tolerance=_FINE)

    def polished(self, node: int, network: Network) -> NodeFit:
        """To the end, in double precision."""
        inputs = network.inputs
        if inputs.size == 0 and self._stays_constant(node):
            return self._constant(node, network)
        problem = self.problem(node, inputs)
        unit = min(self.scales[node], np.sqrt(self.scales[node]))
        small = _POLISHED * self.tolerance * unit / max(self.score.hidden, 1)
        small *= np.append(self.deviations[inputs], 1.0).min(initial=1.0)
        value = steepest = np.inf
        for turn in range(_MOST_TURNS):
            if inputs.size:
                tolerance = _FINEST if turn else _FINE
                network = self.improved(node, inputs, network, tolerance=tolerance).parameters
            first, output = network.first.copy(), network.output.copy()
            alive = living_units(first, inputs.size, self._stays_constant(node))
            rows = np.append(alive, self.score.hidden) if self.score.bias else alive
            first[alive], kept, value = problem.with_units(alive.size).polish(
                first[alive], output[rows], small, _NEWTON_STEPS
            )
            output[:] = 0.0
            output[rows] = kept
            network = Network(inputs, first, output, polished=True)
            before, steepest = steepest, problem.steepest(first, output)
            if steepest <= small or steepest == before:
                break
        return self.as_fit(value, network)

    def _constant(self, node: int, network: Network) -> NodeFit:
        """The mean, and units that are constant at no cost."""
        first, output = network.first.copy(), np.zeros_like(network.output)
        if self.score.bias:
            output[-1] = self.targets[node].mean()
        value = self.problem(node, network.inputs).value(first, output)
        return self.as_fit(value, Network(network.inputs, first, output, polished=True))

    def trimmed(self, fit: NodeFit) -> NodeFit:
        """Without the inputs that it does not use."""
        assert fit.support is not None
        return self.as_fit(fit.value, self.carried(fit.parameters, np.flatnonzero(fit.support)))

    def as_fit(self, value: float, network: Network) -> NodeFit:
        """With the inputs it uses."""
        k = network.inputs.size
        support = np.zeros(self.data.d, dtype=bool)
        support[network.inputs] = network.first[:, :k].any(axis=0)
        return NodeFit(value, network, support=support)
