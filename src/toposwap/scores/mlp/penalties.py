r"""The penalties of a node in the units that its network is solved in.

With inputs divided by sizes :math:`D_i`, outputs by :math:`D_j` and values by :math:`m_j` (see
:mod:`toposwap.scores.mlp.loss`), weights are :math:`\tilde A_{ai} = A_{ai} D_i`,
:math:`\tilde v_a = v_a / D_j`, and the penalties of Q become

.. math:: \sum_{ai} \frac{\lambda_1}{D_i m_j} |\tilde A_{ai}|
          + \frac{\lambda_2}{2 D_i^2 m_j} \tilde A_{ai}^2
          + \frac{\lambda_2 D_j^2}{2 m_j} \sum_a \tilde v_a^2 .
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.mlp.score import MLP
    from toposwap.scores.mlp.table import NetworkTable

#: No slope of a loss, where inputs and outputs have size one, is as large as this: a weight that
#: costs more is zero.
_EVERYTHING = 1e30
#: Squares that weigh more hold a weight below the reciprocal of it, which counts as zero.
_HOLDS = 1e12
#: Penalties below this are none, and ridges above its reciprocal leave nothing of an output.
_NOTHING = 1e-300


class NodePenalties(NamedTuple):
    """Weights of |A_ai| and A_ai^2 / 2 by input, (d + 1,) with a zero for biases, and of v_a^2 / 2.

    They are picked by :meth:`NetworkTable.rows`.
    """

    l1: NDArray[np.float64]
    decay: NDArray[np.float64]
    ridge: float


class ScaledPenalties:
    """The penalties of every node.

    Parameters
    ----------
    score, table
        Settings and columns.
    required
        Inputs (d, d) that a node must have: their weights bear no l1 penalty.
    """

    def __init__(
        self, score: MLP, table: NetworkTable, required: NDArray[np.bool_] | None = None
    ) -> None:
        self._score = score
        self._table = table
        self._required = required
        self._known: dict[int, NodePenalties] = {}

    def __getitem__(self, node: int) -> NodePenalties:
        if node not in self._known:
            self._known[node] = self._of(node)
        return self._known[node]

    @property
    def l1(self) -> NDArray[np.float64]:
        """Weights of the absolute values, (d, d), ``[i, j]`` for input i of node j."""
        return np.column_stack([self[j].l1[:-1] for j in range(self._table.data.d)])

    def _of(self, node: int) -> NodePenalties:
        table, score = self._table, self._score
        own = table.node_losses[node]
        sizes = table.sizes
        with np.errstate(over="ignore", under="ignore"):
            l1 = np.append(score.l1 / sizes / own.unit, 0.0)
            decay = np.append(score.l2 / sizes / sizes / own.unit, 0.0)
            ridge = float(score.l2 * (own.size / own.unit * own.size))
        if self._required is not None:
            l1[:-1][self._required[:, node]] = 0.0
        held = decay > _HOLDS
        l1[held], decay[held] = _EVERYTHING, 0.0
        l1, decay = np.minimum(l1, _EVERYTHING), np.where(decay < _NOTHING, 0.0, decay)
        l1[l1 < _NOTHING] = 0.0
        return NodePenalties(l1, decay, min(ridge, 1.0 / _NOTHING) if ridge > _NOTHING else 0.0)
