"""A table of numbers with names, for where a DataFrame would cost more than the work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class NumberTable:
    """Values (n, d) and a name for each column; everything that takes a DataFrame takes it.

    Loading pandas takes longer than reading and fitting a small file.
    """

    columns: list[str]
    values: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def to_numpy(self, dtype: Any = None) -> NDArray[Any]:
        """The values (n, d), as pandas calls them."""
        return np.asarray(self.values, dtype=dtype)

    def chosen(self, names: Sequence[str]) -> NumberTable:
        """The columns called ``names``, in that order."""
        place = {name: k for k, name in enumerate(self.columns)}
        return NumberTable(list(names), self.values[:, [place[name] for name in names]])
