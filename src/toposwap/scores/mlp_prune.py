r"""Which inputs of a network are parents.

From one fit the norms :math:`W_{ij}` of weak parents and of strong strangers overlap, because a
network that lacks a little uses whatever is near. So the norms are averaged over several fits from
different starts, the weakest inputs are dropped, the networks are fitted again without them, and so
on down to a single input. Of the sets on this way the one is kept that minimises

.. math:: -2 \log \text{likelihood} + 2 \log \log n \cdot \#\{A_{ai} \ne 0\}
          + 2 \log k \cdot \#\text{inputs}, \qquad k = \#\text{candidates} :

Hannan and Quinn's price for each weight that is not zero, and that of the extended BIC for choosing
an input among k. (The price of BIC, log n, counts weights that are held small by the penalties as
if they were free, and drops strong parents of nodes that have many.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.kernels.network import LOGISTIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.mlp_nodes import BoundMLP
    from toposwap.scores.separable import NodeFit

_FITS = 3
#: Up to so many inputs they are dropped one by one, above it a quarter at a time.
_ONE_BY_ONE = 12
#: Norms below this part of the node's largest go together.
_NEGLIGIBLE = 0.15

RULE = (
    f"inputs of small norm, over {_FITS} fits, are dropped and the rest fitted again; of the sets "
    "on the way the best by an information criterion is kept"
)


def kept_parents(bound: BoundMLP, node: int, inputs: NDArray[np.intp]) -> NodeFit:
    """The fit of ``node`` to those of ``inputs`` that are worth their price, polished."""
    starts = range(bound.score.n_starts, bound.score.n_starts + _FITS)
    candidates = max(inputs.size, 1)
    best = bound.cold_fits(node, inputs[:0], starts)[0]
    lowest = criterion(bound, node, best, candidates)
    fits = bound.cold_fits(node, inputs, starts)
    while inputs.size:
        fit = min(fits, key=lambda fit: fit.value)
        price = criterion(bound, node, fit, candidates)
        if price < lowest:
            best, lowest = fit, price
        norms = np.mean([edge_norms(fit) for fit in fits], axis=0)
        many = inputs.size > _ONE_BY_ONE
        count = max(
            -(-inputs.size // 4) if many else 1, int((norms < _NEGLIGIBLE * norms.max()).sum())
        )
        inputs = inputs[np.sort(np.argsort(norms, kind="stable")[count:])]
        if many:
            # Too much changes for the old networks to be near the best new ones.
            fits = bound.cold_fits(node, inputs, starts)
        else:
            fits = [bound.rough_fit(node, bound.carried(fit.parameters, inputs)) for fit in fits]
    return bound.polished(node, best.parameters)


def edge_norms(fit: NodeFit) -> NDArray[np.float64]:
    """W_ij for the inputs of a node, (k,)."""
    network = fit.parameters
    return np.asarray(np.abs(network.first[:, : network.inputs.size]).sum(axis=0))


def criterion(bound: BoundMLP, node: int, fit: NodeFit, candidates: int) -> float:
    """The formula above."""
    network = fit.parameters
    problem = bound.problem(node, network.inputs)
    _, f = problem.forward(network.first, network.output)
    n = bound.data.n
    if problem.loss == LOGISTIC:
        deviance = 2.0 * n * problem.loss_of(f)[0]
    else:
        deviance = n * float(np.log(np.mean((problem.y - f) ** 2)))
    weights = np.count_nonzero(network.first[:, : network.inputs.size])
    choice = 2.0 * np.log(candidates) * network.inputs.size
    return float(deviance + 2.0 * np.log(np.log(n)) * weights + choice)
