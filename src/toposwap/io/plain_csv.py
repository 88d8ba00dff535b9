"""Small or wide text files of nothing but numbers, read without pandas and to the same numbers.

Loading pandas takes a third of the time in which a small table is read, fitted and reported, and it
spends half a millisecond on every column. What is not plain in every respect (row labels, quotes,
missing values, text, rows of another length, decimal commas) is left to :mod:`toposwap.io.tables`,
which knows the remedies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.table import NumberTable
from toposwap.io.csv_files import UNREADABLE, csv_header, is_gzipped, open_text

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes; pandas reads faster, and makes up for its loading beyond this,
LARGEST_PLAIN = 2_000_000
#: and for its work on each column if they have more bytes than this.
LARGEST_COLUMN = 4_000


def read_plain(file: Path, sep: str) -> NumberTable | None:
    """The table (n, d) in ``file``, or None if it needs a closer look."""
    header = csv_header(file, sep)
    largest = max(LARGEST_PLAIN, LARGEST_COLUMN * len(header))
    if file.stat().st_size > largest // (8 if is_gzipped(file) else 1):
        return None
    if not all(header) or len(header) < 2 or len(set(header)) < len(header):
        return None
    try:
        with open_text(file) as stream:
            text = stream.read().replace("\r\n", "\n").replace("\r", "\n")
        first, *rows = [line for line in text.split("\n") if line]
        # A quoted name may hold a line break or the separator.
        if not rows or '"' in first:
            return None
        values = np.loadtxt(rows, delimiter=sep, comments=None, ndmin=2)
    except (ValueError, *UNREADABLE):
        return None
    if values.shape[1] != len(header) or not np.isfinite(values).all():
        return None
    return NumberTable(header, values)
