r"""Neural networks of any depth, through torch.

.. math:: f_j(x) = v_j \cdot \sigma(A^{(k)}_j \cdots \sigma(A^{(1)}_j x)), \qquad
          \theta_{ij} = i\text{-th column of } A^{(1)}_j .
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.core.runtime.settings import checked
from toposwap.losses import LOSSES, LeastSquaresLoss, Loss
from toposwap.penalties import L1
from toposwap.scores.base import BoundScore, Score

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset

ACTIVATIONS = ("sigmoid", "tanh", "relu", "softplus", "elu", "silu", "sin")


class TorchMLP(Score):
    r"""A network for each node, all of them solved in one batch.

    With one hidden layer and the sigmoid,

    .. math:: Q_j = \tfrac1{2n} \lVert x_j - \sigma(X A_j^\top + b_j) v_j - c_j \rVert^2
              + l_1 \lVert A_j \rVert_1
              + \tfrac{l_2}2 (\lVert A_j \rVert_F^2 + \lVert v_j \rVert^2),

    A_j (hidden, d), b_j, v_j (hidden,); deeper networks pay :math:`l_2` for all their weights and
    :math:`l_1` for the first layer's. Biases cost nothing. The parameters are "A1" (d, h_1, d),
    "A2" (d, h_2, h_1), ..., "v" (d, h_k) and with ``bias=True`` "b1" (d, h_1), ..., "c" (d,).

    Parameters
    ----------
    hidden
        The number of hidden units, or one for each hidden layer.
    activation
        "sigmoid", "tanh", "relu", "softplus", "elu", "silu" or "sin", or a function of tensors.
    l1, l2
        Weights of the absolute values of the first layer, and of half the squares of all layers.
    bias
        Whether hidden units have biases and outputs intercepts. Without them the origin matters,
        and columns are taken as they are given, whether or not the data are to be centred.
    loss
        "least-squares"; "gaussian", the likelihood 1/2 log ||x_j - f_j||^2; "logistic" for columns
        of zeros and ones; "auto" to choose by column; or a loss of :mod:`toposwap.losses`.
    n_starts
        A node is solved from this many random starting values when nothing is known about it yet.
    seed
        Of the starting values; the same for every fit, so that results can be repeated.
    device
        Where torch computes, for example "cuda".
    tolerance
        Relative KKT residual to reach: block norms of the gradient over their size at the start.
    max_iter
        Most quasi-Newton steps for one solution.
    """

    name: ClassVar[str] = "torch-mlp"
    convex: ClassVar[bool] = False
    separable: ClassVar[bool] = True
    #: W_ij is the 1-norm of a column of the first layer, and does not determine it.
    edge_blocks: ClassVar[bool] = True

    def __init__(
        self,
        hidden: int | tuple[int, ...] = (20,),
        activation: Any = "sigmoid",
        *,
        l1: float = 0.01,
        l2: float = 0.001,
        bias: bool = True,
        loss: str | Loss = "least-squares",
        n_starts: int = 1,
        seed: int = 0,
        device: str = "cpu",
        tolerance: float = 1e-5,
        max_iter: int = 3000,
    ) -> None:
        self.hidden = _widths(hidden)
        if not callable(activation) and activation not in ACTIVATIONS:
            raise InputError(
                f"activation: {activation!r} is not one of {', '.join(map(repr, ACTIVATIONS))}, "
                "nor a function of tensors"
            )
        self.activation = activation
        self.l1 = checked("l1", l1)
        self.l2 = checked("l2", l2)
        self.bias = bool(bias)
        self.loss: Loss = resolve("loss", loss, LOSSES, Loss)
        self.n_starts = _whole("n_starts", n_starts, 1)
        self.seed = _whole("seed", seed, 0)
        self.device = device
        if not 0.0 < tolerance < 1.0:
            raise InputError(f"tolerance: must be a number between 0 and 1, got {tolerance!r}")
        self.tolerance = tolerance
        self.max_iter = _whole("max_iter", max_iter, 1)

    @property
    def selects_edges(self) -> bool:  # type: ignore[override]
        """The l1 norm of the first layer does."""
        return self.l1 > 0.0

    @property
    def scale_dependent(self) -> bool:  # type: ignore[override]
        """Squares of residuals have units, and so have the weights that are paid for."""
        return isinstance(self.loss, LeastSquaresLoss) or self.l1 > 0.0 or self.l2 > 0.0

    def bind(self, data: Dataset) -> BoundScore:
        """Find the loss of each column and lay out the networks."""
        from toposwap.scores.custom.layout import Layout, Part
        from toposwap.scores.custom.problem import Problem
        from toposwap.scores.torch.networks import BoundNetworks, Networks

        networks = Networks(self, data)
        example = networks.random(np.random.default_rng(self.seed))
        layout = Layout(example, data.d, {"A1": (2, 0)}, nodewise=True)
        # Each start has a generator of its own, so that more starts begin with the same ones.
        starts = [
            layout.pack(networks.random(np.random.default_rng([self.seed, k])))
            for k in range(self.n_starts)
        ]
        parts = [Part(layout, j) for j in range(data.d)]
        networks.shapes = parts[0].shapes
        problem = Problem(
            data,
            layout,
            parts,
            networks.batch,
            np.array(starts),
            penalty=L1(self.l1),
            tolerance=self.tolerance,
            max_iter=self.max_iter,
            check=False,
        )
        return BoundNetworks(self, data, problem, networks.predictor)


def _widths(hidden: Any) -> tuple[int, ...]:
    widths = tuple(hidden) if isinstance(hidden, list | tuple) else (hidden,)
    if not widths or any(not isinstance(h, int | np.integer) or h < 1 for h in widths):
        raise InputError(
            f"hidden: must be a whole number >= 1, or one for each hidden layer, got {hidden!r}"
        )
    return tuple(int(h) for h in widths)


def _whole(argument: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{argument}: must be a whole number >= {least}, got {value!r}")
    return int(value)
