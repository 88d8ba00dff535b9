"""What a node's network leaves over, and what that asks for: inputs, units."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.mlp.unit_selection import explanatory_units
from toposwap.scores.mlp.problem import ACTIVATIONS, Layer, layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.mlp.penalties import ScaledPenalties
    from toposwap.scores.mlp.score import MLP
    from toposwap.scores.mlp.starts import Network
    from toposwap.scores.mlp.table import NetworkTable

#: Rows that tell which of some units explains most.
_ENOUGH_ROWS = 1000


class Residuals:
    """What networks leave over of their columns, in single precision.

    Parameters
    ----------
    score, table
        Settings and columns.
    penalties
        Of each node.
    """

    def __init__(self, score: MLP, table: NetworkTable, penalties: ScaledPenalties) -> None:
        self.score = score
        self.table = table
        self.penalties = penalties
        self.activation = ACTIVATIONS[score.activation]

    def violating(self, node: int, network: Network) -> NDArray[np.bool_]:
        """The columns that a network would use if they were among its inputs, (d,)."""
        # What an idle unit would do with an input is not to be seen from where it is.
        violating = np.ones(self.table.data.d, dtype=bool)
        if network.first[:, : network.inputs.size].any(axis=1).all():
            kinks = self.penalties[node].l1[:-1].astype(np.float32)
            violating = self.missing_gradient(node, network) > kinks
        violating[network.inputs] = violating[node] = False
        return violating

    def score_tests(self, node: int, network: Network) -> NDArray[np.float64]:
        """The score test of every column beside the inputs of a node's network, (d,)."""
        _, _, r = self._outputs(node, network)
        return self.table.score_tests(r, network.inputs)

    def missing_gradient(self, node: int, network: Network) -> NDArray[np.float32]:
        """The largest slope of the loss by a weight of each column, (d,), in single precision."""
        v, units, r = self._outputs(node, network)
        return np.asarray(
            np.abs((v[:, None] * units.slope * r) @ self.table.single[:-1].T).max(
                axis=0, initial=0.0
            )
        )

    def _outputs(
        self, node: int, network: Network
    ) -> tuple[NDArray[np.float32], Layer, NDArray[np.float32]]:
        """The output weights in use, their units and the residual (n,), in single precision."""
        used = np.flatnonzero(network.output[: self.score.hidden])
        v = network.output[used].astype(np.float32)
        z = (
            network.first[used].astype(np.float32)
            @ self.table.single[self.table.rows(network.inputs)]
        )
        units = layer(z, self.activation)
        f = v @ units.value + np.float32(network.output[-1] if self.score.bias else 0.0)
        r = self.table.node_losses[node].terms(self.table.single_targets[node], f)[1]
        return v, units, r.astype(np.float32)

    def explanatory(
        self, node: int, network: Network, units: NDArray[np.float64], count: int
    ) -> NDArray[np.int64]:
        """Which of the ``units`` (p, k or k + 1) explain most of the residual of ``network``.

        On some of the rows, at most ``count`` of them.
        """
        X, y = self._some_rows
        output = network.output[: self.score.hidden]
        used = np.flatnonzero(output)
        return explanatory_units(
            network.first[used].astype(np.float32, order="C"),
            output[used].astype(np.float32),
            float(network.output[-1]) if self.score.bias else 0.0,
            units.astype(np.float32, order="C"),
            X[self.table.rows(network.inputs)],
            y[node],
            count,
            self.table.node_losses[node].formula,
            self.activation,
        )

    @cached_property
    def _some_rows(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Columns with the ones below them, (d + 1, m), and targets, (d, m)."""
        table = self.table
        n = table.data.n
        if n <= _ENOUGH_ROWS:
            return table.single, table.single_targets
        rows = np.sort(np.random.default_rng(self.score.seed).permutation(n)[:_ENOUGH_ROWS])
        return table.single[:, rows], table.single_targets[:, rows]
