"""The triangular factor of a covariance matrix that is given, or why it is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.factor import power_of_two
from toposwap.core.tables.columns import is_frame
from toposwap.core.tables.unvarying import refuse_constant, refuse_tiny
from toposwap.core.validation import LARGEST, SMALLEST, as_matrix, named, places, refuse_unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def checked_covariance(
    covariance: ArrayLike, n: Any, names: Sequence[Any] | None
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Names, scales (d,) and R_0 (d, d), the Cholesky factor of the scaled matrix (d, d).

    ``n`` is the number of rows behind it.
    """
    values, labels = as_matrix(covariance, names, "covariance")
    if values.shape[0] != values.shape[1]:
        raise InputError(f"covariance: must be square, got shape {values.shape}")
    if names is None and is_frame(covariance):
        row_names = [str(name) for name in getattr(covariance, "index", labels)]
        if set(row_names) == set(labels):
            place = places(row_names)
            values = values[[place[name] for name in labels]]
    refuse_unusable(values, labels, LARGEST**2)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2:
        raise InputError(f"n: the number of rows behind the covariance must be >= 2, got {n!r}")
    if len(labels) == 1:
        raise InputError("1 feature(s) (one column) leaves no edge to learn: give at least 2")
    variance = np.diag(values)
    if (variance < 0.0).any():
        raise InputError(
            f"covariance: negative variance of {named(labels, variance < 0.0)}: the diagonal "
            "must hold the variances"
        )
    refuse_constant(variance == 0.0, labels, center=True)
    refuse_tiny(np.sqrt(variance) < SMALLEST, labels)
    scale = power_of_two(np.sqrt(variance))
    scaled = values / scale[:, None] / scale
    if np.abs(scaled - scaled.T).max() > 1e-8:
        i, j = np.unravel_index(np.abs(scaled - scaled.T).argmax(), scaled.shape)
        raise InputError(
            f"covariance: not symmetric at ({labels[i]!r}, {labels[j]!r}): "
            f"{values[i, j]:.6g} and {values[j, i]:.6g}; give a covariance matrix, for "
            "example numpy.cov(X.T, bias=True)"
        )
    from scipy.linalg import lapack

    triangle, info = lapack.dpotrf((scaled + scaled.T) / 2.0, lower=0, clean=1)
    if info != 0:
        raise InputError(
            f"covariance: not positive definite; column {labels[info - 1]!r} is explained by "
            "the columns before it in full or more: drop it, or add a small multiple of the "
            "identity"
        )
    return labels, scale, triangle
