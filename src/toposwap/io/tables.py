"""Tables of data: CSV, TSV (also gzipped) and Parquet files to DataFrames and back."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning
from toposwap.core.validation import listed, repeated
from toposwap.io.atomic import replacing
from toposwap.io.csv_files import (
    UNREADABLE,
    csv_header,
    first_row_fits,
    is_gzipped,
    is_number,
    refuse_ragged,
    unreadable,
)
from toposwap.io.existing import existing_file
from toposwap.io.plain_csv import read_plain

if TYPE_CHECKING:
    import os

    import pandas as pd

    from toposwap.core.table import NumberTable

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
PARQUET = (".parquet", ".pq")
SUFFIXES = (*SEPARATORS, *PARQUET)


def read_table(
    path: str | os.PathLike[str], *, sep: str | None = None, decimal: str = "."
) -> pd.DataFrame:
    """Return the table (n, d) in a file, with the names of its columns.

    A first column without a name, which is how pandas and R write row labels, is left out with a
    :class:`~toposwap.core.errors.ToposwapWarning`.

    Parameters
    ----------
    path
        A file ending in .csv, .tsv, .csv.gz, .tsv.gz or .parquet. With ``sep`` the ending of a text
        file may be anything.
    sep
        What separates the columns, one character; by default a comma, or a tab in .tsv files.
    decimal
        The decimal mark, "." or ",".
    """
    file, separator = _file_and_separator(path, sep, decimal)
    frame = _read_parquet(file) if separator is None else _read_csv(file, separator, decimal)
    if len(frame) == 0:
        raise InputError(f"{str(file)!r} has column names but no rows: add the data")
    return frame


def read_numbers(
    path: str | os.PathLike[str], *, sep: str | None = None, decimal: str = "."
) -> NumberTable | pd.DataFrame:
    """The same table without loading pandas, where the file is small and holds nothing odd."""
    file, separator = _file_and_separator(path, sep, decimal)
    if separator is not None and decimal == ".":
        _refuse_header(file, csv_header(file, separator), separator)
        plain = read_plain(file, separator)
        if plain is not None:
            return plain
    return read_table(path, sep=sep, decimal=decimal)


def write_table(path: str | os.PathLike[str], frame: pd.DataFrame) -> None:
    """Write ``frame`` without its index, in the format that the name of the file asks for."""
    suffix = table_suffix(Path(path))
    if suffix in PARQUET:
        require_pyarrow(f"writing {str(path)!r}")
    with replacing(path) as temporary:
        if suffix in PARQUET:
            frame.to_parquet(temporary, engine="pyarrow", index=False)
        else:
            frame.to_csv(
                temporary,
                sep=SEPARATORS[suffix],
                index=False,
                compression="gzip" if suffix.endswith(".gz") else None,
                lineterminator="\n",
            )


def table_suffix(path: Path, *, any_text: bool = False) -> str:
    """The ending that decides the format of a table, or an error that lists those there are."""
    name = path.name.lower()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    if any_text:
        return ".csv.gz" if name.endswith(".gz") else ".csv"
    raise InputError(
        f"{str(path)!r}: the format of a table is known by its ending, one of "
        f"{', '.join(SUFFIXES)}; rename the file"
    )


def require_pyarrow(purpose: str) -> None:
    """Raise if Parquet files cannot be handled here."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", purpose) from None


def _file_and_separator(
    path: str | os.PathLike[str], sep: str | None, decimal: str
) -> tuple[Path, str | None]:
    """The file, and what separates its columns: None in a Parquet file."""
    file = existing_file(path, "column names and rows of numbers")
    suffix = table_suffix(file, any_text=sep is not None)
    if suffix in PARQUET:
        return file, None
    separator = sep if sep is not None else SEPARATORS[suffix]
    if len(separator) != 1:
        raise InputError(f"sep: one character separates columns, got {sep!r}")
    if decimal not in (".", ",") or decimal == separator:
        raise InputError(
            f"decimal: must be '.' or ',' and differ from the separator, got {decimal!r}"
        )
    return file, separator


def _read_parquet(file: Path) -> pd.DataFrame:
    require_pyarrow(f"reading {str(file)!r}")
    import pandas as pd
    import pyarrow as pa

    try:
        return pd.read_parquet(file, engine="pyarrow")
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"cannot read {str(file)!r} as Parquet: {reason}") from error


def _read_csv(file: Path, sep: str, decimal: str) -> pd.DataFrame:
    import pandas as pd

    header = csv_header(file, sep)
    _refuse_header(file, header, sep)
    try:
        frame = pd.read_csv(
            file,
            sep=sep,
            decimal=decimal,
            encoding="utf-8-sig",
            compression="gzip" if is_gzipped(file) else None,
            low_memory=False,
            **_nearest(pd.__version__),
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        refuse_ragged(file, sep)
        raise InputError(
            f"cannot read {str(file)!r}: {str(error).splitlines()[-1].strip()}"
        ) from error
    except UNREADABLE as error:
        raise unreadable(file, error) from error
    # pandas fills short rows with missing values, and takes the first column for row labels when
    # rows are longer than the header: neither may pass for data.
    if not first_row_fits(file, sep) or frame.iloc[:, -1].isna().any():
        refuse_ragged(file, sep)
    _refuse_decimal_commas(frame, file)
    frame.columns = pd.Index(header, dtype=object)
    return _without_unnamed(frame, file)


def _nearest(pandas_version: str) -> dict[str, Any]:
    """What makes pandas read the double nearest to the digits, as it does by itself from 3.1 on.

    So what was written in full is read back as it was, with pandas or without.
    """
    major, minor = map(int, pandas_version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _refuse_header(file: Path, header: list[str], sep: str) -> None:
    """Errors that can be told from the header alone."""
    names = [name for name in header if name]
    twice = repeated(names)
    if twice:
        raise InputError(
            f"{str(file)!r}: duplicate column names: {listed(twice)}; rename them so that an edge "
            "has one meaning"
        )
    if len(header) == 1:
        likely = next((mark for mark in ";\t|," if mark in header[0] and mark != sep), ";")
        raise InputError(
            f"{str(file)!r}: everything is in one column, {header[0]!r}; if the columns are "
            f"separated by something other than {sep!r} say so: sep={likely!r} (--sep {likely!r})"
        )
    # Columns may be called 0, 1, 2; but 0.31, -1.2 is a file that begins with its data.
    if all(map(is_number, names)) and not all(name.isdigit() for name in names):
        raise InputError(
            f"{str(file)!r}: the first line holds numbers ({listed(names, 3)}) instead of names: "
            "put a line with the names of the columns above it"
        )


def _refuse_decimal_commas(frame: pd.DataFrame, file: Path) -> None:
    """Numbers written 1,5 arrive as text: the remedy is not to encode them."""
    for position, kind in enumerate(frame.dtypes):
        if kind.kind in "biuf" or not len(frame):
            continue
        name, value = frame.columns[position], frame.iat[0, position]
        if isinstance(value, str) and re.fullmatch(r"[+-]?\d+,\d+", value.strip()):
            raise InputError(
                f"{str(file)!r}: column {name!r} has decimal commas ({value!r}): say so with "
                "decimal=',' (--decimal ,)"
            )


def _without_unnamed(frame: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Leave out row labels and empty columns, and refuse other columns without a name."""
    keep = [bool(name) for name in frame.columns]
    for position in (k for k, named in enumerate(keep) if not named):
        column = frame.iloc[:, position]
        if column.isna().all():
            what = "an empty column without a name"
        elif position == 0 and column.is_unique:
            what = "the first column, which has no name and looks like row labels,"
        else:
            raise InputError(
                f"{str(file)!r}: column {position + 1} has no name: give it one in the first line, "
                "or delete it"
            )
        warnings.warn(f"{str(file)!r}: {what} was left out", ToposwapWarning, stacklevel=4)
    return frame.loc[:, keep]
