r"""Columns as codes of their levels: the cells of contingency tables, and blocks of indicators.

Column j has levels :math:`v_0 < v_1 < \dots < v_{r-1}`, the different numbers that the table holds
for it, and row i has the code :math:`c_i` with :math:`x_{ij} = v_{c_i}`. Where numbers stand for
text or categories, the level's name is what they stand for, else it is the number itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.kinds import Labels

#: Levels that an error lists.
_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Levels:
    """What the codes 0, 1, ..., r - 1 of a column stand for; it needs no data, for predictions.

    Attributes
    ----------
    numbers
        (r,), rising: the number that the rows of a table hold for each level.
    names
        (r,): text where there was text, else the number.
    """

    numbers: NDArray[np.float64]
    names: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, x: NDArray[np.float64], labels: Labels) -> Levels:
        """The levels that occur in ``x`` (m,)."""
        numbers = np.unique(x)
        if labels.levels is None:
            return cls(numbers, tuple(int(v) if v == np.floor(v) else v for v in numbers.tolist()))
        return cls(numbers, tuple(labels.levels[int(v)] for v in numbers))

    def find(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
        """The code of each number in ``x`` (m,); -1 for what is no level."""
        place = np.minimum(np.searchsorted(self.numbers, x), len(self) - 1)
        return np.where(self.numbers[place] == x, place, -1).astype(np.int64)

    def codes(self, x: NDArray[np.float64], name: str) -> NDArray[np.int64]:
        """:meth:`find`, or an error that names the column ``name`` and what is no level of it."""
        found = self.find(x)
        if (found < 0).any():
            strange = float(x[found < 0][0])
            known = ", ".join(map(repr, self.names[:_SHOWN]))
            raise InputError(
                f"column {name!r} holds {strange:g}, which did not occur in the data that the "
                f"model was fitted to; its values are {known}"
                + (" and others" if len(self) > _SHOWN else "")
            )
        return found


@dataclass(frozen=True, eq=False)
class Coded:
    """One column of the data as codes.

    Attributes
    ----------
    codes
        (m,), each from 0 to r - 1, and each of these occurs.
    levels
        What they stand for.
    """

    codes: NDArray[np.int64] = field(repr=False)
    levels: Levels

    @classmethod
    def of(cls, x: NDArray[np.float64], labels: Labels) -> Coded:
        """Of a column ``x`` (m,) without gaps."""
        levels = Levels.of(x, labels)
        return cls(levels.find(x), levels)


def codes_of_rows(
    X: NDArray[np.float64], levels: Sequence[Levels], names: Sequence[str]
) -> NDArray[np.int64]:
    """New rows ``X`` (m, d) as codes (m, d); an error where a value is no level of its column."""
    columns = zip(X.T, levels, names, strict=True)
    return np.column_stack([of.codes(x, name) for x, of, name in columns])
