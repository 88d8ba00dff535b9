"""The data as every score sees it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.covariance import checked_covariance
from toposwap.core.errors import InputError
from toposwap.core.interventions import Interventions
from toposwap.core.kinds import Kind, Labels, Recognised
from toposwap.core.parents_at_once import parents_at_once
from toposwap.core.tables.held_rows import HeldRows
from toposwap.core.tables.own_rows import OwnRows, own_rows
from toposwap.core.tables.seen_columns import SeenColumns
from toposwap.core.tables.table_moments import moments_of
from toposwap.core.tables.table_read import TableRead
from toposwap.core.tables.unvarying import refuse_constant
from toposwap.core.validation import listed, places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from toposwap.core.moments import Moments


#: Weights of which at most one in so many is there are multiplied a few nodes at a time.
_FEW = 16


@dataclass(frozen=True, eq=False)
class Dataset(SeenColumns):
    r"""Validated data: names, size, centring and the triangular factor.

    With ``scale`` a power of two for each column,

    .. math:: R_0^\top R_0 = D^{-1} C D^{-1}, \qquad
              C = \tfrac1n (X - 1\mu^\top)^\top (X - 1\mu^\top).

    Build one with :meth:`from_table` or :meth:`from_covariance`; both refuse what cannot be used
    and say why.

    Attributes
    ----------
    names
        One for each column.
    n
        Number of rows; where these have weights, the sum of the weights, rounded.
    mean, scale
        Taken out of the columns, (d,). The mean is zero when the data are not to be centred.
    factor
        :math:`R_0`, (d, d), upper triangular.
    held
        The values (n, d) as given, or None when only a covariance or moments are known; what is
        not of double precision is read where it is, see :attr:`rows`.
    labels
        What the numbers of each column stand for, (d,); empty if for themselves.
    given_kinds
        The kinds that the user has named, by column.
    row_weights
        How often each of the rows counts, (m,); None if each counts once.
    interventions
        Which variables were set from outside in which rows; None where none was. Each node then has
        rows of its own, see :attr:`own_rows`; means, scales and factor above are of all rows.
    centered
        Whether means were taken out.
    """

    names: tuple[str, ...]
    n: int
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    factor: NDArray[np.float64] = field(repr=False)
    held: NDArray[np.float64] | HeldRows | None = field(repr=False, default=None)
    labels: tuple[Labels, ...] = field(repr=False, default=())
    given_kinds: Mapping[str, Kind] = field(repr=False, default_factory=dict)
    row_weights: NDArray[np.float64] | None = field(repr=False, default=None)
    interventions: Interventions | None = None
    centered: bool = True
    #: Whether a covariance matrix was given, whose entries are rounded squares.
    squared: bool = field(repr=False, default=False)
    #: What there is to say about how the data were read, a sentence each.
    remarks: tuple[str, ...] = field(repr=False, default=())

    def __post_init__(self) -> None:
        for array in (self.mean, self.scale, self.factor):
            array.setflags(write=False)

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
    ) -> Dataset:
        """From an array (n, d), a DataFrame, an Arrow table or a dict of columns; never changed.

        Columns may be text of few different values, or categories. ``kinds`` says what columns
        are, by name or by pattern: "continuous", "binary", "count", "categorical", "ordinal"; of
        others it is seen in their dtype and their values (:attr:`kinds`). ``sample_weight`` (n,)
        says how often each row counts; whole numbers are the same as that row so many times.
        ``interventions`` (n,) says which variables were set from outside in each row: None, a name,
        or a list of names; ``intervention_kind`` what that does, see :class:`Interventions`.
        """
        read = TableRead.of(
            table,
            names,
            kinds,
            sample_weight,
            interventions,
            intervention_kind,
            center=center,
        )
        return cls.of_read(read, center=center)

    @classmethod
    def of_read(cls, read: TableRead, *, center: bool) -> Dataset:
        """Check the numbers of a table, and take out means, scales and the factor."""
        told = moments_of(read, center=center)
        done = read.interventions
        data = cls(
            tuple(read.names),
            told.n,
            told.mean,
            told.scale,
            told.factor,
            read.held,
            read.labels,
            read.given,
            read.weights,
            done if done is not None and done.targets.any() else None,
            bool(center),
        )
        # Known from the check of the numbers, so that no one looks for them again.
        vars(data)["extremes"] = told.extremes
        return data

    @classmethod
    def from_covariance(
        cls, covariance: ArrayLike, n: int, *, names: Sequence[Any] | None = None
    ) -> Dataset:
        """From a covariance matrix (d, d), divisor n, and the number of rows behind it.

        A DataFrame whose rows carry the names of its columns is matched by them. The accuracy of
        small conditional variances is limited by the matrix: prefer the table where there is one.
        """
        labels, scale, triangle = checked_covariance(covariance, n, names)
        zero = np.zeros(len(labels))
        return cls(tuple(labels), int(n), zero, scale, triangle, None, squared=True)

    @classmethod
    def from_moments(
        cls,
        names: Sequence[str],
        moments: Moments,
        *,
        center: bool = True,
        remarks: tuple[str, ...] = (),
    ) -> Dataset:
        """From what is left of rows that have been passed over, see :mod:`toposwap.streams`."""
        labels = list(names)
        if moments.n < 2.0:
            raise InputError(
                "1 sample (one row) tells nothing about how columns vary together: give more rows"
            )
        factor, scale = moments.factor(center=center)
        constant = moments.constant() if center else np.asarray(~factor.any(axis=0))
        refuse_constant(constant, labels, center=center)
        mean = moments.mean() if center else np.zeros(len(labels))
        n = round(moments.n)
        return cls(tuple(labels), n, mean, scale, factor, None, remarks=remarks, centered=center)

    @classmethod
    def from_batches(cls, batches: Iterable[Any], **how: Any) -> Dataset:
        """From an iterable of arrays, frames or Arrow batches, in one pass that keeps no rows.

        For scores that know the data by second moments. ``how`` is as
        :func:`toposwap.streams.from_batches` takes it: ``names``, ``center``, ``drop_missing``.
        """
        from toposwap import streams

        return streams.from_batches(batches, **how)

    @classmethod
    def from_files(cls, files: Any, **how: Any) -> Dataset:
        """The same of files: one, several, a folder, or a pattern like ``part-*.parquet``.

        ``how`` is as :func:`toposwap.streams.from_files` takes it: ``columns``, ``center``,
        ``drop_missing``, ``progress``.
        """
        from toposwap import streams

        return streams.from_files(files, **how)

    @classmethod
    def from_dask(cls, table: Any, **how: Any) -> Dataset:
        """The same of a dask array or frame, computed where its partitions are.

        ``how`` is as :func:`toposwap.streams.from_dask` takes it: ``names``, ``center``,
        ``drop_missing``, ``client``.
        """
        from toposwap import streams

        return streams.from_dask(table, **how)

    @cached_property
    def rounding(self) -> NDArray[np.float64]:
        """Rounding error of each column as it was given, over its standard deviation, (d,).

        A number is rounded relative to its size, which the mean may dominate; in a covariance
        matrix it is the squares that are rounded.
        """
        eps = float(np.finfo(float).eps)
        if self.squared:
            return np.full(self.d, 2.0 * np.sqrt(eps * self.d))
        return 2.0 * eps * (1.0 + np.abs(self.mean) / (self.deviations * self.scale))

    def seen_as(self, found: Mapping[int, Recognised]) -> Dataset:
        """The same data with other kinds for the columns in ``found``, by position."""
        other = replace(self)
        vars(other)["kinds"] = tuple(found.get(j, known) for j, known in enumerate(self.kinds))
        return other

    def average(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over the rows of ``values`` (m, ...), each as often as it counts."""
        return np.asarray(np.average(values, axis=0, weights=self.row_weights))

    def average_row(self) -> NDArray[np.float64]:
        """The mean row (d,), whatever was taken out as the mean."""
        assert self.held is not None
        if self.row_weights is None:
            return np.asarray(self.held.mean(axis=0))
        return self.average(self.rows)  # type: ignore[arg-type]

    def repeated(self, what: str) -> Dataset:
        """The same data with each row as often as it counts, for ``what`` knows no weights."""
        if self.row_weights is None:
            return self
        times = self._times
        if times is None:
            raise InputError(
                f"sample_weight: {what} takes weights that are whole numbers only: round them, or "
                "choose a score that takes all (auto, bic, least-squares, any LOSS-PENALTY)"
            )
        assert self.rows is not None
        rows = np.repeat(self.rows, times, axis=0)
        done = self.interventions
        done = None if done is None else done.of_rows(np.repeat(np.arange(len(times)), times))
        read = TableRead(rows, list(self.names), self.labels, self.given_kinds, None, done)
        return self.of_read(read, center=self.centered)

    def reweighted(self, weights: NDArray[np.float64]) -> Dataset:
        """The same rows, each as often as ``weights`` (m,) say; those of weight zero are left out.

        Raises
        ------
        InputError
            If what is left cannot be used: a column is constant in it, say.
        """
        assert self.rows is not None
        kept = weights > 0.0
        counts = None if (weights[kept] == 1.0).all() else weights[kept]
        done = None if self.interventions is None else self.interventions.of_rows(kept)
        names, given = list(self.names), self.given_kinds
        read = TableRead(self.rows[kept], names, self.labels, given, counts, done)
        return self.of_read(read, center=self.centered)

    @cached_property
    def _places(self) -> dict[str, int]:
        return places(self.names)

    def covariance(self) -> NDArray[np.float64]:
        """C = 1/n (X - mean)'(X - mean), (d, d), in the units of the data."""
        scaled = self.factor.T @ self.factor
        return scaled * self.scale[:, None] * self.scale

    @cached_property
    def own_rows(self) -> tuple[OwnRows, ...]:
        """The rows that count for each node: groups of nodes that share them."""
        return own_rows(self)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of the rows that count for each node, (d,)."""
        shares = np.empty(self.d)
        for group in self.own_rows:
            shares[group.nodes] = group.share
        return shares

    def without_interventions(self) -> Dataset:
        """The same table with all rows alike, for what knows no interventions."""
        return self if self.interventions is None else replace(self, interventions=None)

    def residual_variances(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """1/n ||x_j - X w_j||^2 of the centred columns for weights W (d, d), (d,).

        Over the n rows that count for j.
        """
        from scipy.linalg import blas

        variances, present = np.empty(self.d), W != 0.0
        if _FEW * np.count_nonzero(present) > present.size:
            left = self.scale[:, None] * (np.eye(self.d) - W)
            for group in self.own_rows:
                # A triangle: half of the products.
                residual = blas.dtrmm(1.0, group.moments.factor, left[:, group.nodes])
                variances[group.nodes] = np.einsum("ij,ij->j", residual, residual)
            return variances
        for group in self.own_rows:
            for nodes, used in parents_at_once(present, group.nodes):
                left = (used[:, None] == nodes) - W[np.ix_(used, nodes)]
                residual = group.moments.factor[:, used] @ (self.scale[used, None] * left)
                variances[nodes] = np.einsum("ij,ij->j", residual, residual)
        return variances

    def intercepts(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """What leads X W through the means of the rows that count for each column, (d,)."""
        constants = np.empty(self.d)
        for group in self.own_rows:
            mean, nodes = group.moments.mean, group.nodes
            # All nodes stand in sequence, and a large W is not copied.
            own = W if nodes.size == self.d else W[:, nodes]
            constants[nodes] = mean[nodes] - mean @ own
        return constants

    def index(self, name: str) -> int:
        """Position of the column called ``name``."""
        try:
            return self._places[name]
        except KeyError:
            raise InputError(
                f"no column is called {name!r}; there are {listed(self.names)}"
            ) from None
