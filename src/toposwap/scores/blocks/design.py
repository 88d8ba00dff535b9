"""The columns of all variables side by side, and their second moments."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from toposwap.scores.blocks.columns import Columns, level_columns, number_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

    Floats = NDArray[np.float64]

#: Rows that are factorised at a time.
_STRETCH = 20_000
#: Different values up to which rows of a number are grouped by it.
_FEW = 30


class Design:
    """Z (M, n) of a data set, with the blocks of its variables one after the other.

    Parameters
    ----------
    data
        With its rows.
    nominal
        Which variables are blocks of indicators, (d,); the others are numbers.

    Attributes
    ----------
    columns
        Those of each variable.
    starts
        Where the blocks begin, (d + 1,).
    sizes
        How many columns each has, (d,).
    units
        What coefficients are divided by to be those of a number in its own units, (M,).
    omega
        Weights of the rows, (n,), with sum 1.
    """

    def __init__(self, data: Dataset, nominal: NDArray[np.bool_]) -> None:
        assert data.rows is not None
        self.data = data
        n = len(data.rows)
        counts = np.ones(n) if data.row_weights is None else data.row_weights
        self.n = data.n
        #: Which rows of the data these are; None for all.
        self.kept: NDArray[np.bool_] | None = None
        self.omega = counts / counts.sum()
        self.columns: list[Columns] = [
            level_columns(data.coded(j), self.omega, data.names[j])
            if nominal[j]
            else number_column(x, self.omega, data.names[j])
            for j, x in enumerate(data.rows.T)
        ]
        self.sizes = np.array([columns.size for columns in self.columns])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.units = np.repeat([columns.unit for columns in self.columns], self.sizes)
        self.Z = np.empty((int(self.starts[-1]), n))
        for j, columns in enumerate(self.columns):
            self.Z[self.of(j)] = columns(data.rows[:, j])

    def part(self, kept: NDArray[np.bool_]) -> Design:
        """The same columns over the rows ``kept`` (n,), where they need not be centred."""
        part = copy(self)
        for made in ("factor", "factor_by_rows", "gram", "curvatures", "places", "means"):
            vars(part).pop(made, None)
        part.kept = kept
        part.Z = np.ascontiguousarray(self.Z[:, kept])
        share = float(self.omega[kept].sum())
        part.omega = self.omega[kept] / share
        part.n = max(1, round(share * self.n))
        return part

    def of(self, j: int) -> slice:
        """The columns of variable ``j``."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))

    def index(self, parents: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The columns of all ``parents`` (d,), (p,)."""
        return np.flatnonzero(np.repeat(parents, self.sizes))

    @cached_property
    def factor(self) -> Floats:
        """R (M, M), upper triangular, R'R = Z diag(omega) Z', of centred columns."""
        size, n = self.Z.shape
        triangle = np.zeros((size, size), order="F")
        for first in range(0, n, _STRETCH):
            part = slice(first, first + _STRETCH)
            centred = (
                self.Z[:, part] - self.means[:, None] if self.kept is not None else self.Z[:, part]
            )
            rows = np.asfortranarray((centred * np.sqrt(self.omega[part])).T)
            triangle, *_, info = lapack.dtpqrt(
                0, min(size, 32), triangle, rows, overwrite_a=1, overwrite_b=1
            )
            assert info == 0
        return triangle

    @cached_property
    def means(self) -> Floats:
        """Of the columns over the rows, (M,); zero over all of them."""
        return np.zeros(len(self.Z)) if self.kept is None else self.Z @ self.omega

    @cached_property
    def gram(self) -> Floats:
        """R'R, (M, M)."""
        return np.ascontiguousarray(self.factor.T @ self.factor)

    @cached_property
    def factor_by_rows(self) -> Floats:
        """R (M, M) in memory row after row, for kernels."""
        return np.ascontiguousarray(self.factor)

    @cached_property
    def curvatures(self) -> Floats:
        """The largest eigenvalue of each block on the diagonal of R'R, (d,)."""
        return largest_curvatures(self.gram, self.starts)

    @cached_property
    def places(self) -> list[tuple[NDArray[np.int64], int] | None]:
        """The place of each row among the values of a variable, and how many there are.

        None for variables of many values, by which rows are not grouped.
        """
        found: list[tuple[NDArray[np.int64], int] | None] = []
        for j in range(self.data.d):
            coded = self.data.coded(j) if self._few_values(j) else None
            if coded is None:
                found.append(None)
                continue
            codes = coded.codes if self.kept is None else coded.codes[self.kept]
            found.append((codes, len(coded.levels)))
        return found

    def _few_values(self, j: int) -> bool:
        assert self.data.rows is not None
        x = self.data.rows[:, j]
        return all(np.unique(part).size <= _FEW for part in (x[: 10 * _FEW], x))


def largest_curvatures(H: Floats, starts: NDArray[np.int64]) -> Floats:
    """The largest eigenvalue of each block on the diagonal of ``H`` (N, N)."""
    largest = np.diag(H)[starts[:-1]].copy()
    for k in np.flatnonzero(np.diff(starts) > 1):
        block = slice(starts[k], starts[k + 1])
        largest[k] = np.linalg.eigvalsh(H[block, block])[-1]
    return largest
