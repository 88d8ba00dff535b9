"""Lists of edges and orders in CSV files, row by row."""

from __future__ import annotations

import csv
import gzip
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What reading a text file may raise when it is not one, or is damaged.
UNREADABLE = (UnicodeDecodeError, csv.Error, OSError, EOFError, zlib.error)


def unreadable(file: Path, error: Exception) -> InputError:
    """The error that says why ``file`` could not be read."""
    if isinstance(error, UnicodeDecodeError):
        return InputError(f"{str(file)!r} is not UTF-8 text: save it in that encoding")
    return InputError(f"cannot read {str(file)!r}: {error}")


@contextmanager
def csv_rows(file: Path, sep: str) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Yield an iterator over (line number, fields) of ``file``, blank lines left out."""
    try:
        with open_text(file) as stream:
            reader = csv.reader(stream, delimiter=sep)
            yield ((reader.line_num, fields) for fields in reader if fields)
    except UNREADABLE as error:
        raise unreadable(file, error) from error


def is_gzipped(file: Path) -> bool:
    """Whether the name says so."""
    return file.name.lower().endswith(".gz")


def is_number(text: str) -> bool:
    """Whether ``text`` is a number as Python writes it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def open_text(file: Path) -> TextIO:
    """Open a text file, gzipped or not; Excel's byte order mark is no part of the first name."""
    if is_gzipped(file):
        return gzip.open(file, "rt", encoding="utf-8-sig", newline="")
    return file.open(encoding="utf-8-sig", newline="")
