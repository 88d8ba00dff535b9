"""What is drawn again: the rows of a table, or groups of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.tables.gaps import Incomplete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn: rows, or groups of rows that belong together.

    Attributes
    ----------
    times
        How often each unit counts in the table, (u,).
    of_row
        The unit of each row, (m,); None where each row is one.
    row_weights
        What a row counts for each time that its unit is drawn, (m,); None for one.
    """

    times: NDArray[np.int64]
    of_row: NDArray[np.int64] | None = None
    row_weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, data: Dataset | Incomplete, groups: Sequence[Any] | NDArray[Any] | None) -> Units:
        """The rows of ``data``, those that are several counted so, or its ``groups`` (m,)."""
        rows, weights = len(rows_of(data)), row_weights_of(data)
        if groups is not None:
            _, of_row = np.unique(np.asarray(groups), return_inverse=True)
            return cls(np.ones(int(of_row.max()) + 1, dtype=np.int64), of_row, weights)
        if weights is not None and (weights == np.floor(weights)).all():
            return cls(weights.astype(np.int64))
        return cls(np.ones(rows, dtype=np.int64), None, weights)

    def weights_of_rows(self, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        """From weights (u,) of units to those of rows, (m,)."""
        by_row = drawn if self.of_row is None else drawn[self.of_row]
        return by_row if self.row_weights is None else by_row * self.row_weights


def rows_of(data: Dataset | Incomplete) -> NDArray[np.float64]:
    """The values (m, d), NaN where there are gaps."""
    rows = data.values if isinstance(data, Incomplete) else data.rows
    assert rows is not None
    return rows


def row_weights_of(data: Dataset | Incomplete) -> NDArray[np.float64] | None:
    """How often each of the rows counts, (m,); None if each counts once."""
    return data.read.weights if isinstance(data, Incomplete) else data.row_weights
