"""Where the fit of a node's network begins: at random, or from another network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.mlp.residuals import Residuals
    from toposwap.scores.mlp.score import MLP
    from toposwap.scores.mlp.table import NetworkTable

#: How many idle units look at new inputs.
_REINITIALISED = 5
#: In a network without any unit in use: how many, out of how many, flat and steep.
_CHOSEN = 3
_CANDIDATES = 24
_STEEPNESS = np.resize([0.5, 1.0, 2.0], _CANDIDATES)[:, None]
#: How many units a further start draws anew.
_REDRAWN = 3


@dataclass(frozen=True, eq=False)
class Network:
    """One node: first layer (h, k, or k + 1 with biases), output (h, or h + 1), inputs (k,)."""

    inputs: NDArray[np.intp]
    first: NDArray[np.float64]
    output: NDArray[np.float64]
    polished: bool


@lru_cache(maxsize=256)
def _normal(seed: int, number: int, node: int, h: int, columns: int) -> NDArray[np.float64]:
    """Standard normal numbers for every column and the bias, (h, columns).

    Kept, because drawing takes longer than some of the fits that begin there, and starts recur.
    """
    return np.random.default_rng((seed, number, node)).standard_normal((h, columns))


class Starts:
    """Networks to begin with: drawn, carried over, or with a few units anew.

    Parameters
    ----------
    score, table
        Settings and columns.
    residuals
        Says which units explain most of what a network leaves over.
    """

    def __init__(self, score: MLP, table: NetworkTable, residuals: Residuals) -> None:
        self.score = score
        self.table = table
        self.residuals = residuals

    def started(self, node: int, inputs: NDArray[np.intp], number: int) -> Network:
        """A first layer whose units see all inputs alike; the same for the same arguments."""
        h, k, bias = self.score.hidden, inputs.size, self.score.bias
        columns = np.append(inputs, self.table.data.d) if bias else inputs
        drawn = _normal(self.score.seed, number, node, h, self.table.data.d + 1)
        first = drawn[:, columns]
        first[:, :k] /= self.table.deviations[inputs] * np.sqrt(max(k, 1))
        return Network(inputs, first, np.zeros(h + bias), polished=False)

    def redrawn(self, node: int, network: Network, number: int) -> Network:
        """With other weights of a few units, and of idle ones."""
        k = network.inputs.size
        fresh = self.started(node, network.inputs, number).first
        active = np.asarray(network.first[:, :k].any(axis=1))
        # Its rows are in no particular order, so neither are the units that it points at.
        order = np.argsort(fresh[:, 0])
        chosen = np.append(order[active[order]][:_REDRAWN], order[~active[order]][:_REINITIALISED])
        first = network.first.copy()
        first[chosen] = fresh[chosen]
        return Network(network.inputs, first, network.output, polished=False)

    def carried(self, network: Network, inputs: NDArray[np.intp]) -> Network:
        """The same network with other inputs: those it had keep their weights, new ones get 0."""
        h = self.score.hidden
        whole = np.zeros((h, self.table.data.d + 1))
        k = network.inputs.size
        whole[:, network.inputs] = network.first[:, :k]
        columns = inputs
        if self.score.bias:
            whole[:, -1] = network.first[:, -1]
            columns = np.append(inputs, self.table.data.d)
        return Network(inputs, whole[:, columns], network.output, polished=False)

    def reinitialised(self, node: int, network: Network, warm: NodeFit) -> Network:
        """With weights of a few idle units for the inputs that ``warm`` did not have.

        A unit without inputs has no output weight either, and no gradient ever gives it one. Where
        some units are in use, any weights will do for a few of the idle ones. Where none is, random
        units mostly cost more than they explain and lose their inputs before they fit anything: of
        many candidates those are taken that explain most of what the network leaves over.
        """
        k = network.inputs.size
        known = np.zeros(self.table.data.d, dtype=bool)
        known[warm.parameters.inputs] = True
        gained = np.flatnonzero(~known[network.inputs])
        idle = np.flatnonzero(~network.first[:, :k].any(axis=1))
        if not (gained.size and idle.size):
            return network
        first = network.first.copy()
        if idle.size == self.score.hidden:
            units = self._candidates(node, network.inputs, gained)
            chosen = self.residuals.explanatory(node, network, units, min(_CHOSEN, idle.size))
            first[: chosen.size] = units[chosen]
        else:
            idle = idle[:_REINITIALISED]
            fresh = self.started(node, network.inputs, 0).first[idle]
            # As large as if the gained inputs were all there are.
            first[np.ix_(idle, gained)] = fresh[:, gained] * np.sqrt(k / gained.size)
            first[idle, k:] = fresh[:, k:]
        return Network(network.inputs, first, network.output, polished=False)

    def _candidates(
        self, node: int, inputs: NDArray[np.intp], gained: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Units, flat and steep; half of them see the ``gained`` inputs alone."""
        k = inputs.size
        columns = np.append(inputs, self.table.data.d) if self.score.bias else inputs
        units = _normal(self.score.seed, 0, node, _CANDIDATES, self.table.data.d + 1)[:, columns]
        units[:, :k] /= self.table.deviations[inputs]
        units[:, gained] /= np.sqrt(gained.size)
        others = np.ones(k, dtype=bool)
        others[gained] = False
        known = np.flatnonzero(others)
        units[: _CANDIDATES // 2, known] /= np.sqrt(max(known.size, 1))
        units[_CANDIDATES // 2 :, known] = 0.0
        return units * _STEEPNESS
