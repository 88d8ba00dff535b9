"""Means, scales and the triangular factor of a table, or why it cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.factor import column_means, power_of_two, triangular_factor
from toposwap.core.tables.unvarying import refuse_constant, refuse_tiny
from toposwap.core.validation import SMALLEST, refuse_unusable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.tables.table_read import TableRead


class TableMoments(NamedTuple):
    """n, means and scales (d,), R_0 (d, d), and the least and largest values, (d,) each.

    See :class:`~toposwap.core.dataset.Dataset`.
    """

    n: int
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    factor: NDArray[np.float64]
    extremes: tuple[NDArray[np.float64], NDArray[np.float64]]


def moments_of(read: TableRead, *, center: bool) -> TableMoments:
    """Check the numbers of a table, and take out means, scales and the factor."""
    values, labels, weights = read.held, read.names, read.weights
    low, high = refuse_unusable(values, labels)
    n, d = values.shape
    if n == 1:
        raise InputError(
            "1 sample (one row) tells nothing about how columns vary together: give more rows"
        )
    if d == 1:
        raise InputError("1 feature(s) (one column) leaves no edge to learn: give at least 2")
    zero = np.zeros(d), np.zeros(d)
    mean, left = column_means(values, weights) if center else zero
    # The extremes tell it, not the mean, whose own error grows with the number of rows.
    size = np.maximum(np.abs(low), np.abs(high))
    constant = high - low <= 8.0 * np.finfo(float).eps * size if center else size == 0.0
    refuse_constant(constant, labels, center=center)
    deviation = np.maximum(high - mean, mean - low)
    refuse_tiny(deviation < SMALLEST, labels)
    scale = power_of_two(deviation)
    factor = triangular_factor(values, mean, left, scale, weights)
    counted = n if weights is None else round(float(weights.sum()))
    return TableMoments(counted, mean, scale, factor, (low, high))
