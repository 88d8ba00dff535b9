"""Batches of rows from files that need not fit in memory: CSV, Parquet, one or many."""

from __future__ import annotations

import glob
import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.core.runtime.clock import clock
from toposwap.io.tables.pieces import Piece, names_in, pieces_of
from toposwap.streams.batches import Batch, numbers, refuse_names

if TYPE_CHECKING:
    import pandas as pd

#: Endings of files that a folder is searched for.
_TABLES = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".feather", ".arrow", ".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: Pieces that are read ahead while others are worked on.
_AHEAD = 2


@dataclass(frozen=True, eq=False)
class FileStream:
    """The rows of files, one after the other, piece by piece.

    Attributes
    ----------
    files
        In the order in which they are read.
    columns
        The names of the columns to read, in order.
    left_out
        Those that the files have besides.
    progress
        Called with a line of text now and then.
    """

    files: tuple[Path, ...]
    columns: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    sep: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] = ()
    progress: Callable[[str], None] | None = None

    @classmethod
    def of(
        cls,
        files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        columns: Sequence[str] | None = None,
        sep: str | None = None,
        decimal: str | None = None,
        missing: Sequence[str] = (),
        progress: Callable[[str], None] | None = None,
    ) -> FileStream:
        """Find the files and read the names of their columns off the first."""
        found = files_of(files)
        names = names_in(found[0], sep=sep, decimal=decimal)
        refuse_names(names, repr(str(found[0])))
        chosen = names if columns is None else tuple(columns)
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise InputError(f"{str(found[0])!r} has no column {unknown[0]!r}")
        left = tuple(name for name in names if name not in chosen)
        return cls(found, chosen, left, sep, decimal, tuple(missing), progress)

    def __iter__(self) -> Iterator[Batch]:
        """The rows as batches of numbers."""
        for piece in self.pieces():
            columns = tuple(
                numbers(part, repr(name), piece.source)
                for name, part in zip(self.columns, piece.columns, strict=True)
            )
            yield Batch(self.columns, columns, piece.source, piece.first)

    def frames(self) -> Iterator[pd.DataFrame]:
        """The rows as frames, text and all."""
        for piece in self.pieces():
            yield piece.frame(self.columns)

    def pieces(self) -> Iterator[Piece]:
        """The rows as they are in the files; the next ones are read while these are used."""
        began, total = clock(), sum(file.stat().st_size for file in self.files)
        ahead: queue.Queue[Any] = queue.Queue(_AHEAD)
        over = threading.Event()
        reader = threading.Thread(target=self._read, args=(ahead, over), daemon=True)
        reader.start()
        try:
            while True:
                piece = ahead.get()
                if piece is None:
                    return
                if isinstance(piece, BaseException):
                    raise piece
                if self.progress is not None and total:
                    self._tell(piece.bytes_before / total, clock() - began)
                yield piece
        finally:
            over.set()
            while reader.is_alive():
                # It may wait for room.
                try:
                    ahead.get_nowait()
                except queue.Empty:
                    reader.join(0.01)

    def _read(self, ahead: queue.Queue[Any], over: threading.Event) -> None:
        before = 0
        try:
            for file in self.files:
                for piece in pieces_of(
                    file, self.columns, sep=self.sep, decimal=self.decimal, missing=self.missing
                ):
                    if over.is_set():
                        return
                    ahead.put(piece.after(before))
                before += file.stat().st_size
        except BaseException as error:
            ahead.put(error)
            return
        ahead.put(None)

    def _tell(self, share: float, seconds: float) -> None:
        assert self.progress is not None
        left = f", {_in_words(seconds / share - seconds)} left" if share > 0.01 else ""
        self.progress(f"reading {len(self.files)} file(s): {share:.0%}{left}")


def files_of(given: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """The files that a name, a folder, a pattern, or several of these stand for, sorted."""
    several = [given] if isinstance(given, str | os.PathLike) else list(given)
    found: list[Path] = []
    for one in several:
        path = Path(one)
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*")) if _is_table(file, path)]
            if not inside:
                raise InputError(f"no tables in the folder {str(path)!r}: CSV or Parquet files")
            found += inside
        elif path.exists():
            found.append(path)
        elif glob.has_magic(str(one)):
            inside = [Path(name) for name in sorted(glob.glob(str(one), recursive=True))]
            inside = [file for file in inside if file.is_file()]
            if not inside:
                raise InputError(f"no file matches {str(one)!r}")
            found += inside
        else:
            raise InputError(f"{str(one)!r} does not exist")
    if not found:
        raise InputError("no files were given")
    return tuple(dict.fromkeys(found))


def _is_table(file: Path, folder: Path) -> bool:
    """Whether a file below ``folder`` is one of a table's, and not hidden or a note beside it."""
    if any(part.startswith((".", "_")) for part in file.relative_to(folder).parts):
        return False
    name = file.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return file.is_file() and name.endswith(_TABLES)


def _in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100.0 else f"{seconds / 60.0:.0f} min"


__all__ = ["FileStream", "files_of"]
