"""The columns of a table as networks see them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.factor import power_of_two
from toposwap.losses import RowLoss
from toposwap.scores.mlp.loss import NodeLoss
from toposwap.scores.mlp.score_tests import ScoreTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses import ColumnLoss

#: Columns between these are of ordinary size, and are taken in their own units.
_SMALL, _LARGE = 1e-2, 1e2


class NetworkTable:
    """Inputs and targets of all nodes, in double and in single precision.

    Columns of no ordinary size are divided by a power of two, so that single precision, squares and
    the penalties of a node are numbers.

    Parameters
    ----------
    data
        With its rows.
    losses
        The loss of each column.
    bias
        Whether hidden units have biases and outputs intercepts; without them the origin matters.

    Attributes
    ----------
    sizes
        What the columns are divided by, (d,): powers of two, 1 for columns of ordinary size.
    node_losses
        The loss of each node in units of its own.
    double, single
        The columns about ``mean`` with a row of ones below them for the biases, (d + 1, n).
    targets, single_targets
        What the networks are to say, (d, n).
    mean, shift, unit
        What is taken off the inputs, and the location and unit of the targets, (d,) each, in the
        units of the data.
    deviations
        Of the columns of ``double``, (d,).
    """

    def __init__(self, data: Dataset, losses: tuple[ColumnLoss, ...], *, bias: bool) -> None:
        assert data.rows is not None
        self.data = data
        self.losses = losses
        self.bias = bias
        self.mean = data.mean if bias else np.zeros(data.d)
        deviations = data.deviations * data.scale
        # Without biases the distance from the origin is what networks see.
        size = deviations if bias else np.hypot(deviations, data.mean)
        ordinary = (size >= _SMALL) & (size <= _LARGE)
        self.sizes = np.where(ordinary, 1.0, power_of_two(size))
        self.deviations = deviations / self.sizes
        X = np.ascontiguousarray(data.rows.T)
        # With the row of the biases at the end, ready to be picked from.
        centred = (X - self.mean[:, None]) / self.sizes[:, None]
        self.double = np.vstack([centred, np.ones((1, data.n))])
        self.single = self.double.astype(np.float32)
        self.shift, self.unit = self.mean.copy(), np.ones(data.d)
        self.targets = centred.copy()
        outputs = self.sizes.copy()
        for j, loss in enumerate(losses):
            if isinstance(loss, RowLoss):
                self.targets[j], self.shift[j], self.unit[j] = loss.target(X[j])
                outputs[j] = 1.0
        self.single_targets = self.targets.astype(np.float32)
        self.node_losses = tuple(map(NodeLoss, losses, outputs.tolist()))

    @property
    def scales(self) -> NDArray[np.float64]:
        """What the gradient by a bias is measured by, (d,): the variance of a column of squares."""
        squares = np.array([loss.has_units for loss in self.losses])
        return np.where(squares, self.deviations**2, 1.0)

    @cached_property
    def score_tests(self) -> ScoreTests:
        """Score tests of every column against the residual of a node."""
        return ScoreTests(self.double[:-1])

    def rows(self, inputs: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where ``inputs`` (k,) and the ones for the biases stand in the columns, (k,) or more."""
        if not self.bias:
            return inputs
        rows = np.full(inputs.size + 1, self.data.d)
        rows[:-1] = inputs
        return rows
