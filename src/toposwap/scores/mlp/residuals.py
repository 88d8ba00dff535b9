"""What a node's network leaves over, and what that asks for: inputs, units."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.mlp.unit_selection import explanatory_units
from toposwap.scores.mlp.problem import Layer, formula, layer, loss_terms
from toposwap.scores.mlp.score_tests import ScoreTests
from toposwap.scores.mlp.starts import Network, NetworkStarts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.losses import ColumnLoss

#: Rows that tell which of some units explains most.
_ENOUGH_ROWS = 1000


class NetworkResiduals(NetworkStarts):
    """The part of the score that looks at residuals.

    Attributes
    ----------
    inputs
        The columns as networks see them, (d, n).
    losses, activation
        The loss of each column, and of hidden units the function, by number.
    """

    inputs: NDArray[np.float64]
    losses: tuple[ColumnLoss, ...]
    activation: int
    _single: NDArray[np.float32]
    _targets: NDArray[np.float32]

    def wanted(self, node: int, network: Network) -> NDArray[np.bool_]:
        """The columns that a network would use if they were among its inputs, (d,)."""
        # What an idle unit would do with an input is not to be seen from where it is.
        wanted = np.ones(self.data.d, dtype=bool)
        if network.first[:, : network.inputs.size].any(axis=1).all():
            wanted = self.missing_gradient(node, network) > self.score.l1
        wanted[network.inputs] = wanted[node] = False
        return wanted

    def score_tests(self, node: int, network: Network) -> NDArray[np.float64]:
        """What every column score_tests the node beside the inputs of its network, (d,)."""
        _, _, r = self._outputs(node, network)
        return self._score_tests(r, network.inputs)

    @cached_property
    def _score_tests(self) -> ScoreTests:
        return ScoreTests(self.inputs)

    def missing_gradient(self, node: int, network: Network) -> NDArray[np.float32]:
        """The largest slope of the loss by a weight of each column, (d,), in single precision."""
        v, units, r = self._outputs(node, network)
        return np.asarray(
            np.abs((v[:, None] * units.slope * r) @ self._single[:-1].T).max(axis=0, initial=0.0)
        )

    def _outputs(
        self, node: int, network: Network
    ) -> tuple[NDArray[np.float32], Layer, NDArray[np.float32]]:
        """The output weights in use, their units and the residual (n,), in single precision."""
        used = np.flatnonzero(network.output[: self.score.hidden])
        v = network.output[used].astype(np.float32)
        z = network.first[used].astype(np.float32) @ self._single[self._rows(network.inputs)]
        units = layer(z, self.activation)
        f = v @ units.value + np.float32(network.output[-1] if self.score.bias else 0.0)
        r = loss_terms(self.losses[node], self._targets[node], f)[1]
        return v, units, r.astype(np.float32)

    def explanatory(
        self, node: int, network: Network, units: NDArray[np.float64], count: int
    ) -> NDArray[np.int64]:
        """By single precision on some of the rows."""
        X, y = self._some_rows
        output = network.output[: self.score.hidden]
        used = np.flatnonzero(output)
        return explanatory_units(
            network.first[used].astype(np.float32, order="C"),
            output[used].astype(np.float32),
            float(network.output[-1]) if self.score.bias else 0.0,
            units.astype(np.float32, order="C"),
            X[self._rows(network.inputs)],
            y[node],
            count,
            formula(self.losses[node]),
            self.activation,
        )

    @cached_property
    def _some_rows(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Columns with the ones below them, (d + 1, m), and targets, (d, m)."""
        n = self.data.n
        if n <= _ENOUGH_ROWS:
            return self._single, self._targets
        rows = np.sort(np.random.default_rng(self.score.seed).permutation(n)[:_ENOUGH_ROWS])
        return self._single[:, rows], self._targets[:, rows]

    def _rows(self, inputs: NDArray[np.intp]) -> NDArray[np.intp]:
        """Of the columns with the ones below them."""
        if not self.score.bias:
            return inputs
        rows = np.full(inputs.size + 1, self.data.d)
        rows[:-1] = inputs
        return rows
