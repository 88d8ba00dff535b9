r"""Which inputs of a network are parents.

From one fit the norms :math:`W_{ij}` of weak parents and of strong strangers overlap: a network
that lacks a little uses whatever is near. So the norms are averaged over several fits from
different starts, inputs far below the node's strongest are dropped, and the rest is fitted again
and judged again, a little more strictly, until nothing is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.mlp_nodes import BoundMLP
    from toposwap.scores.separable import NodeFit

#: An input is dropped when its norm times its standard deviation is below this ...
_NEGLIGIBLE = 0.5
#: ... or its norm is below this part of the largest of its node, round by round.
_SHARES = (0.2, 0.3, 0.35)
_FITS = 3

RULE = (
    f"norms of first layers averaged over {_FITS} fits, at least {_SHARES[-1]:.0%} of the node's "
    "largest, fitted again after each round"
)


def kept_parents(bound: BoundMLP, node: int, inputs: NDArray[np.intp]) -> NodeFit:
    """The fit of ``node`` to those of ``inputs`` that stand out, polished."""
    level = 0
    starts = range(bound.score.n_starts, bound.score.n_starts + _FITS)
    fits = bound.cold_fits(node, inputs, starts)
    while inputs.size and level < len(_SHARES):
        norms = np.mean(
            [np.abs(fit.parameters.first[:, : inputs.size]).sum(axis=0) for fit in fits], axis=0
        )
        strong = (norms >= _SHARES[level] * norms.max()) & (norms >= _NEGLIGIBLE)
        level += 1
        if not strong.all():
            inputs = inputs[strong]
            fits = bound.cold_fits(node, inputs, starts)
    return bound.polished(node, min(fits, key=lambda fit: fit.value).parameters)
