r"""Linear NOTEARS.

.. math:: \min_W \ell(W; X) + \lambda_1 \lVert W \rVert_1 \quad\text{subject to}\quad
          h(W \circ W) = 0, \qquad W \in \mathbb R^{d \times d},\; X \in \mathbb R^{n \times d},

Zheng, Aragam, Ravikumar, Xing (2018), with
:math:`\ell = \frac1{2n} \lVert X - XW \rVert_F^2` or the logistic loss
:math:`\frac1n \sum (\log(1 + e^{XW}) - X \circ XW)`. With the triangular factor R of the data,
:math:`R^\top R = X^\top X / n`, least squares is

.. math:: \ell(W) = \tfrac12 \lVert R (I - W) \rVert_F^2, \qquad
          \nabla \ell = -R^\top R (I - W), \qquad R \in \mathbb R^{d \times d},

so that n does not matter to the cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.acyclicity import ACYCLICITIES, Acyclicity, Exponential
from toposwap.baselines.augmented import augmented_lagrangian
from toposwap.baselines.base import Baseline, Found
from toposwap.core.errors import InputError
from toposwap.core.registry import resolve
from toposwap.kernels.baselines.notears import notears_terms
from toposwap.losses import LogisticLoss
from toposwap.losses.base import rows_of
from toposwap.scores import SCORES, Score

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from toposwap.baselines.augmented import Problem
    from toposwap.core.dataset import Dataset

    #: W (d, d) to the loss and its gradient (d, d).
    Smooth = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


class Notears(Baseline):
    """Augmented Lagrangian with bounded quasi-Newton steps on loss + lambda1 ||W||_1.

    Parameters
    ----------
    lambda1 : float, default=0.1
        Weight of the l1 norm.
    loss : {"least-squares", "logistic"}, default="least-squares"
        The logistic loss is for 0/1 columns; as published it has no intercept.
    acyclicity : str or Acyclicity, default="exponential"
        h, of the squared weights.
    max_iter : int, default=100
        Rounds of the augmented Lagrangian.
    h_tol, rho_max : float
        Stop when h is below the one or its penalty above the other.
    solver : {"orthant", "l-bfgs-b"}, default="orthant"
        How a round is solved: by our own quasi-Newton method on W, or by SciPy's on the positive
        and the negative parts. Both solve the same bounded problem to the same tolerances.
    score : str or Score, default="auto"
        Q under which the result is judged; "auto" is the loss without the l1 norm.
    prune : "auto", None or float, default="auto"
        Drop edges with |weight| below this; "auto" is the published 0.3.
    center : bool, default=True
        Subtract the column means (least squares; the logistic loss uses the values as they are).
    random_state : int, numpy.random.Generator or None, default=0
        Not used: nothing is random.
    """

    name: ClassVar[str] = "notears"

    def __init__(
        self,
        lambda1: float = 0.1,
        loss: str = "least-squares",
        acyclicity: str | Acyclicity = "exponential",
        *,
        max_iter: int = 100,
        h_tol: float = 1e-8,
        rho_max: float = 1e16,
        solver: str = "orthant",
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.lambda1 = lambda1
        self.loss = loss
        self.acyclicity = acyclicity
        self.max_iter = max_iter
        self.h_tol = h_tol
        self.rho_max = rho_max
        self.solver = solver
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def default_score(self) -> Score:
        """The loss that is minimised, without its l1 penalty, which shrinks every weight."""
        return resolve("score", self._loss(), SCORES, Score)

    def _loss(self) -> str:
        if self.loss not in ("least-squares", "logistic"):
            raise InputError(f"loss: must be 'least-squares' or 'logistic', got {self.loss!r}")
        return self.loss

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:  # noqa: ARG002
        """Solve the problem from W = 0."""
        h = resolve("acyclicity", self.acyclicity, ACYCLICITIES, Acyclicity)
        d = data.d
        if self._loss() == "least-squares":
            problem = least_squares_problem(data, h)
        else:
            problem = with_cycles(logistic(data), h, d)
        found = augmented_lagrangian(
            problem,
            np.zeros(d * d),
            np.full(d * d, float(self.lambda1)),
            ~np.eye(d, dtype=bool).ravel(),
            max_iter=self.max_iter,
            h_tol=self.h_tol,
            rho_max=self.rho_max,
            solver=self.solver,
            deadline=self.deadline,
        )
        status = "method converged" if found.h <= self.h_tol else "iteration limit"
        return Found(found.x.reshape(d, d), status, found.steps)


def least_squares(data: Dataset) -> Smooth:
    """1/2 ||R (I - W)||_F^2 through the factor R, whatever n is."""
    R = data.factor * data.scale

    def smooth(W: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        residual = R @ W - R
        return 0.5 * float(np.vdot(residual, residual)), R.T @ residual

    return smooth


def least_squares_problem(data: Dataset, h: Acyclicity) -> Problem:
    """Loss and h of the squared weights; in one kernel for the published h."""
    if not isinstance(h, Exponential):
        return with_cycles(least_squares(data), h, data.d)
    R, d = data.factor * data.scale, data.d
    R_transposed = np.ascontiguousarray(R.T)

    def problem(
        x: NDArray[np.float64],
    ) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
        loss, gradient, cycles, slope = notears_terms(x.reshape(d, d), R, R_transposed)
        return loss, gradient.ravel(), cycles, slope.ravel()

    return problem


def with_cycles(smooth: Smooth, h: Acyclicity, d: int) -> Problem:
    """A loss and h of the squared weights."""

    def problem(
        x: NDArray[np.float64],
    ) -> tuple[float, NDArray[np.float64], float, NDArray[np.float64]]:
        W = x.reshape(d, d)
        loss, gradient = smooth(W)
        cycles, slope = h.evaluate(W * W)
        return loss, gradient.ravel(), cycles, (2.0 * slope * W).ravel()

    return problem


def logistic(data: Dataset) -> Smooth:
    """1/n sum(log(1 + exp(XW)) - X o XW); rows that are alike are counted, not repeated."""
    LogisticLoss().columns(data)
    rows, counts = np.unique(rows_of(data, "logistic"), axis=0, return_counts=True)
    share = counts[:, None] / data.n
    weighted = rows * share
    target = rows.T @ weighted

    def smooth(W: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        f = rows @ W
        # log(1 + e^f) = max(f, 0) + log(1 + e^-|f|), and the same exponential gives its slope.
        small = np.exp(-np.abs(f))
        value = np.vdot(share[:, 0], (np.maximum(f, 0.0) + np.log1p(small)).sum(axis=1))
        slope = np.where(f >= 0.0, 1.0, small) / (1.0 + small)
        return float(value) - float(np.vdot(target, W)), weighted.T @ slope - target

    return smooth
