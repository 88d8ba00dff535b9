"""Tables in files that are no text: Parquet, Feather and Arrow, Excel; and JSON."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning
from toposwap.core.validation import listed
from toposwap.io.tables.dialect import decoded, encoding_of

#: Rows among which the names of a sheet's columns are looked for.
_TITLES = 30

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.io.tables.sources import Source


def require_pyarrow(purpose: str) -> None:
    """Raise if Parquet and Arrow files cannot be handled here."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", purpose) from None


def read_parquet(source: Source) -> pd.DataFrame:
    """The table in a Parquet file."""
    require_pyarrow(f"reading {source.shown}")
    import pandas as pd
    import pyarrow as pa

    try:
        return pd.read_parquet(source.seekable, engine="pyarrow")
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(source, "Parquet", error) from error


def read_arrow(source: Source) -> pd.DataFrame:
    """The table in a Feather or Arrow file, or in a stream of Arrow's."""
    require_pyarrow(f"reading {source.shown}")
    import pyarrow as pa

    opened = pa.ipc.open_file if source.head.startswith(b"ARROW1") else pa.ipc.open_stream
    try:
        held = source.seekable
        with pa.OSFile(str(held)) if held is source.path else pa.PythonFile(held, "r") as stream:
            return opened(stream).read_all().to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(source, "Arrow", error) from error


def read_excel(source: Source) -> pd.DataFrame:
    """The first sheet of an Excel workbook; that there are others is told in a note."""
    import pandas as pd

    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise MissingExtraError("openpyxl", "excel", f"reading {source.shown}") from None
    try:
        with pd.ExcelFile(source.seekable, engine="openpyxl") as book:
            names = list(book.sheet_names)
            frame = pd.read_excel(book)
            above = _rows_above_the_names(frame, pd.read_excel(book, header=None, nrows=_TITLES))
            if above:
                frame = pd.read_excel(book, skiprows=above)
    except Exception as error:  # the reader of a broken workbook raises whatever it stumbles over
        raise unreadable(source, "Excel", error) from error
    if len(names) > 1:
        warnings.warn(
            f"{source.shown}: the first of {len(names)} sheets was read, {names[0]!r}; save "
            f"another ({listed(map(str, names[1:]), 3)}) to a file of its own to use it",
            ToposwapWarning,
            stacklevel=5,
        )
    if above:
        warnings.warn(
            f"{source.shown}: the first {above} lines, above the names, were left out",
            ToposwapWarning,
            stacklevel=5,
        )
    # pandas calls a column without a name so, and a second of the same name x.1.
    frame.columns = pd.Index(
        ["" if str(name).startswith("Unnamed: ") else str(name) for name in frame.columns],
        dtype=object,
    )
    return frame


def _rows_above_the_names(frame: pd.DataFrame, first: pd.DataFrame) -> int:
    """How many of the ``first`` rows of a sheet are a title, or blank; ``frame`` begins with one.

    The names are the first row with as many texts as any row has values.
    """
    unnamed = sum(str(name).startswith("Unnamed: ") for name in frame.columns)
    if unnamed < max(2, frame.shape[1] // 2):
        return 0
    filled = first.notna().sum(axis=1)
    for row in range(len(first)):
        values = first.iloc[row].dropna()
        if len(values) == filled.max() and all(isinstance(value, str) for value in values):
            return row
    return 0


def read_json_table(source: Source) -> pd.DataFrame:
    """The table in JSON lines, one object a row, or in a JSON list of such objects.

    Also in an object of columns, each a list, or values by the labels of rows as pandas writes.
    """
    import pandas as pd

    content = source.read()
    encoding, _ = encoding_of(content, source.shown, whole=True)
    text = decoded(content, encoding)
    try:
        rows = _json_rows(text)
        json.dumps(rows, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InputError(
            f"cannot read {source.shown} as JSON: it has half a pair of UTF-16, no character"
        ) from None
    except RecursionError:
        raise InputError(f"cannot read {source.shown} as JSON: it is nested too deeply") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {source.shown} as JSON: {error}") from None
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(
            f"{source.shown}: a table in JSON is one object a line, or a list of objects, with the "
            'names of the columns: {"rain": 1.5, "yield": 20}'
        )
    by_columns = _by_columns(rows)
    if by_columns is not None:
        return pd.DataFrame(by_columns)
    nested = {
        str(key) for row in rows for key, cell in row.items() if isinstance(cell, dict | list)
    }
    if nested:
        raise InputError(
            f"{source.shown}: {listed(sorted(nested))} hold lists or objects, and a column is one "
            "value a row: take them apart, or leave them out"
        )
    return pd.DataFrame(rows)


def _json_rows(text: str) -> list[Any]:
    """Objects of a list, or one a line; the error names the line."""
    if text.lstrip().startswith("["):
        return list(json.loads(text, parse_int=_number))
    rows: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append(json.loads(line, parse_int=_number))
            except ValueError as error:
                if rows:
                    raise ValueError(f"line {number}: {error}") from None
                # One object over several lines.
                return [json.loads(text, parse_int=_number)]
    return rows


def _by_columns(rows: list[Any]) -> dict[str, Any] | None:
    """The columns of a single object that has those; None if it is a row, as several are."""
    if len(rows) > 1 or not rows[0]:
        return None
    columns = list(rows[0].values())
    lists = all(isinstance(column, list) for column in columns)
    if lists and len({len(column) for column in columns}) == 1:
        cells = [cell for column in columns for cell in column]
    elif all(isinstance(column, dict) for column in columns):
        if any(column.keys() != columns[0].keys() for column in columns):
            return None
        cells = [cell for column in columns for cell in column.values()]
    else:
        return None
    return None if any(isinstance(cell, dict | list) for cell in cells) else rows[0]


def _number(digits: str) -> float:
    """Integers of thousands of digits are infinite as floats."""
    return int(digits) if len(digits) < 19 else float(digits)


def unreadable(source: Source, kind: str, error: Exception) -> InputError:
    """What is said of a file that a reader of its ``kind`` could not read."""
    lines = str(error).strip().splitlines()
    return InputError(
        f"cannot read {source.shown} as {kind}: {lines[0] if lines else type(error).__name__}"
    )
