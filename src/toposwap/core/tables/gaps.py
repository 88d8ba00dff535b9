"""A table with gaps: what is there, what is not, and where."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.kinds import Column, Labels, Recognised, recognise
from toposwap.core.tables.table_read import TableRead
from toposwap.core.validation import columns, listed, named, refuse_unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from toposwap.core.kinds import Kind


@dataclass(frozen=True)
class Dependence:
    """Gaps of ``column`` are more frequent where ``other`` is large, or small, or a certain level.

    ``p`` is the chance of a difference like this without any such dependence, corrected for the
    number of pairs that were looked at (Holm).
    """

    column: str
    other: str
    p: float


@dataclass(frozen=True, eq=False)
class GapReport:
    """What was missing in a table, and what was done about it.

    Attributes
    ----------
    treatment
        "drop", "em" or "impute".
    rows, rows_with_gaps, rows_used
        How many there are, how many of them lack something, and how many were learned from.
    shares
        The share of rows without a value, by column; columns without gaps too.
    dependences
        What the gaps depend on, the clearest first.
    log_likelihood
        Of the values that are there, at the solution; None where it is not known.
    told
        What was done, in words.
    """

    treatment: str
    rows: int
    rows_with_gaps: int
    rows_used: int
    shares: Mapping[str, float]
    dependences: tuple[Dependence, ...] = ()
    log_likelihood: float | None = None
    told: str = ""


@dataclass(frozen=True, eq=False)
class Incomplete:
    """Rows (n, d) of which some values are missing (NaN); all else as in a data set.

    Attributes
    ----------
    read
        The table as it was read.
    center
        Whether means are taken out.
    """

    read: TableRead = field(repr=False)
    center: bool = True

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        names: Sequence[Any] | None = None,
        center: bool = True,
        kinds: Mapping[str, str | Kind] | None = None,
        sample_weight: ArrayLike | None = None,
        interventions: Any = None,
        intervention_kind: str = "perfect",
    ) -> Incomplete:
        """From whatever :meth:`Dataset.from_table` takes."""
        read = TableRead.of(
            table,
            names,
            kinds,
            sample_weight,
            interventions,
            intervention_kind,
            center=center,
        )
        return cls(read, bool(center))

    @property
    def values(self) -> NDArray[np.float64]:
        """(n, d), NaN where there is none."""
        return self.read.values

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(self.read.names)

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.read.held.shape[1])

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Where values are missing, (n, d)."""
        return np.isnan(self.values)

    @property
    def weights(self) -> NDArray[np.float64]:
        """How often each row counts, (n,)."""
        given = self.read.weights
        return np.ones(len(self.values)) if given is None else given

    @cached_property
    def complete(self) -> bool:
        """Whether there is no gap, and nothing infinite either."""
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(self.read.held.sum()) or np.isfinite(self.values).all())

    def dataset(self) -> Dataset:
        """The data, refused where something is missing."""
        return Dataset.of_read(self.read, center=self.center)

    def of_rows(self, chosen: NDArray[np.bool_]) -> Incomplete:
        """Of the rows (n,) that are ``chosen``."""
        return Incomplete(self.read.of_rows(chosen), self.center)

    def reweighted(self, weights: NDArray[np.float64]) -> Incomplete:
        """The same rows, each as often as ``weights`` (n,) say; of weight zero they go."""
        kept = weights > 0.0
        counts = None if (weights[kept] == 1.0).all() else weights[kept]
        return Incomplete(replace(self.read.of_rows(kept), weights=counts), self.center)

    def filled(
        self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None
    ) -> Dataset:
        """A data set of complete rows ``values`` (m, d), of the kinds that are seen here."""
        weights = self.read.weights if weights is None else weights
        data = Dataset.of_read(replace(self.read, held=values, weights=weights), center=self.center)
        # What was filled in says nothing about what a column is.
        vars(data)["kinds"] = self.kinds
        return data

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Of the values that are there, (d,)."""
        there = ~self.gaps * self.weights[:, None]
        return np.asarray((np.where(self.gaps, 0.0, self.values) * there).sum(0) / there.sum(0))

    @cached_property
    def kinds(self) -> tuple[Recognised, ...]:
        """What each column is, by the values that are there, (d,)."""
        return tuple(
            recognise(self.column(j), self.read.given.get(name))
            for j, name in enumerate(self.names)
        )

    def seen_as(self, kinds: tuple[Recognised, ...]) -> Incomplete:
        """The same table with ``kinds`` (d,) for its columns."""
        other = replace(self)
        vars(other)["kinds"] = kinds
        return other

    def column(self, j: int) -> Column:
        """What is there of column ``j``, as kinds look at it."""
        x = self.values[:, j]
        labels = self.read.labels[j] if self.read.labels else Labels("numbers")
        return Column(x[~self.gaps[:, j]], labels)

    def check(self) -> Dataset:
        """Refuse what no way of dealing with gaps can use.

        Returns the data with the means of the columns in their gaps: scales, names and bounds.
        """
        if self.read.interventions is not None:
            raise InputError(
                "interventions: where variables were set from outside missing values cannot be "
                "estimated: missing='drop' leaves out the rows that have any"
            )
        empty = self.gaps.all(axis=0)
        if empty.any():
            raise InputError(
                f"no value at all in {named(self.names, empty)}: leave out what was never measured"
            )
        refuse_unusable(np.where(self.gaps, 0.0, self.values), self.names)
        return Dataset.of_read(
            replace(self.read, held=np.where(self.gaps, self.means, self.values)),
            center=self.center,
        )


def refuse_gaps(table: Incomplete) -> None:
    """Say how many values are missing, where, and what can be done."""
    counts = table.gaps.sum(axis=0)
    if not counts.any():
        return
    by_column = [
        f"{table.names[j]!r} ({counts[j]})" for j in np.argsort(-counts, kind="stable") if counts[j]
    ]
    shown = ", ".join(by_column[:8]) + (
        f" and {len(by_column) - 8} more" if len(by_column) > 8 else ""
    )
    rows = int(table.gaps.any(axis=1).sum())
    those = "that row" if rows == 1 else f"those {rows} rows"
    raise InputError(
        f"NaN (missing values): {int(counts.sum())} in {rows} of {len(table.values)} rows, in "
        f"{columns(len(by_column))} {shown}: missing='em' learns from what is there (scores of "
        "means and covariances: bic, least-squares, ...), missing='impute' draws it (all others), "
        f"missing='drop' leaves {those} out; --missing on the command line"
    )


def shares_in_words(shares: Mapping[str, float], most: int = 8) -> str:
    """``'a' 12%, 'b' 3%``: the columns with gaps, the largest share first."""
    gaps = sorted(((s, n) for n, s in shares.items() if s > 0.0), key=lambda pair: -pair[0])
    shown = [f"{name!r} {100.0 * share:.2g}%" for share, name in gaps[:most]]
    more = f" and {len(gaps) - most} more" if len(gaps) > most else ""
    return ", ".join(shown) + more


def dependences_in_words(found: Sequence[Dependence], most: int = 5) -> str:
    """``gaps of 'a' depend on 'b' (p = 0.001)``, and what that means."""
    groups: dict[str, list[Dependence]] = {}
    for one in found:
        groups.setdefault(one.column, []).append(one)
    told = [
        f"gaps of {column!r} depend on {listed((one.other for one in on), 3)} "
        f"(p = {min(one.p for one in on):.2g})"
        for column, on in list(groups.items())[:most]
    ]
    more = f" and {len(groups) - most} more columns" if len(groups) > most else ""
    return "; ".join(told) + more
