"""A table as numbers, as it was read and before anything is checked or computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.kinds import Kind, Labels, kinds_by_name
from toposwap.core.row_weights import checked_weights
from toposwap.core.validation import as_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class TableRead:
    """A table as numbers, before anything is computed of it.

    Attributes
    ----------
    values
        (n, d), NaN where something is missing.
    names, labels, given
        Of the columns: what they are called, what their numbers stand for, and the kinds that the
        user has named.
    weights
        How often each of the rows counts, (n,); None if each counts once.
    """

    values: NDArray[np.float64] = field(repr=False)
    names: list[str]
    labels: tuple[Labels, ...]
    given: Mapping[str, Kind]
    weights: NDArray[np.float64] | None

    @classmethod
    def of(
        cls,
        table: Any,
        names: Sequence[Any] | None,
        kinds: Mapping[str, str | Kind] | None,
        sample_weight: ArrayLike | None,
        *,
        center: bool,
    ) -> TableRead:
        """What :meth:`Dataset.from_table` is given, without the rows that do not count."""
        if not isinstance(center, (bool, np.bool_)):
            raise InputError(f"center: must be True or False, got {center!r}")
        values, labels, meanings = as_table(table, names, kinds=kinds)
        given = kinds_by_name(kinds, labels)
        weights = checked_weights(sample_weight, len(values))
        if weights is not None and not weights.all():
            values, weights = values[weights > 0.0], weights[weights > 0.0]
        return cls(values, labels, meanings, given, weights)
