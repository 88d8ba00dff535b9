r"""Networks with one hidden layer, as in the paper.

.. math:: Q(\Theta) = \sum_j \Bigl( \frac{1}{2n} \lVert x_j - f_j \rVert^2
          + \lambda_1 \lVert A_j \rVert_1 + \frac{\lambda_2}{2} \bigl( \lVert A_j \rVert_F^2
          + \lVert v_j \rVert^2 \bigr) \Bigr), \qquad
          f_j = v_j^\top \sigma(A_j x + b_j) + c_j ,

:math:`A_j \in \mathbb R^{h \times d}`, :math:`b_j, v_j \in \mathbb R^h`. The block of the edge
i -> j is the i-th column of :math:`A_j`, so :math:`W_{ij} = \lVert A_j e_i \rVert_1`; output
weights, biases :math:`b_j` and intercepts :math:`c_j` belong to no edge and carry no l1. Biases and
intercepts carry no penalty at all. Instead of squares a column may have the likelihood
:math:`\frac12 \log \lVert x_j - f_j \rVert^2` ("gaussian") or any other loss of
:mod:`toposwap.losses` at f_j: logistic, Poisson, Huber's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.runtime.settings import checked
from toposwap.losses import MomentLoss, RowLoss
from toposwap.losses.base import rows_of
from toposwap.scores.base import Score
from toposwap.scores.densities import Densities
from toposwap.scores.mlp.problem import ACTIVATIONS, layer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.losses import ColumnLoss, Loss
    from toposwap.scores.mlp.bound import BoundMLP


@dataclass(frozen=True, eq=False)
class Networks:
    """The parameters of all nodes.

    Attributes
    ----------
    first
        (d, h, d): ``first[i, :, j]`` is the block of the edge i -> j.
    biases, output
        (h, d) each: b_j and v_j in column j.
    intercepts
        (d,).
    """

    first: NDArray[np.float64] = field(repr=False)
    biases: NDArray[np.float64] = field(repr=False)
    output: NDArray[np.float64] = field(repr=False)
    intercepts: NDArray[np.float64] = field(repr=False)

    @property
    def weights(self) -> NDArray[np.float64]:
        """W_ij = ||A_j e_i||_1, (d, d), the 1-norm of the edge's block."""
        return np.asarray(np.abs(self.first).sum(axis=1))


@dataclass(frozen=True, eq=False, repr=False)
class NetworkModel:
    """The mean of each column by its network, as a function of new rows.

    Attributes
    ----------
    networks
        The parameters.
    mean
        What is taken off the inputs, (d,).
    shift, unit
        A column is shift + unit * the mean of its loss at the output, (d,) each.
    losses
        One for each column.
    activation
        Its code.
    densities
        The columns' distributions at the outputs; unknown while they are worked out.
    """

    networks: Networks
    mean: NDArray[np.float64]
    shift: NDArray[np.float64]
    unit: NDArray[np.float64]
    losses: Sequence[ColumnLoss]
    activation: int
    densities: Densities | None = None

    def with_densities(self, X: NDArray[np.float64]) -> NetworkModel:
        """The same model with the distributions of the columns of its data X (n, d)."""
        return replace(self, densities=Densities.of_rows(self.losses, X, self.outputs(X)))

    def log_density(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log p of each row of ``X`` (m, d) at the networks' outputs, (m,)."""
        assert self.densities is not None
        return self.densities(X, self.outputs(X))

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each column at the outputs for rows ``X`` (m, d), (m, d)."""
        f = self.outputs(X)
        return np.column_stack([loss.mean(f[:, j]) for j, loss in enumerate(self.losses)])

    def outputs(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the networks say, in the units of the columns or as logarithms of odds, (m, d)."""
        inputs = (X - self.mean).T
        values = np.empty(X.shape)
        for j in range(X.shape[1]):
            z = self.networks.first[:, :, j].T @ inputs + self.networks.biases[:, j, None]
            units = layer(z, self.activation).value
            f = self.networks.output[:, j] @ units + self.networks.intercepts[j]
            values[:, j] = self.unit[j] * f + self.shift[j]
        return values

    def standardised(
        self, weights: NDArray[np.float64], deviations: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """w_ij sd_i, (d, d): what the units of a node feel of a deviation; those have no units."""
        return weights * deviations[:, None]


class MLP(Score):
    r"""sum_j loss(x_j, v_j . sigma(A_j x + b_j) + c_j) + l1 ||A||_1 + l2/2 (||A||^2 + ||v||^2).

    Not convex: a certified point is a KKT point. With the least-squares loss right when all noise
    variances are equal and the units of the columns are meaningful.

    Parameters
    ----------
    hidden
        Number of hidden units h of each node.
    l1
        Weight of the absolute values of the first layer.
    l2
        Weight of half the squares of the first layer and the output weights.
    n_starts
        How often a node is fitted: from a random first layer, then from the best network so far
        with a few units drawn anew; the best solution is kept.
    loss
        A loss or its name ("least-squares", "gaussian", "logistic", "poisson", "huber"), a loss
        for each column as a list or a mapping from names, or "auto".
    activation
        "sigmoid", "tanh" or "relu".
    bias
        Whether hidden units have biases and outputs intercepts. Without them the origin matters,
        and columns are taken as they are given, whether or not the data are to be centred.
    seed
        Seed of the random first layers.
    """

    name: ClassVar[str] = "mlp"
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    selects_edges: ClassVar[bool] = False
    scale_dependent: ClassVar[bool] = True
    edge_blocks: ClassVar[bool] = True

    def __init__(
        self,
        hidden: int = 20,
        l1: float = 0.01,
        l2: float = 0.001,
        n_starts: int = 6,
        *,
        loss: str | Loss = "least-squares",
        activation: str = "sigmoid",
        bias: bool = True,
        seed: int = 0,
    ) -> None:
        self.hidden = hidden
        self.l1 = l1
        self.l2 = l2
        self.n_starts = n_starts
        self.loss = loss
        self.activation = activation
        self.bias = bias
        self.seed = seed

    def bind(self, data: Dataset) -> BoundMLP:
        """Check the settings and the columns."""
        from toposwap.scores.mlp.bound import BoundMLP
        from toposwap.scores.penalized.score import as_loss

        for argument, least in (("hidden", 1), ("n_starts", 1), ("seed", 0)):
            given = getattr(self, argument)
            whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
            if not (whole and given >= least):
                raise InputError(f"{argument}: must be a whole number >= {least}, got {given!r}")
        checked("l1", self.l1)
        checked("l2", self.l2, positive=True)
        if self.activation not in ACTIVATIONS:
            raise InputError(
                f"activation: {self.activation!r} is not one of {', '.join(map(repr, ACTIVATIONS))}"
            )
        if not isinstance(self.bias, bool | np.bool_):
            raise InputError(f"bias: must be True or False, got {self.bias!r}")
        rows_of(data, "network's")
        shared = as_loss(self.loss)
        if not shared.separable:
            raise InputError(
                f"loss: networks are fitted column by column, and the {shared.name} loss is one of "
                "all columns together: use 'least-squares' or 'gaussian'"
            )
        losses = shared.columns(data)
        for name, loss in zip(data.names, losses, strict=True):
            if not isinstance(loss, MomentLoss | RowLoss):
                raise InputError(
                    f"loss: {loss!r} of column {name!r} is neither a function of the residual "
                    "variance (subclass MomentLoss) nor a sum over rows (subclass RowLoss), so no "
                    "network can be fitted with it"
                )
            if isinstance(loss, RowLoss) and not loss.intercept:
                raise InputError(
                    f"loss: {loss!r} has no intercept, and whether networks have is their own "
                    "setting: use bias=False"
                )
        return BoundMLP(self, data, losses)
