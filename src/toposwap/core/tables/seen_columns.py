"""What the columns of a data set are: kinds, levels, codes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.kinds import FRACTIONS, KINDS, Column, Kind, Labels, Recognised, recognise
from toposwap.core.tables.codes import Coded
from toposwap.core.tables.columns import InputTypeError
from toposwap.core.tables.held_rows import HeldRows, extremes
from toposwap.core.validation import columns, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

#: Rows that are looked at before all are.
_FIRST = 100
#: Rows that are made of weights, for what has no formula with these.
_MOST_REPEATED = 20_000_000


class SeenColumns:
    """The part of :class:`~toposwap.core.dataset.Dataset` that looks at single columns."""

    names: tuple[str, ...]
    n: int
    held: NDArray[np.float64] | HeldRows | None
    labels: tuple[Labels, ...]
    given_kinds: Mapping[str, Kind]
    row_weights: NDArray[np.float64] | None
    factor: NDArray[np.float64]
    squared: bool

    @cached_property
    def rows(self) -> NDArray[np.float64] | None:
        """The values (n, d) in double precision; made of :attr:`held`, once, where it is asked for.

        Whoever looks at blocks of rows or at single columns asks ``held``, which copies no more.
        """
        return self.held.matrix if isinstance(self.held, HeldRows) else self.held

    @cached_property
    def extremes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest value of each column, (d,) each."""
        assert self.held is not None
        return extremes(self.held)

    @property
    def d(self) -> int:
        """Number of columns, that is of variables and of nodes."""
        return len(self.names)

    @cached_property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviation of each scaled column (divisor n), (d,); multiply by ``scale``."""
        return np.sqrt(np.einsum("ij,ij->j", self.factor, self.factor))

    @cached_property
    def kinds(self) -> tuple[Recognised, ...]:
        """What each column is, and how that is known, (d,)."""
        if self.held is None:
            known = Recognised(KINDS["continuous"], self.without_rows)
            return (known,) * self.d
        # Most columns of most tables show at once that they are measurements.
        first = self.held[:_FIRST]
        several = ((first != first[0]) & (first != first.max(axis=0))).any(axis=0)
        several &= ((first != first[0]) & (first != first.min(axis=0))).any(axis=0)
        measured = several & (first != np.floor(first)).any(axis=0)
        return tuple(
            FRACTIONS
            if measured[j] and name not in self.given_kinds
            else recognise(self.column(j), self.given_kinds.get(name))
            for j, name in enumerate(self.names)
        )

    @property
    def without_rows(self) -> str:
        """Why there are no rows."""
        if self.squared:
            return "only a covariance matrix is known"
        return "only the moments of the rows are known"

    @property
    def known_kinds(self) -> dict[str, str]:
        """The names of :attr:`kinds` by column: all if somebody has asked, else what was told."""
        if "kinds" in vars(self):
            return {
                name: known.kind.name for name, known in zip(self.names, self.kinds, strict=True)
            }
        return dict(self._told_kinds)

    @cached_property
    def _told_kinds(self) -> dict[str, str]:
        """Kinds by name, of the columns whose dtype or whose user tells."""
        told = [
            j
            for j, name in enumerate(self.names)
            if name in self.given_kinds
            or (self.labels and self.labels[j].declared != "numbers" and self.held is not None)
        ]
        return {
            self.names[j]: recognise(self.column(j), self.given_kinds.get(self.names[j])).kind.name
            for j in told
        }

    @property
    def levels(self) -> dict[str, tuple[Any, ...]]:
        """What 0, 1, 2, ... stand for in the columns that held text, by name."""
        return {
            name: labels.levels
            for name, labels in zip(self.names, self.labels, strict=False)
            if labels.levels is not None
        }

    @cached_property
    def _coded(self) -> dict[int, Coded]:
        return {}

    def coded(self, j: int) -> Coded:
        """Column ``j`` as codes (m,) of its levels, one for each of ``rows``; made once."""
        if j not in self._coded:
            assert self.held is not None
            labels = self.labels[j] if self.labels else Labels("numbers")
            self._coded[j] = Coded.of(self.held[:, j], labels)
        return self._coded[j]

    @property
    def nominal(self) -> tuple[str, ...]:
        """The names of columns of categories without an order, more than two."""
        return tuple(name for name, kind in self._told_kinds.items() if kind == "categorical")

    def refuse_nominal(self, what: str) -> None:
        """Raise where columns are :attr:`nominal`, for ``what`` has no model of these."""
        if self.nominal:
            verb = "holds" if len(self.nominal) == 1 else "hold"
            raise InputTypeError(
                f"{columns(len(self.nominal))} {listed(self.nominal)} {verb} categories of more "
                f"than two values, of which {what} has no model: choose score='auto', leave "
                f"{'it' if len(self.nominal) == 1 else 'them'} out, or encode as columns of 0 and "
                "1 (pandas.get_dummies)"
            )

    def column(self, j: int) -> Column:
        """Column ``j`` as kinds look at it."""
        labels = self.labels[j] if self.labels else Labels("numbers")
        return Column(self.all_of(j), labels, lambda: float(self._unexplained[j]))

    def all_of(self, j: int) -> NDArray[np.float64]:
        """Column ``j``, each value as often as it counts; once where weights are no whole numbers.

        For what has no formula with weights: medians, and frequencies of values.
        """
        assert self.held is not None
        x = self.held[:, j]
        times = self._times
        return x if times is None or self.n > _MOST_REPEATED else np.repeat(x, times)

    @property
    def first_of_rows(self) -> Any:
        """Where each row stands first among those of :meth:`all_of`, (m,) or all."""
        times = self._times
        if times is None or self.n > _MOST_REPEATED:
            return slice(None)
        return np.cumsum(times) - times

    @cached_property
    def _times(self) -> NDArray[np.int64] | None:
        """The weights as whole numbers, (m,); None where they are none."""
        if self.row_weights is None or (self.row_weights != np.floor(self.row_weights)).any():
            return None
        return self.row_weights.astype(np.int64)

    @cached_property
    def _unexplained(self) -> NDArray[np.float64]:
        """Share of each variance that all other columns leave, (d,); NaN if there are too many."""
        unknown = np.full(self.d, np.nan)
        if self.n <= 2 * self.d:
            return unknown
        pivots = np.abs(np.diag(self.factor)) / self.deviations
        if not pivots.min() > 1e-8:
            return unknown
        inverse = np.linalg.inv(self.factor / self.deviations)
        return self.n / (self.n - self.d) / np.einsum("ij,ij->i", inverse, inverse)
