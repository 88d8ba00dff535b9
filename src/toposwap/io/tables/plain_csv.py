"""Small or wide text files of nothing but numbers, read without pandas and to the same numbers.

Loading pandas takes a third of the time in which a small table is read, fitted and reported, and it
spends half a millisecond on every column. What is not plain in every respect (row labels, quotes,
missing values, text, rows of another length, decimal commas) is left to
:mod:`toposwap.io.tables.reading`, which knows the remedies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.tables.table import NumberTable
from toposwap.io.tables.sources import DAMAGED

if TYPE_CHECKING:
    from toposwap.io.tables.dialect import Dialect
    from toposwap.io.tables.sources import Source

#: Bytes; other readers are faster, and make up for their loading beyond this,
LARGEST_PLAIN = 2_000_000
#: and for their work on each column if these have more bytes than this.
LARGEST_COLUMN = 4_000


def read_plain(source: Source, dialect: Dialect, header: list[str]) -> NumberTable | None:
    """The table (n, d) in a text file whose columns are called ``header``.

    None if it needs a closer look.
    """
    if source.size > max(LARGEST_PLAIN, LARGEST_COLUMN * len(header)):
        return None
    if dialect.decimal != "." or dialect.guessed or source.remarks:
        return None
    if not all(header) or len(header) < 2 or len(set(header)) < len(header):
        return None
    try:
        text = source.read().decode(dialect.encoding)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        first, *rows = [line for line in text.split("\n") if line]
        # A quoted name may hold a line break or the separator.
        if not rows or '"' in first:
            return None
        sep = None if dialect.sep == " " else dialect.sep
        values = np.loadtxt(rows, delimiter=sep, comments=None, ndmin=2)
    except (ValueError, *DAMAGED):
        return None
    if values.shape[1] != len(header) or not np.isfinite(values).all():
        return None
    return NumberTable(header, values)
