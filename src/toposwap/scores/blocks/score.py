r"""One likelihood for tables of any kinds.

.. math:: Q(\theta, c) = \sum_j \ell_j\Bigl(x_j, \sum_i \theta_{ij}^\top Z_i, c_j\Bigr)
          + \frac{r}{2} \lVert \theta \rVert^2
          + \frac{\text{factor} \cdot \log n}{2n} \sum_{ij} m_i q_j\, [\theta_{ij} \ne 0],
          \qquad \theta_{ij} \in \mathbb R^{m_i \times q_j} .

A cause i is the block of its :math:`m_i` columns :math:`Z_i`: one of a number, k - 1 of a category
of k values (:mod:`~toposwap.scores.blocks.columns`). An effect j has the likelihood of its kind and
its :math:`q_j` predictors:

===========  =====================================================  ==================
continuous   Gaussian, 1/2 log of the residual sum of squares       1
binary       logistic                                               1
count        Poisson                                                1
ordinal      cumulative logit: one predictor, L - 1 thresholds      1
categorical  multinomial logit of L values                          L - 1
===========  =====================================================  ==================

:math:`W_{ij}` is the length of the block; of a number for a number the coefficient itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.losses import LEVEL_LOSSES, LOSSES, ColumnLoss
from toposwap.penalties import EBIC
from toposwap.scores.base import Score

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset
    from toposwap.scores.blocks.bound import BoundBlocks
    from toposwap.scores.blocks.design import Design
    from toposwap.scores.blocks.group import GroupBlocks
    from toposwap.scores.blocks.model import NodeLoss

#: r times the number of rows: as much as a hundredth of a row says.
RIDGE = 0.01
_ORDINAL = ("scores", "levels")


class Blocks(Score):
    """sum_j loss_j + price per parameter, a loss and a block of columns by kind; separable.

    Nothing depends on units, nor on what categories are called.

    Parameters
    ----------
    factor
        1 is Schwarz's criterion, log(n) / 2n per parameter; larger values ask for more evidence.
    gamma
        0.5 and 1 are usual for the extended criterion, which adds 2 gamma log(d) / n.
    ordinal
        What a rating is as a cause: its "scores", one number, or a block of its "levels".
    """

    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True
    weighs_rows: ClassVar[bool] = True
    takes_nominal: ClassVar[bool] = True
    uses_interventions: ClassVar[bool] = True

    def __init__(self, factor: float = 2.0, gamma: float = 0.0, ordinal: str = "scores") -> None:
        self.factor = factor
        self.gamma = gamma
        self.ordinal = ordinal

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name with its criterion: "blocks-bic", or "blocks-ebic" with a gamma."""
        return "blocks-ebic" if self.gamma else "blocks-bic"

    def bind(self, data: Dataset) -> BoundBlocks:
        """Find the kinds of the columns, their losses and their blocks."""
        from toposwap.scores.blocks.bound import BoundBlocks

        penalty = EBIC(checked("factor", self.factor), checked("gamma", self.gamma))
        check_blocks(self, data)
        weight = penalty.bind(data.n, data.d).weight
        design = design_of(data, self.ordinal)
        return BoundBlocks(self, data, design, node_losses(data), weight, RIDGE / data.n)


def check_blocks(score: Blocks | GroupBlocks, data: Dataset) -> None:
    """Raise where a setting, or the data, are none for blocks."""
    if score.ordinal not in _ORDINAL:
        raise InputError(f"ordinal: must be 'scores' or 'levels', got {score.ordinal!r}")
    if data.held is None:
        raise InputError(
            "blocks need the rows of the table, and only a covariance matrix is known: give the "
            "table"
        )
    if data.interventions is not None and data.interventions.kind != "perfect":
        raise InputError(
            f"intervention_kind: nothing can be added to categories, so score {score.name!r} takes "
            "'perfect' interventions only"
        )


def design_of(data: Dataset, ordinal: str) -> Design:
    """The columns of the variables as causes: blocks of categories, and of ratings if wanted."""
    from toposwap.scores.blocks.design import Design

    blocks = ("categorical", "ordinal") if ordinal == "levels" else ("categorical",)
    nominal = [known.kind.name in blocks for known in data.kinds]
    return Design(data, np.array(nominal, dtype=bool))


def node_losses(data: Dataset) -> list[NodeLoss]:
    """The loss of each column by its kind, (d,)."""
    found: list[NodeLoss] = []
    for j, known in enumerate(data.kinds):
        name = known.kind.block_loss(data.column(j))
        if name in LEVEL_LOSSES:
            found.append(LEVEL_LOSSES[name])
            continue
        loss = LOSSES[name]()
        assert isinstance(loss, ColumnLoss)
        loss.check(data, j)
        found.append(loss)
    return found
