"""Columns that other columns determine: no score can tell their parents apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from toposwap.core.errors import InputError
from toposwap.core.validation import columns, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

_EPS = float(np.finfo(float).eps)


def refuse_dependent(
    data: Dataset, factor: NDArray[np.float64], rounding: NDArray[np.float64], remedy: str
) -> NDArray[np.float64]:
    """Return :func:`relative_residuals` of the columns of ``factor``, or name the dependent ones.

    ``rounding`` is the relative rounding error of each column, (d,); ``remedy`` completes "drop one
    of them, or ...".
    """
    residuals = relative_residuals(factor)
    bar = np.maximum(32.0 * _EPS * np.sqrt(max(data.n, data.d)), rounding)
    if (residuals <= bar).any():
        bad = [data.names[j] for j in np.flatnonzero(residuals <= bar)]
        verb = "depends" if len(bad) == 1 else "depend"
        raise InputError(
            f"{columns(len(bad))} {listed(bad)} {verb} linearly on other columns to within "
            "rounding error, so their coefficients are not determined: drop one of them, or "
            f"{remedy}"
        )
    return residuals


def determined_remarks(data: Dataset, share: NDArray[np.float64], least: float) -> tuple[str, ...]:
    """Say so where the ``share`` (d,) of a column's variance that is left counts as ``least``."""
    names = [data.names[j] for j in np.flatnonzero(share < least)]
    if not names:
        return ()
    return (
        f"{columns(len(names))} {listed(names)}: other columns determine "
        f"{'it' if len(names) == 1 else 'them'} almost exactly; a residual variance counts as at "
        f"least {least:.0e} of a column's own, below which it is not told from rounding error",
    )


def relative_residuals(factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of each column no other column explains: sd(x_j | all others) / sd(x_j), (d,).

    ``factor`` is upper triangular, (d, d); the inverse's rows hold the precisions.
    """
    deviations = np.sqrt(np.einsum("ij,ij->j", factor, factor))
    triangle = np.array(factor, order="F")
    diagonal = np.einsum("ii->i", triangle)
    floor = _EPS * _EPS * deviations
    np.copyto(diagonal, floor, where=np.abs(diagonal) <= floor)
    inverse, _ = lapack.dtrtri(triangle, lower=0, overwrite_c=1)
    with np.errstate(over="ignore"):
        size = np.sqrt(np.einsum("ij,ij->i", inverse, inverse))
    return 1.0 / (size * deviations)
