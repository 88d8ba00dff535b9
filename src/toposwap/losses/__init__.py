"""Losses: how well a column is predicted, one small class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.losses.base import ColumnLoss, Loss
from toposwap.losses.cumulative import CumulativeLoss
from toposwap.losses.equal_variance import EqualVarianceLoss
from toposwap.losses.gaussian import GaussianLoss
from toposwap.losses.huber import HuberLoss
from toposwap.losses.least_squares import LeastSquaresLoss
from toposwap.losses.levels import BlockLoss, LevelLoss
from toposwap.losses.logistic import LogisticLoss
from toposwap.losses.mixed import AutoLoss, Mixed
from toposwap.losses.moments import MomentLoss
from toposwap.losses.multinomial import MultinomialLoss
from toposwap.losses.one_predictor import OnePredictor
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

#: Losses of columns of several values, whose edges have blocks of parameters, by name.
LEVEL_LOSSES: dict[str, LevelLoss] = {
    loss.name: loss for loss in (MultinomialLoss(), CumulativeLoss())
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
    # with blocks of parameters
    "BlockLoss",
    "LevelLoss",
    "MultinomialLoss",
    "CumulativeLoss",
    "OnePredictor",
    "LEVEL_LOSSES",
]
