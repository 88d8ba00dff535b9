"""The node of each variable, on the rows that count for it.

With interventions these are the rows in which it was not set
(:mod:`toposwap.core.tables.own_rows`); the columns of its causes are those of all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.tables.codes import Levels
from toposwap.core.tables.unvarying import one_value_left
from toposwap.losses import GaussianLoss, LevelLoss, OnePredictor, RowLoss
from toposwap.scores.blocks.gaussian_node import GaussianNode
from toposwap.scores.blocks.nodes import RowsNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.scores.blocks.design import Design
    from toposwap.scores.blocks.model import NodeLoss


def own_designs(design: Design) -> list[Design]:
    """The rows that count for each node, (d,); of one that was set in all of them, all."""
    found = [design] * design.data.d
    if design.data.interventions is not None:
        for group in design.data.own_rows:
            own = design if group.kept is None or group.share == 0.0 else design.part(group.kept)
            for j in group.nodes:
                found[j] = own
    return found


def own_levels(design: Design, j: int) -> tuple[NDArray[np.int64], Levels]:
    """Column ``j`` as codes of the levels that it has in the rows of the design."""
    coded = design.data.coded(j)
    if design.kept is None:
        return coded.codes, coded.levels
    there, codes = np.unique(coded.codes[design.kept], return_inverse=True)
    names = tuple(coded.levels.names[k] for k in there)
    return codes.reshape(-1).astype(np.int64), Levels(coded.levels.numbers[there], names)


def node_of(design: Design, j: int, loss: NodeLoss | None, ridge: float) -> GaussianNode | RowsNode:
    """The node of variable ``j``."""
    if loss is None or isinstance(loss, GaussianLoss):
        return GaussianNode(design, j)
    assert design.data.rows is not None
    x = design.data.rows[:, j]
    if isinstance(loss, LevelLoss):
        return RowsNode(design, j, loss, own_levels(design, j)[0], ridge)
    assert isinstance(loss, RowLoss)
    x = x if design.kept is None else x[design.kept]
    if x.min() == x.max():
        raise one_value_left(design.data.names[j])
    return RowsNode(design, j, OnePredictor(loss), loss.target(x).y, ridge)
