"""Numbers (n, d) as the caller holds them, in double precision only where they are looked at.

A table of single precision or of whole numbers, the columns of a frame and the chunks of an Arrow
table are views: what is computed from blocks of rows or from single columns needs no copy of all.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

#: Entries of one block of rows.
BLOCK_ENTRIES = 2**20
#: Numbers in a row from which on its loop is worth beginning.
_LONG = 256


class HeldRows:
    """A table (n, d) of real numbers, read as float64 by blocks of rows and by columns.

    Parameters
    ----------
    parts
        One array (n, d), or for each column the arrays that it consists of, one after the other;
        of any real type, never changed.
    """

    ndim = 2

    def __init__(self, parts: NDArray[Any] | Sequence[Sequence[NDArray[Any]]]) -> None:
        self._array = parts if isinstance(parts, np.ndarray) else None
        self._columns = [] if isinstance(parts, np.ndarray) else [list(p) for p in parts]
        if self._array is not None:
            self.shape: tuple[int, int] = self._array.shape
        else:
            self.shape = sum(len(piece) for piece in self._columns[0]), len(self._columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> NDArray[np.float64]:
        """Rows ``[a:b]`` or a column ``[:, j]`` without the rest; by anything else, of all."""
        if isinstance(key, slice) and key.step is None:
            return self.block(*key.indices(len(self))[:2])
        if (
            isinstance(key, tuple)
            and key[0] == slice(None)
            and isinstance(key[1], int | np.integer)
        ):
            return self._column(int(key[1]), 0, len(self))
        return np.asarray(self.matrix[key])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.matrix if dtype is None else self.matrix.astype(dtype, copy=False)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """All of it, (n, d)."""
        if self._array is not None:
            return self._array.astype(np.float64)
        return self.block(0, len(self))

    def block(self, start: int, stop: int) -> NDArray[np.float64]:
        """Rows ``start`` to ``stop``, (stop - start, d), a fresh array."""
        if self._array is not None:
            return self._array[start:stop].astype(np.float64)
        rows = np.empty((max(stop - start, 0), self.shape[1]), order="F")
        for j in range(self.shape[1]):
            rows[:, j] = self._column(j, start, stop)
        return rows

    def sum(self) -> float:
        """Of all entries: finite only if all of them are."""
        return float(sum(piece.sum(dtype=np.float64) for piece in self._pieces()))

    def mean(self, axis: int) -> NDArray[np.float64]:
        """Of the columns (``axis`` 0), (d,)."""
        assert axis == 0
        total = np.zeros(self.shape[1])
        for block in row_blocks(self):
            total += block.sum(axis=0)
        return total / len(self)

    def min(self, axis: int) -> NDArray[np.float64]:
        """Of the columns (``axis`` 0), (d,)."""
        return self._extreme(np.minimum, axis)

    def max(self, axis: int) -> NDArray[np.float64]:
        """Of the columns (``axis`` 0), (d,)."""
        return self._extreme(np.maximum, axis)

    def _extreme(self, of_two: np.ufunc, axis: int) -> NDArray[np.float64]:
        assert axis == 0
        if self._array is not None:
            return np.asarray(of_two.reduce(self._array, axis=0), dtype=np.float64)
        return np.array(
            [
                of_two.reduce([float(of_two.reduce(p)) for p in pieces if len(p)])
                for pieces in self._columns
            ]
        )

    def _pieces(self) -> Iterator[NDArray[Any]]:
        if self._array is not None:
            yield self._array
        for pieces in self._columns:
            yield from pieces

    def _column(self, j: int, start: int, stop: int) -> NDArray[np.float64]:
        if self._array is not None:
            return self._array[start:stop, j].astype(np.float64)
        pieces = self._columns[j]
        if len(pieces) == 1:
            return pieces[0][start:stop].astype(np.float64, copy=False)
        column, first = np.empty(max(stop - start, 0)), 0
        for piece in pieces:
            a, b = max(start - first, 0), min(stop - first, len(piece))
            if a < b:
                column[first + a - start : first + b - start] = piece[a:b]
            first += len(piece)
        return column


def row_blocks(values: NDArray[np.float64] | HeldRows) -> Iterator[NDArray[np.float64]]:
    """Consecutive rows in blocks of about a million entries, views where that is possible."""
    n, d = values.shape
    step = max(1, BLOCK_ENTRIES // d)
    for start in range(0, n, step):
        yield values[start : start + step]


def extremes(
    values: NDArray[np.float64] | HeldRows,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest value of each column, (d,) each."""
    n, d = values.shape
    short = isinstance(values, np.ndarray) and values.flags.c_contiguous and 2 * d <= _LONG
    if isinstance(values, HeldRows) or not short or n * d < 4 * _LONG:
        return values.min(axis=0), values.max(axis=0)
    # Short rows are compared side by side: a loop over long ones takes a quarter of the time.
    beside = _LONG // d
    whole = n - n % beside
    folded = values[:whole].reshape(-1, beside * d)
    low = np.vstack([folded.min(axis=0).reshape(beside, d), values[whole:]]).min(axis=0)
    high = np.vstack([folded.max(axis=0).reshape(beside, d), values[whole:]]).max(axis=0)
    return low, high


def held_column(part: Any) -> list[NDArray[Any]] | None:
    """The arrays that a column of plain numbers consists of, not copied; None of any other."""
    if type(part) is np.ndarray:
        return [part] if part.ndim == 1 and _plain(part.dtype) else None
    chunks = getattr(part, "chunks", None)
    if chunks is not None and hasattr(part, "null_count"):
        if part.null_count or not len(part):
            return None
        try:
            found = [chunk.to_numpy(zero_copy_only=True) for chunk in chunks]
        except (TypeError, ValueError):
            # Types that have no view: truth values, text, dates, ...
            return None
        except Exception as error:
            if type(error).__module__.split(".")[0] != "pyarrow":
                raise
            return None
        return found if all(_plain(piece.dtype) for piece in found) else None
    dtype = getattr(part, "dtype", None)
    if isinstance(dtype, np.dtype) and _plain(dtype) and hasattr(part, "array"):
        return [np.asarray(part.to_numpy())]
    return None


def _plain(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of this type are doubles, or become doubles one by one."""
    return dtype.kind in "iuf" and dtype.itemsize <= 8 and dtype.isnative
