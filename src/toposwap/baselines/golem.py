r"""GOLEM: the likelihood with soft penalties on edges and cycles.

.. math:: \min_B \tfrac d2 \log \lVert X - XB \rVert_F^2 - \log|\det(I - B)|
          + \lambda_1 \lVert B \rVert_1 + \lambda_2 \bigl(\operatorname{tr} e^{B \circ B} - d\bigr)

for equal noise variances (EV), and :math:`\frac12 \sum_j \log \lVert x_j - X b_j \rVert^2` in place
of the first term otherwise (NV): Ng, Ghassami, Zhang (2020). By Adam with a fixed rate, on the
triangular factor of the data, so that a step costs the same whatever n is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.baselines.base import Baseline, Found
from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.baselines.golem import adam_steps
from toposwap.kernels.linalg.exponential import exponential_minus_identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: Steps between two looks at the objective.
_BETWEEN = 500


class _Golem(Baseline):
    """What both versions share: Adam from a start, and the rule for stopping."""

    equal_variances: ClassVar[bool]
    lambda1: float
    lambda2: float
    steps: int
    rate: float
    tolerance: float | None
    patience: int

    def _start(self, data: Dataset) -> tuple[NDArray[np.float64], int]:
        """Where to begin, (d, d), and the steps it took to get there."""
        return np.zeros((data.d, data.d)), 0

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:  # noqa: ARG002
        """Adam from B = 0 or, for unequal variances, from what equal ones lead to."""
        start, before = self._start(data)
        B, taken, status = descend(
            data.factor * data.scale,
            start,
            (self.lambda1, self.lambda2),
            equal=self.equal_variances,
            steps=self.steps,
            rate=self.rate,
            tolerance=self.tolerance,
            patience=self.patience,
            deadline=self.deadline,
        )
        return Found(B, status, before + taken)


class GolemEV(_Golem):
    """GOLEM for equal noise variances.

    Parameters
    ----------
    lambda1, lambda2 : float, default=2e-2 and 5
        Weights of the l1 norm and of h.
    steps : int, default=100000
        Steps of Adam.
    rate : float, default=1e-3
        Adam's learning rate.
    tolerance : float, optional
        Stop early when the least objective seen has not fallen by this share of its size within
        ``patience`` steps. By default all steps are made, as published.
    patience : int, default=5000
        See ``tolerance``.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`.
    """

    name: ClassVar[str] = "golem-ev"
    equal_variances: ClassVar[bool] = True

    def __init__(
        self,
        lambda1: float = 2e-2,
        lambda2: float = 5.0,
        *,
        steps: int = 100_000,
        rate: float = 1e-3,
        tolerance: float | None = None,
        patience: int = 5000,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.steps = steps
        self.rate = rate
        self.tolerance = tolerance
        self.patience = patience
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state


class GolemNV(_Golem):
    """GOLEM for noise variances that differ, started from the solution of :class:`GolemEV`.

    Parameters
    ----------
    lambda1, lambda2 : float, default=2e-3 and 5
        Weights of the l1 norm and of h.
    start_lambda1 : float, default=2e-2
        ``lambda1`` of the start, for which the other parameters are the same.
    steps, rate, tolerance, patience
        As in :class:`GolemEV`.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`.
    """

    name: ClassVar[str] = "golem-nv"
    equal_variances: ClassVar[bool] = False

    def __init__(
        self,
        lambda1: float = 2e-3,
        lambda2: float = 5.0,
        *,
        start_lambda1: float = 2e-2,
        steps: int = 100_000,
        rate: float = 1e-3,
        tolerance: float | None = None,
        patience: int = 5000,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.start_lambda1 = start_lambda1
        self.steps = steps
        self.rate = rate
        self.tolerance = tolerance
        self.patience = patience
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def _start(self, data: Dataset) -> tuple[NDArray[np.float64], int]:
        B, taken, _ = descend(
            data.factor * data.scale,
            np.zeros((data.d, data.d)),
            (self.start_lambda1, self.lambda2),
            equal=True,
            steps=self.steps,
            rate=self.rate,
            tolerance=self.tolerance,
            patience=self.patience,
            deadline=self.deadline,
        )
        return B, taken


def objective(
    B: NDArray[np.float64],
    factor: NDArray[np.float64],
    penalties: tuple[float, float],
    *,
    equal: bool,
) -> float:
    """The formula above with ||.||^2 / n in place of ||.||^2, which is a constant less."""
    A = np.eye(len(B)) - B
    residual = np.square(factor @ A).sum(axis=0)
    fit = 0.5 * (len(B) * np.log(residual.sum()) if equal else np.log(residual).sum())
    cycles = np.trace(exponential_minus_identity(B * B))
    l1, h = penalties
    return float(fit - np.linalg.slogdet(A)[1] + l1 * np.abs(B).sum() + h * cycles)


def descend(
    factor: NDArray[np.float64],
    start: NDArray[np.float64],
    penalties: tuple[float, float],
    *,
    equal: bool,
    steps: int,
    rate: float,
    tolerance: float | None,
    patience: int,
    deadline: Deadline = NEVER,
) -> tuple[NDArray[np.float64], int, str]:
    """Adam from ``start`` (d, d); where it ended, after how many steps, and why."""
    if not (isinstance(steps, (int, np.integer)) and not isinstance(steps, bool) and steps >= 1):
        raise InputError(f"steps: must be a whole number >= 1, got {steps!r}")
    B = start.copy()
    first, second = np.zeros_like(B), np.zeros_like(B)
    l1, h = float(penalties[0]), float(penalties[1])
    taken, since, lowest = 0, 0, np.inf
    while taken < steps:
        if deadline.passed:
            return B, taken, "time limit"
        some = min(_BETWEEN, steps - taken)
        adam_steps(B, first, second, taken, some, float(rate), factor, l1, h, equal)
        taken += some
        if tolerance is None:
            continue
        value = objective(B, factor, penalties, equal=equal)
        if lowest - value > tolerance * max(abs(value), 1.0):
            lowest, since = value, taken
        elif taken - since >= patience:
            return B, taken, "method converged"
    return B, taken, "all steps made"
