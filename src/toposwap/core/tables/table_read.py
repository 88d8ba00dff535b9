"""A table as numbers, as it was read and before anything is checked or computed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.interventions import Interventions, checked_interventions
from toposwap.core.kinds import Kind, Labels, kinds_by_name
from toposwap.core.tables.held_rows import HeldRows
from toposwap.core.tables.row_weights import checked_weights
from toposwap.core.validation import as_held

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class TableRead:
    """A table as numbers, before anything is computed of it.

    Attributes
    ----------
    held
        The numbers (n, d), NaN where something is missing, as they are :attr:`values` in double
        precision.
    names, labels, given
        Of the columns: what they are called, what their numbers stand for, and the kinds that the
        user has named.
    weights
        How often each of the rows counts, (n,); None if each counts once.
    interventions
        What was set from outside in each of the rows; None if nothing was.
    """

    held: NDArray[np.float64] | HeldRows = field(repr=False)
    names: list[str]
    labels: tuple[Labels, ...]
    given: Mapping[str, Kind]
    weights: NDArray[np.float64] | None
    interventions: Interventions | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        names: Sequence[Any] | None,
        kinds: Mapping[str, str | Kind] | None,
        sample_weight: ArrayLike | None,
        interventions: Any = None,
        intervention_kind: str = "perfect",
        *,
        center: bool,
    ) -> TableRead:
        """What :meth:`Dataset.from_table` is given, without the rows that do not count."""
        if not isinstance(center, (bool, np.bool_)):
            raise InputError(f"center: must be True or False, got {center!r}")
        held, labels, meanings = as_held(table, names, kinds=kinds)
        given = kinds_by_name(kinds, labels)
        weights = checked_weights(sample_weight, len(held))
        done = checked_interventions(interventions, intervention_kind, labels, len(held))
        read = cls(held, labels, meanings, given, weights, done)
        return read if weights is None or weights.all() else read.of_rows(weights > 0.0)

    @property
    def values(self) -> NDArray[np.float64]:
        """(n, d), NaN where something is missing."""
        return self.held.matrix if isinstance(self.held, HeldRows) else self.held

    def of_rows(self, chosen: NDArray[np.bool_]) -> TableRead:
        """Of the rows (n,) that are ``chosen``."""
        weights, done = self.weights, self.interventions
        return replace(
            self,
            held=self.held[chosen],
            weights=None if weights is None else weights[chosen],
            interventions=None if done is None else done.of_rows(chosen),
        )
