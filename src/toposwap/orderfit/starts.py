"""Orders that are read off the second moments of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.factor import scaled_covariance
from toposwap.core.order import Order
from toposwap.kernels.graphs.precedence import precedence_table
from toposwap.kernels.least_squares import pivoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: Columns from which on products of matrices are faster, steps between two of them, and the rows of
#: a product.
_WIDE, _PANEL, _BLOCK = 250, 64, 512
#: The share of a variance from which on a covariance matrix tells what is left of it.
_PLAIN = 1e-8


def smallest_variance_order(data: Dataset) -> Order:
    """Next is always the variable with the least variance given those before it."""
    cost = (data.scale / data.scale.max()) ** 2
    if data.d >= _WIDE:
        found = _by_panels(data.factor, cost)
        if found is not None:
            return Order(found)
    anyhow = precedence_table(None)
    return Order(pivoted.smallest_variance_order(data.factor.T.copy(), cost, anyhow))


def _by_panels(factor: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The order from R'R; None where columns are too nearly dependent for that.

    Half of each product is made, in blocks of rows that need little memory.
    """
    d = len(factor)
    covariance, order = scaled_covariance(factor), np.arange(d)
    variance = covariance.diagonal().copy()
    least = _PLAIN * variance
    rows = np.empty((_PANEL, d))
    for start in range(0, d, _PANEL):
        end = min(start + _PANEL, d)
        panel = rows[: end - start]
        pivoted.take_panel(covariance, variance, order, cost, start, panel)
        if not (variance >= least[order]).all():
            return None
        for first in range(end, d, _BLOCK):
            block = slice(first, first + _BLOCK)
            covariance[block, first:] -= panel[:, block].T @ panel[:, first:]
    return order


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
