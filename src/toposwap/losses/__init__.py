"""Losses: how well a column is predicted, one small class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.losses.base import ColumnLoss, Loss
from toposwap.losses.equal_variance import EqualVarianceLoss
from toposwap.losses.gaussian import GaussianLoss
from toposwap.losses.huber import HuberLoss
from toposwap.losses.least_squares import LeastSquaresLoss
from toposwap.losses.logistic import LogisticLoss
from toposwap.losses.mixed import AutoLoss, Mixed
from toposwap.losses.moments import MomentLoss
from toposwap.losses.poisson import PoissonLoss
from toposwap.losses.rows import RowLoss

if TYPE_CHECKING:
    from collections.abc import Callable

#: Losses by name.
LOSSES: dict[str, Callable[[], Loss]] = {
    loss.name: loss
    for loss in (
        LeastSquaresLoss,
        GaussianLoss,
        EqualVarianceLoss,
        LogisticLoss,
        PoissonLoss,
        HuberLoss,
        AutoLoss,
    )
}

__all__ = [
    "Loss",
    "ColumnLoss",
    "MomentLoss",
    "RowLoss",
    "LeastSquaresLoss",
    "GaussianLoss",
    "EqualVarianceLoss",
    "LogisticLoss",
    "PoissonLoss",
    "HuberLoss",
    "Mixed",
    "AutoLoss",
    "LOSSES",
]
