"""Tables from files of every usual kind to DataFrames: what a file is, its first bytes tell."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.io.tables.dialect import Dialect, dialect_of
from toposwap.io.tables.plain_csv import read_plain
from toposwap.io.tables.sources import Source
from toposwap.io.tables.text_files import header_of, read_text
from toposwap.io.tables.whole_files import read_arrow, read_excel, read_json_table, read_parquet
from toposwap.io.tables.written_numbers import as_numbers

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import pandas as pd

    from toposwap.core.tables.table import NumberTable

#: How a file begins that is no text, and what reads it.
_BINARY: dict[bytes, Callable[[Source], pd.DataFrame]] = {
    b"PAR1": read_parquet,
    b"ARROW1": read_arrow,
    b"\xff\xff\xff\xff": read_arrow,
    b"PK\x03\x04": read_excel,
}
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"')
#: How files begin that people take for tables, and what they are.
_OTHERS = {
    b"\xd0\xcf\x11\xe0": "a file of an old Excel (.xls): open it and save it as .xlsx or .csv",
    b"%pdf-": "a PDF document: save the table in it as .csv",
    b"<!doctype html": "a web page: save the table on it as .csv",
    b"<html": "a web page: save the table on it as .csv",
    b"<?xml": "an XML document: save the table in it as .csv",
    b"$fl2": "a file of SPSS: save it as .csv, or read it with pandas.read_spss",
    b"<stata_dta": "a file of Stata: save it as .csv, or read it with pandas.read_stata",
    b"rdx2\n": "a file of R: save it with write.csv",
    b"rdx3\n": "a file of R: save it with write.csv",
    b"sqlite format": "a database: save a table of it as .csv",
    b"\x89hdf": "an HDF5 file: save the table in it as .csv or .parquet",
}


def read_table(
    path: str | os.PathLike[str],
    *,
    sep: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] = (),
) -> pd.DataFrame:
    """Return the table (n, d) in a file, with the names of its columns.

    CSV, TSV and other text with columns, Excel (needs openpyxl), Parquet, Feather and Arrow (need
    pyarrow), JSON lines; each also packed by gzip, bz2, xz, zst or zip. Its contents tell what a
    file is, not its name. A first column without a name, as pandas and R write row labels, is left
    out, and numbers written 160,000 or 1,5 are read as such, with a
    :class:`~toposwap.core.errors.ToposwapWarning`.

    Parameters
    ----------
    path
        The file; ``"-"`` is standard input.
    sep
        What separates the columns of a text file, one character (a blank: any run of them); by
        default read off the first lines.
    decimal
        The decimal mark, "." or ","; by default read off the first lines.
    missing
        What stands for a missing value besides an empty field, NA, NaN, null and the like: "?",
        "-999".
    """
    source = Source.of(path)
    binary = _binary_reader(source)
    if binary is not None:
        frame = _columns_named_once(binary(source), source)
    elif _is_json(source):
        frame = read_json_table(source)
    else:
        frame = read_text(source, dialect_of_source(source, sep, decimal), missing)
    if len(frame) == 0:
        raise InputError(f"{source.shown} has column names but no rows: add the data")
    frame = as_numbers(_without_unnamed(frame, source), source.shown)
    return _without_marks(frame, missing)


def read_numbers(
    path: str | os.PathLike[str],
    *,
    sep: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] = (),
) -> NumberTable | pd.DataFrame:
    """The same table without loading pandas, where the file is small and holds nothing odd."""
    if str(path) != "-" and not missing:
        source = Source.of(path)
        if is_plain_text(source):
            dialect = dialect_of_source(source, sep, decimal)
            header = header_of(source, dialect)
            plain = read_plain(source, dialect, header)
            if plain is not None:
                return plain
    return read_table(path, sep=sep, decimal=decimal, missing=missing)


def _binary_reader(source: Source) -> Callable[[Source], pd.DataFrame] | None:
    """What reads a file that is no text; None for text."""
    head = source.head
    first = head[:64].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for magic, what in _OTHERS.items():
        if first.startswith(magic):
            raise InputError(f"{source.shown} is {what}")
    for magic, reader in _BINARY.items():
        if head.startswith(magic):
            return reader
    expected = {".parquet": "Parquet", ".pq": "Parquet", ".xlsx": "Excel", ".feather": "Feather"}
    if source.ending in expected:
        raise InputError(
            f"cannot read {source.shown} as {expected[source.ending]}: it does not begin like such "
            "a file"
        )
    return None


def is_plain_text(source: Source) -> bool:
    """Whether a file is a text with columns, and nothing else that is read."""
    return _binary_reader(source) is None and not _is_json(source)


def _is_json(source: Source) -> bool:
    """Whether a text begins like an object, or a list of objects."""
    if source.ending in (".json", ".jsonl", ".ndjson"):
        return True
    return _JSON.match(source.head) is not None


def dialect_of_source(source: Source, sep: str | None, decimal: str | None) -> Dialect:
    """How a text is written, as told or as seen in its first lines."""
    if sep is not None and len(sep) != 1:
        raise InputError(f"sep: one character separates columns, got {sep!r}")
    if decimal not in (None, ".", ",") or (decimal is not None and decimal == sep):
        raise InputError(
            f"decimal: must be '.' or ',' and differ from the separator, got {decimal!r}"
        )
    found = dialect_of(
        source.head,
        source.shown,
        whole=source.whole,
        ending=source.ending,
        sep=sep,
        decimal=decimal,
    )
    if found.sep == found.decimal:
        raise InputError(
            f"decimal: must be '.' or ',' and differ from the separator, got {decimal!r}"
        )
    return found


def _columns_named_once(frame: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Refuse what :func:`read_text` refuses of a header."""
    from toposwap.core.validation import listed, repeated

    twice = repeated([str(name) for name in frame.columns if str(name)])
    if twice:
        raise InputError(
            f"{source.shown}: duplicate column names: {listed(twice)}; rename them so that an edge "
            "has one meaning"
        )
    return frame


def _without_unnamed(frame: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Leave out row labels and empty columns, and refuse other columns without a name."""
    keep = [str(name) != "" for name in frame.columns]
    for position in (k for k, named in enumerate(keep) if not named):
        column = frame.iloc[:, position]
        if column.isna().all():
            what = "an empty column without a name"
        elif position == 0 and column.is_unique:
            what = "the first column, which has no name and looks like row labels,"
        else:
            raise InputError(
                f"{source.shown}: column {position + 1} has no name: give it one in the first "
                "line, or delete it"
            )
        warnings.warn(f"{source.shown}: {what} was left out", ToposwapWarning, stacklevel=4)
    return frame if all(keep) else frame.loc[:, keep]


def _without_marks(frame: pd.DataFrame, missing: Sequence[str]) -> pd.DataFrame:
    """``frame`` with the numbers and texts in ``missing`` gone."""
    if not missing:
        return frame
    marks: list[Any] = list(missing)
    for mark in missing:
        try:
            marks.append(float(mark))
        except ValueError:
            continue
    return frame.mask(frame.isin(marks))
