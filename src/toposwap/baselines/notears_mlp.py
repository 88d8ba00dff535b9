r"""NOTEARS-MLP: a small network for each variable.

.. math:: f_j(x) = c_j + \sum_{u} v_{ju}\, \sigma\Bigl(b_{ju} + \sum_i A_{jui} x_i\Bigr), \qquad
          W_{ij} = \Bigl(\sum_u A_{jui}^2\Bigr)^{1/2},

with m hidden units u and the sigmoid :math:`\sigma`: Zheng, Dan, Aragam, Ravikumar, Xing (2020).
The problem is

.. math:: \min \frac1{2n} \sum_j \lVert x_j - f_j(X) \rVert^2 + \lambda_1 \lVert A \rVert_1
          + \tfrac{\lambda_2}2 \bigl(\lVert A \rVert^2 + \lVert v \rVert^2\bigr)
          \quad\text{subject to}\quad h(W \circ W) = 0 .

The gradient is written out, so nothing but NumPy is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import expit

from toposwap.acyclicity import ACYCLICITIES, Acyclicity
from toposwap.baselines.augmented import augmented_lagrangian
from toposwap.baselines.base import Baseline, Found
from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.losses.base import rows_of
from toposwap.scores import BoundScore, Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Network:
    """Parameters of d networks: ``A`` (d, m, d), ``b`` (d, m), ``v`` (d, m), ``c`` (d,)."""

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    v: NDArray[np.float64]
    c: NDArray[np.float64]

    @classmethod
    def unpacked(cls, x: NDArray[np.float64], d: int, m: int) -> Network:
        """From one vector (d m d + 2 d m + d,)."""
        A, b, v, c = np.split(x, np.cumsum([d * m * d, d * m, d * m]))
        return cls(A.reshape(d, m, d), b.reshape(d, m), v.reshape(d, m), c)

    def packed(self) -> NDArray[np.float64]:
        """A, b, v and c in one vector (d m d + 2 d m + d,); see :meth:`unpacked`."""
        return np.concatenate([part.ravel() for part in (self.A, self.b, self.v, self.c)])

    @classmethod
    def random(cls, d: int, m: int, rng: np.random.Generator) -> Network:
        """Uniform within 1/sqrt(inputs); the first layer is the difference of two such draws."""
        first, second = 1.0 / np.sqrt(d), 1.0 / np.sqrt(m)
        # The parts of the first layer start within their bounds, at least zero.
        parts = rng.uniform(-first, first, (2, d, m, d)).clip(min=0.0)
        A = parts[0] - parts[1]
        A[np.arange(d), :, np.arange(d)] = 0.0
        offsets = rng.uniform(-first, first, (2, d, m))
        v = rng.uniform(-second, second, (d, m))
        return cls(A, offsets[0] - offsets[1], v, rng.uniform(-second, second, d))

    def weights(self) -> NDArray[np.float64]:
        """W_ij = ||A_j[:, i]||_2, (d, d): zero iff no hidden unit of j looks at i."""
        return np.sqrt(np.einsum("jui,jui->ij", self.A, self.A))

    def without(self, absent: NDArray[np.bool_]) -> Network:
        """The network that does not look at the pairs ``absent`` (d, d)."""
        keep = ~absent.T[:, None, :]
        return Network(self.A * keep, self.b, self.v, self.c)

    def loss(self, X: NDArray[np.float64]) -> tuple[float, Network]:
        """1/(2n) sum_j ||x_j - f_j(X)||^2 and its gradient, for X (n, d)."""
        n, d = X.shape
        m = self.b.shape[1]
        hidden = expit(X @ self.A.reshape(d * m, d).T + self.b.ravel()).reshape(n, d, m)
        error = np.einsum("nju,ju->nj", hidden, self.v) + self.c - X
        value = 0.5 * float(np.vdot(error, error)) / n
        error /= n
        back = hidden * (1.0 - hidden)
        back *= self.v
        back *= error[:, :, None]
        flat = back.reshape(n, d * m)
        return value, Network(
            (flat.T @ X).reshape(d, m, d),
            back.sum(axis=0),
            np.einsum("nju,nj->ju", hidden, error),
            error.sum(axis=0),
        )


class NotearsMLP(Baseline):
    """Augmented Lagrangian on networks with one hidden layer.

    The result is judged by the least-squares loss of the networks: ``score_`` is
    1/(2n) sum_j ||x_j - f_j(X)||^2, without penalties, and the certificate speaks of it.

    Parameters
    ----------
    hidden : int, default=10
        Hidden units of each network.
    lambda1, lambda2 : float, default=0.01
        Weights of the l1 norm of the first layer and of the squares of all layers.
    acyclicity, max_iter, h_tol, rho_max, solver
        As in :class:`~toposwap.baselines.Notears`.
    prune, center
        As in :class:`~toposwap.baselines.Notears`; the threshold is on the norms W.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the starting network; None draws another one each time.

    Attributes
    ----------
    network_ : Network
        The parameters behind ``weights_``.
    """

    name: ClassVar[str] = "notears-mlp"
    linear: ClassVar[bool] = False
    #: The networks' own loss judges them.
    score = "auto"

    def __init__(
        self,
        hidden: int = 10,
        lambda1: float = 0.01,
        lambda2: float = 0.01,
        acyclicity: str | Acyclicity = "exponential",
        *,
        max_iter: int = 100,
        h_tol: float = 1e-8,
        rho_max: float = 1e16,
        solver: str = "orthant",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.hidden = hidden
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.acyclicity = acyclicity
        self.max_iter = max_iter
        self.h_tol = h_tol
        self.rho_max = rho_max
        self.solver = solver
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Solve the problem from random networks."""
        h = resolve("acyclicity", self.acyclicity, ACYCLICITIES, Acyclicity)
        m = self.hidden
        if not (isinstance(m, (int, np.integer)) and not isinstance(m, bool) and m >= 1):
            raise InputError(f"hidden: must be a whole number >= 1, got {m!r}")
        X = rows_of(data, "network's") - data.mean
        d = data.d
        start = Network.random(d, m, rng)
        first, inner = d * m * d, d * m
        movable = np.ones(start.packed().size, dtype=bool)
        movable[:first] = np.broadcast_to(~np.eye(d, dtype=bool)[:, None, :], (d, m, d)).ravel()
        l1 = np.zeros(movable.size)
        l1[:first] = float(self.lambda1)
        ridge = np.zeros(movable.size)
        ridge[:first] = ridge[first + inner : first + 2 * inner] = float(self.lambda2)

        def problem(
            x: NDArray[np.float64],
        ) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
            network = Network.unpacked(x, d, m)
            loss, gradient = network.loss(X)
            cycles, slope = h.evaluate(np.einsum("jui,jui->ij", network.A, network.A))
            shrunk = ridge * x
            h_gradient = np.zeros_like(x)
            h_gradient[:first] = (2.0 * slope.T[:, None, :] * network.A).ravel()
            value = loss + 0.5 * float(np.vdot(shrunk, x))
            return value, gradient.packed() + shrunk, cycles, h_gradient

        found = augmented_lagrangian(
            problem,
            start.packed(),
            l1,
            movable,
            max_iter=self.max_iter,
            h_tol=self.h_tol,
            rho_max=self.rho_max,
            solver=self.solver,
            deadline=self.deadline,
        )
        network = Network.unpacked(found.x, d, m)
        return Found(
            network.weights(),
            "method converged" if found.h <= self.h_tol else "iteration limit",
            found.steps,
            parameters=network,
            attributes={"network_": network},
        )

    def judge(self, bound: BoundScore, found: Found, weights: NDArray[np.float64]) -> Point:
        """The networks' loss and ||dQ/dA_ij||_1, at the networks without the dropped edges."""
        data = bound.data
        network = found.parameters.without(weights == 0.0)
        X = rows_of(data, "network's") - data.mean
        value, gradient = network.loss(X)
        edges = np.abs(gradient.A).sum(axis=1).T
        np.fill_diagonal(edges, 0.0)
        deviations = data.deviations * data.scale
        # What belongs to no edge, over the sizes of the columns.
        others = np.abs(np.column_stack((gradient.b, gradient.v, gradient.c))).max(axis=1)
        return Point(
            weights=weights,
            value=value,
            gradient=edges,
            row_scale=deviations,
            column_scale=deviations,
            rest=float((others / deviations).max()),
        )
