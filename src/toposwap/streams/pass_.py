"""One pass over batches, to a data set that knows moments and no rows."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError
from toposwap.core.moments import Moments
from toposwap.core.validation import LARGEST, listed
from toposwap.streams.batches import Batch, batches_of
from toposwap.streams.files import FileStream

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

#: Entries of a block: a few of them fit the caches.
_BLOCK = 2**18
#: Rows that shift, scale and kinds are read off, at least.
_FIRST = 1000
#: Values of a column of whole numbers that may be codes.
_FEW_VALUES = 12


def from_batches(
    batches: Iterable[Any],
    *,
    names: Sequence[Any] | None = None,
    center: bool = True,
    drop_missing: bool = False,
) -> Dataset:
    """The moments of all rows, from one pass that holds one batch at a time.

    Parameters
    ----------
    batches
        Arrays (m, d), frames, dicts of columns, Arrow batches, or a
        :class:`~toposwap.streams.files.FileStream`; each of any length.
    names
        Of the columns, where the batches have none.
    center
        Whether the means are taken out.
    drop_missing
        Leave out rows with missing or infinite values, and say how many, instead of refusing them.
    """
    pass_ = Pass(drop_missing=drop_missing)
    for batch in batches_of(batches, names):
        pass_.add(batch)
    return pass_.dataset(center=center)


def from_files(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    columns: Sequence[str] | None = None,
    center: bool = True,
    drop_missing: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Dataset:
    """The same of files: one, several, a folder, or a pattern like ``part-*.parquet``.

    ``columns`` are the ones to use, by default all; ``progress`` is called with a line of text.
    """
    stream = FileStream.of(files, columns=columns, progress=progress)
    return from_batches(stream, center=center, drop_missing=drop_missing)


class Pass:
    """Batches in, moments out."""

    def __init__(self, *, drop_missing: bool = False) -> None:
        self.drop_missing = drop_missing
        self.names: tuple[str, ...] = ()
        self.dropped = 0
        self.rows = 0
        self.moments: Moments | None = None
        self._waiting: list[Batch] = []
        self._coded: list[str] = []

    def add(self, batch: Batch) -> None:
        """Take the rows of ``batch``."""
        self.names = batch.names
        self.rows += len(batch)
        if self.drop_missing:
            good = batch.finite()
            if not good.all():
                self.dropped += int(len(batch) - good.sum())
                batch = batch.rows(good)
        if self.moments is None:
            # Shift and scale are to be those of more than a row or two.
            self._waiting.append(batch)
            if sum(map(len, self._waiting)) >= max(_FIRST, 8 * (len(self.names) + 1)):
                self._begin()
            return
        for block in _blocks(batch):
            if not self.moments.add(block.columns):
                raise _not_finite(block)

    def settled(self) -> Pass:
        """The same with nothing waiting."""
        if self.moments is None and self._waiting:
            self._begin()
        return self

    def merged(self, other: Pass) -> Pass:
        """The rows of both, ``other`` after these; neither changes."""
        both = deepcopy(self.settled())
        other = other.settled()
        both.names = self.names or other.names
        both.rows += other.rows
        both.dropped += other.dropped
        if both.moments is None:
            both.moments, both._coded = deepcopy(other.moments), other._coded
        elif other.moments is not None:
            both.moments.merge(other.moments)
            both._coded = [name for name in both._coded if name in other._coded]
        return both

    def dataset(self, *, center: bool = True) -> Dataset:
        """What all rows come to; constant columns and too few rows are refused."""
        moments = self.settled().moments
        if moments is None or moments.n == 0.0:
            raise InputError("the table has 0 sample(s) (no rows), a minimum of 2 is required")
        remarks = self._remarks()
        return Dataset.from_moments(self.names, moments, center=center, remarks=remarks)

    def _begin(self) -> None:
        waiting, self._waiting = self._waiting, []
        for batch in waiting:
            if not batch.finite().all():
                raise _not_finite(batch)
        columns = [
            np.concatenate(parts) for parts in zip(*(b.columns for b in waiting), strict=True)
        ]
        if not len(columns[0]):
            return
        self._coded = [
            name for name, x in zip(self.names, columns, strict=True) if _could_be_codes(x)
        ]
        self.moments = Moments.beginning(columns)
        for batch in waiting:
            for block in _blocks(batch):
                self.moments.add(block.columns)

    def _remarks(self) -> tuple[str, ...]:
        told = []
        if self.dropped:
            told.append(f"{self.dropped} of {self.rows} rows have missing values and were left out")
        if self._coded:
            told.append(
                f"{listed(self._coded)}: few values in the first rows, so perhaps categories or "
                "codes; a stream takes all columns as numbers. A sample of the rows is modelled by "
                "the kinds of its columns: --sample 100000"
            )
        return tuple(told)


def _blocks(batch: Batch) -> Iterator[Batch]:
    """Pieces of a size that caches hold."""
    step = max(1, _BLOCK // max(1, len(batch.columns)))
    if len(batch) <= step:
        if len(batch):
            yield batch
        return
    for start in range(0, len(batch), step):
        yield batch.rows(slice(start, start + step))


def _could_be_codes(x: Any) -> bool:
    """Whether a column has two values, or few that are whole numbers."""
    values = np.unique(x)
    if values.size <= 2:
        return values.size == 2
    return bool(values.size <= _FEW_VALUES and (values == np.floor(values)).all())


def _not_finite(batch: Batch) -> InputError:
    """The refusal of a value that is missing, infinite or too large, with file and row."""
    for name, column in zip(batch.names, batch.columns, strict=True):
        if column.dtype.kind != "f":
            continue
        bad = np.flatnonzero(~(np.abs(column) <= LARGEST))
        if bad.size:
            value = column[bad[0]]
            what = "missing" if np.isnan(value) else "infinite or beyond 1e152"
            return InputError(
                f"{batch.source}, row {batch.first + int(bad[0])}: {name!r} is {what}; leave such "
                "rows out (--drop-missing, drop_missing=True), or the column (--exclude)"
            )
    return InputError(f"{batch.source}: numbers whose squares have no sum; use other units")
