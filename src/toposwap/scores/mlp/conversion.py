"""Networks between the units of the data and those of the table: the only place that converts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.scores.mlp.score import Networks
from toposwap.scores.mlp.starts import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.scores.mlp.table import NetworkTable


def from_data(
    table: NetworkTable, parameters: Networks, node: int, inputs: NDArray[np.intp]
) -> Network:
    """The network of ``node`` with ``inputs`` (k,), of ``parameters`` in the units of the data."""
    size = table.node_losses[node].size
    with np.errstate(over="ignore", under="ignore"):
        first = parameters.first[inputs, :, node].T * table.sizes[inputs]
        output = parameters.output[:, node] / size
        if table.bias:
            first = np.column_stack([first, parameters.biases[:, node]])
            output = np.append(output, parameters.intercepts[node] / size)
    return Network(inputs, first, output, polished=True)


def to_data(table: NetworkTable, networks: Sequence[Network]) -> Networks:
    """The d ``networks`` together, in the units of the data."""
    d, h = len(networks), len(networks[0].first)
    first, biases, output = np.zeros((d, h, d)), np.zeros((h, d)), np.zeros((h, d))
    intercepts = np.zeros(d)
    for j, network in enumerate(networks):
        inputs, size = network.inputs, table.node_losses[j].size
        first[inputs, :, j] = (network.first[:, : inputs.size] / table.sizes[inputs]).T
        output[:, j] = network.output[:h] * size
        if table.bias:
            biases[:, j] = network.first[:, -1]
            intercepts[j] = network.output[-1] * size
    return Networks(first, biases, output, intercepts)
