r"""A variable as a cause: the columns that stand for it.

.. math:: Z_i = V_i(x_i) \in \mathbb R^{m_i}, \qquad
          \sum_r \omega_r Z_{ir} = 0, \quad \sum_r \omega_r Z_{ir} Z_{ir}^\top = I .

A number is one column, :math:`(x - \mu) / \sigma`. A category of k values is a block of k - 1: the
indicators of its values, centred and made orthonormal over the data. The length of a block's
coefficients is then the standard deviation of the function they make, whatever the values are
called and in whatever order they come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.tables.unvarying import refuse_constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.tables.codes import Coded, Levels

    Floats = NDArray[np.float64]


class Columns(ABC):
    """The columns of one variable."""

    #: m.
    size: int
    #: What the coefficients of a number are divided by to be in its own units.
    unit: float = 1.0

    @abstractmethod
    def __call__(self, x: Floats) -> Floats:
        """The columns (m, n) at the values ``x`` (n,)."""


@dataclass(frozen=True)
class NumberColumn(Columns):
    """(x - mean) / unit."""

    mean: float
    unit: float
    size: int = 1

    def __call__(self, x: Floats) -> Floats:
        """(1, n)."""
        return np.asarray((x - self.mean) / self.unit)[None]


@dataclass(frozen=True, eq=False)
class LevelColumns(Columns):
    """A row of ``values`` (k, k - 1) for each of the k ``levels`` of the column ``name``."""

    levels: Levels
    values: Floats
    name: str

    @property
    def size(self) -> int:  # type: ignore[override]
        """One less than there are levels."""
        return len(self.levels) - 1

    def __call__(self, x: Floats) -> Floats:
        """(k - 1, n), or an error that names a value that was not in the data."""
        return np.ascontiguousarray(self.values[self.levels.codes(x, self.name)].T)


def number_column(x: Floats, omega: Floats, name: str) -> NumberColumn:
    """A number with the weighted mean and deviation of ``x`` (n,)."""
    mean = float(omega @ x)
    # By the largest deviation first, whose square would overflow.
    largest = float(np.abs(x - mean).max())
    constant = largest <= 8.0 * float(np.finfo(float).eps) * abs(mean)
    refuse_constant(np.array([constant]), [name], center=True)
    return NumberColumn(mean, largest * float(np.sqrt(omega @ np.square((x - mean) / largest))))


def level_columns(coded: Coded, omega: Floats, name: str) -> LevelColumns:
    """Orthonormal functions of the levels of a column, for rows with weights ``omega`` (n,).

    With the shares p of the levels, V = diag(p)^(-1/2) Q with Q an orthonormal basis of what is
    orthogonal to p^(1/2).
    """
    refuse_constant(np.array([len(coded.levels) < 2]), [name], center=True)
    root = np.sqrt(np.bincount(coded.codes, weights=omega))
    # Householder's reflection takes the first unit vector to the root; the others to Q.
    v = root.copy()
    v[0] += 1.0
    Q = np.eye(root.size) - np.outer(v, v) / (1.0 + root[0])
    return LevelColumns(coded.levels, Q[:, 1:] / root[:, None], name)
