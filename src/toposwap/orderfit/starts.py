"""Orders that are read off the second moments of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.kernels.least_squares import pivoted

if TYPE_CHECKING:
    from toposwap.core.dataset import Dataset


def smallest_variance_order(data: Dataset) -> Order:
    """Next is always the variable with the least variance given those before it."""
    cost = (data.scale / data.scale.max()) ** 2
    anyhow = precedence_table(None)
    return Order(pivoted.smallest_variance_order(data.factor.T.copy(), cost, anyhow))


def least_correlated_order(data: Dataset) -> Order:
    """By the sum of a variable's squared correlations with all others, the smallest first.

    Effects collect the variation of all their causes. Unlike variances this has no units.
    """
    unit = data.factor[: min(data.n, data.d)] / data.deviations
    return Order(np.argsort(np.square(unit.T @ unit).sum(axis=1), kind="stable"))


def smallest_entropy_order(data: Dataset) -> Order:
    """By the entropy of a variable's levels, the smallest first; a numbering of them is no matter.

    Measurements, which have no levels, differ in every row.
    """
    if data.held is None:
        raise InputError(
            f"init: 'entropy' looks at the levels of columns, and {data.without_rows}: begin "
            "elsewhere"
        )
    entropies = []
    for j in range(data.d):
        codes = data.coded(j).codes
        share = np.sort(np.bincount(codes, data.row_weights)) / data.n
        share = share[share > 0.0]
        entropies.append(-float(share @ np.log(share)))
    return Order(np.argsort(entropies, kind="stable"))
