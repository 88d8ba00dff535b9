"""Where to start under a score that no units enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.order import Order

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset


def least_correlated_order(data: Dataset) -> Order:
    """By the sum of a variable's squared correlations with all others, the smallest first.

    Effects collect the variation of all their causes. Unlike variances this has no units.
    """
    unit = data.factor / data.deviations
    return Order(np.argsort(np.square(unit.T @ unit).sum(axis=1), kind="stable"))
