r"""How well the data determine the block of each edge, the graph being given.

.. math:: \hat\theta_{ij} \sim N(\theta_{ij}, \Sigma_{ij}), \qquad
          \Sigma = \frac1n \Bigl(\frac{\partial^2 \ell_j}{\partial(\theta, c)^2}\Bigr)^{-1}, \qquad
          \Delta_{ij} = 2n \Bigl(\min_{\theta_{ij} = 0} \ell_j - \min \ell_j\Bigr)
          \sim \chi^2_{m_i q_j} \text{ without the edge,}

with the losses of :mod:`~toposwap.scores.blocks.score` on the parents of each effect, without a
penalty. Of a Gaussian column :math:`\Sigma` has the residual variance over its degrees of freedom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.losses.multinomial import MultinomialLoss, contrasts
from toposwap.scores.blocks.columns import LevelColumns
from toposwap.scores.blocks.design import Design
from toposwap.scores.blocks.nodes import RowsNode
from toposwap.scores.blocks.own_nodes import node_of, own_designs, own_levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.core.tables.codes import Levels
    from toposwap.scores.blocks.gaussian_node import GaussianNode
    from toposwap.scores.blocks.model import NodeLoss
    from toposwap.scores.blocks.nodes import Fitted

    Floats = NDArray[np.float64]


class BlockEstimate(NamedTuple):
    """The block of one edge.

    Attributes
    ----------
    theta
        (m, q), in the units of the data.
    covariance
        (m q, m q) of ``theta.T.ravel()``, predictor by predictor.
    freedom
        Degrees of freedom of the residual variance; infinite where there is none.
    ratio
        By how much twice the log-likelihood falls without the edge.
    cause, effect
        The columns of a category as a cause, and the values of one as an effect; else None.
    """

    theta: Floats
    covariance: Floats
    freedom: float
    ratio: float
    cause: LevelColumns | None
    effect: Levels | None

    def by_value(self) -> tuple[Floats, Floats]:
        """What each value of the cause adds to each of the effect, and standard errors, (k, L).

        About the average over the rows of the cause, and over the values of the effect; a number
        is one value, its unit.
        """
        one = np.ones((1, 1))
        A = one if self.cause is None else self.cause.values
        B = one if self.effect is None else contrasts(len(self.effect))
        maps = np.kron(B, A)
        variances = np.einsum("ra,ab,rb->r", maps, self.covariance, maps)
        shape = len(B), len(A)
        return A @ self.theta @ B.T, np.sqrt(variances).reshape(shape).T


def _loss(node: GaussianNode | RowsNode, fitted: Fitted) -> float:
    """Without the ridge."""
    if isinstance(node, RowsNode):
        return fitted.value - 0.5 * node.ridge * float(np.square(fitted.theta).sum())
    return fitted.value


def block_estimates(
    data: Dataset,
    nominal: NDArray[np.bool_],
    losses: Sequence[NodeLoss],
    edges: NDArray[np.bool_],
    ridge: float,
) -> Iterator[tuple[int, int, BlockEstimate]]:
    """Each of ``edges`` (d, d) as (cause, effect, estimate), fitted again with these edges alone.

    Parameters
    ----------
    data
        With its rows.
    nominal
        Which variables are blocks of indicators as causes, (d,).
    losses
        Of the variables as effects, (d,).
    edges
        A DAG.
    ridge
        What keeps coefficients finite.
    """
    design = Design(data, nominal)
    designs = own_designs(design)
    for j in np.flatnonzero(edges.any(axis=0)).tolist():
        if data.shares[j] == 0.0:
            # Set from outside in every row.
            continue
        node, parents = node_of(designs[j], j, losses[j], ridge), edges[:, j]
        fitted = node.fit(parents)
        covariance, freedom = node.covariance(parents)
        several = isinstance(losses[j], MultinomialLoss)
        effect = own_levels(node.design, j)[1] if several else None
        index = node.design.index(parents)
        units = node.unit / design.units[index]
        scales = np.tile(units, node.q)
        owner = np.searchsorted(design.starts, index, side="right") - 1
        for i in np.flatnonzero(parents).tolist():
            fewer = parents.copy()
            fewer[i] = False
            without = node.fit(fewer, parents) if isinstance(node, RowsNode) else node.fit(fewer)
            ratio = 2.0 * node.design.n * (_loss(node, without) - _loss(node, fitted))
            own = np.flatnonzero(owner == i)
            of = (own + index.size * np.arange(node.q)[:, None]).ravel()
            block = covariance[np.ix_(of, of)] * np.outer(scales[of], scales[of])
            theta = fitted.theta[index[own]] * units[own, None]
            columns = design.columns[i]
            yield (
                i,
                j,
                BlockEstimate(
                    theta,
                    block,
                    freedom,
                    max(ratio, 0.0),
                    columns if isinstance(columns, LevelColumns) else None,
                    effect,
                ),
            )
