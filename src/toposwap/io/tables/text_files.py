"""Text files with columns: CSV, TSV and their kin, row by row and as a frame."""

from __future__ import annotations

import csv
import io
import warnings
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.validation import listed, repeated
from toposwap.io.csv_files import is_number
from toposwap.io.tables.dialect import SEPARATORS, Dialect, decoded, single_byte
from toposwap.io.tables.sources import DAMAGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from toposwap.io.tables.sources import Source

#: What stands for a missing value, whatever reads the file.
MISSING = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
#: Marks that nobody uses often, but somebody may.
_RARE_SEPARATORS = ":^~/&#"


def header_of(source: Source, dialect: Dialect) -> list[str]:
    """The names in the first row, without the blanks around them; what is odd is refused."""
    with rows_of(source, dialect) as rows:
        first = next(rows, None)
    if first is None:
        raise InputError(f"{source.shown} is empty: it must hold column names and rows")
    header = [name.strip() for name in first[1]]
    _refuse_header(source, dialect, header)
    return header


def read_text(source: Source, dialect: Dialect, missing: Sequence[str]) -> pd.DataFrame:
    """The table (n, d) in a text file; ``missing`` are further marks of missing values."""
    header = header_of(source, dialect)
    marks = [*MISSING, *missing]
    if source.remarks:
        warnings.warn(
            f"{source.shown}: lines before the names that begin with '#' were left out "
            f"({source.remarks})",
            ToposwapWarning,
            stacklevel=5,
        )
    if dialect.guessed:
        warnings.warn(
            f"{source.shown} is not UTF-8 text and was read as {dialect.encoding}: if letters look "
            "wrong, save it as UTF-8",
            ToposwapWarning,
            stacklevel=5,
        )
    try:
        frame = _by_arrow(source, dialect, marks)
        if frame is None:
            frame = _by_pandas(source, dialect, marks)
    except UnicodeDecodeError:
        # The first lines were UTF-8, a later one is not.
        if dialect.guessed or not dialect.encoding.startswith("utf-8"):
            raise InputError(f"{source.shown} is no text in {dialect.encoding}") from None
        encoding = single_byte(source.read())
        return read_text(source, replace(dialect, encoding=encoding, guessed=True), missing)
    if len(header) != frame.shape[1]:
        refuse_ragged(source, dialect)
        # Damage such as a stray zero byte, which one reader ends a line at and another does not.
        raise InputError(
            f"{source.shown}: the first line has {len(header)} names, but rows are read as "
            f"{frame.shape[1]} values: save it again as plain CSV"
        )
    import pandas as pd

    frame.columns = pd.Index(header, dtype=object)
    return frame


def _by_arrow(source: Source, dialect: Dialect, marks: list[str]) -> pd.DataFrame | None:
    """By pyarrow, which is fast; None where it is not installed or not made for the dialect."""
    if dialect.sep == " ":
        return None
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv
    except ImportError:
        return None

    def read(newlines: bool) -> Any:
        convert = arrow_csv.ConvertOptions(
            null_values=marks, strings_can_be_null=True, decimal_point=dialect.decimal
        )
        encoding = "utf8" if dialect.encoding.startswith("utf-8") else dialect.encoding
        # By its name alone pyarrow would unpack a file that may be no packed one.
        plain = source.path is not None and not source.packed and not source.skipped
        given: Any = pa.OSFile(str(source.path)) if plain else source.open()
        with given as stream:
            return arrow_csv.read_csv(
                stream,
                read_options=arrow_csv.ReadOptions(encoding=encoding),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=dialect.sep, newlines_in_values=newlines
                ),
                convert_options=convert,
            )

    try:
        try:
            table = read(newlines=False)
        except pa.ArrowInvalid:
            # Fields of several lines are rare, and looking for them takes longer.
            table = read(newlines=True)
    except pa.ArrowInvalid as error:
        refuse_ragged(source, dialect)
        if "straddling" not in str(error) and "quote" not in str(error):
            # pandas may know better, or why not.
            return None
        raise InputError(f"cannot read {source.shown}: {_reason(error)}") from error
    except DAMAGED as error:
        raise InputError(f"cannot read {source.shown}: {_reason(error)}") from error
    if any(pa.types.is_binary(kind) for kind in table.schema.types):
        raise UnicodeDecodeError("utf-8", b"", 0, 1, "a column is no text")
    # Names may occur twice or be empty here; places are what counts.
    table = table.rename_columns([str(k) for k in range(table.num_columns)])
    return table.to_pandas(split_blocks=True, self_destruct=True)


def _by_pandas(source: Source, dialect: Dialect, marks: list[str]) -> pd.DataFrame:
    import pandas as pd

    try:
        with source.open() as stream:
            frame = pd.read_csv(
                stream,
                sep=r"\s+" if dialect.sep == " " else dialect.sep,
                decimal=dialect.decimal,
                encoding=dialect.encoding,
                na_values=marks,
                keep_default_na=False,
                low_memory=False,
                index_col=False if dialect.sep == " " else None,
                **nearest(pd.__version__),
            )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        refuse_ragged(source, dialect)
        raise InputError(f"cannot read {source.shown}: {_reason(error)}") from error
    except UnicodeDecodeError:
        raise
    except (*DAMAGED, ValueError) as error:
        raise InputError(f"cannot read {source.shown}: {_reason(error)}") from error
    # pandas fills short rows with missing values, and takes the first column for row labels when
    # rows are longer than the header: neither may pass for data.
    if not _first_row_fits(source, dialect) or frame.iloc[:, -1].isna().any():
        refuse_ragged(source, dialect)
    return frame


def nearest(pandas_version: str) -> dict[str, Any]:
    """What makes pandas read the double nearest to the digits, as it does by itself from 3.1 on.

    So what was written in full is read back as it was, with pandas or without.
    """
    major, minor = map(int, pandas_version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


@contextmanager
def rows_of(source: Source, dialect: Dialect) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Yield an iterator over (line number, fields), blank lines left out."""
    try:
        with source.open() as raw:
            stream = io.TextIOWrapper(raw, encoding=dialect.encoding, newline="")
            before = source.remarks
            if dialect.sep == " ":
                lines = enumerate(stream, 1 + before)
                yield ((k, line.split()) for k, line in lines if line.strip())
            else:
                reader = csv.reader(stream, delimiter=dialect.sep or ",")
                yield ((before + reader.line_num, fields) for fields in reader if fields)
    except UnicodeDecodeError:
        raise InputError(f"{source.shown} is no text in {dialect.encoding}") from None
    except (csv.Error, *DAMAGED) as error:
        raise InputError(f"cannot read {source.shown}: {_reason(error)}") from error


def refuse_ragged(source: Source, dialect: Dialect) -> None:
    """Raise if a row has more or fewer fields than the header, naming its line."""
    with rows_of(source, dialect) as rows:
        expected = None
        for line, fields in rows:
            if expected is None:
                expected = len(fields)
            if len(fields) != expected:
                raise InputError(
                    f"{source.shown}, line {line}: {len(fields)} "
                    f"{'field' if len(fields) == 1 else 'fields'} where the header has "
                    f"{expected}; mend that line"
                )


def _first_row_fits(source: Source, dialect: Dialect) -> bool:
    """Whether the first row below the header has as many fields as the header."""
    with rows_of(source, dialect) as rows:
        sizes = [len(fields) for _, (_, fields) in zip(range(2), rows, strict=False)]
    return len(set(sizes)) == 1


def _refuse_header(source: Source, dialect: Dialect, header: list[str]) -> None:
    """Errors that can be told from the header alone."""
    names = [name for name in header if name]
    twice = repeated(names)
    if twice:
        raise InputError(
            f"{source.shown}: duplicate column names: {listed(twice)}; rename them so that an edge "
            "has one meaning"
        )
    if len(header) == 1:
        _refuse_title(source, dialect, header[0])
        _refuse_one_column(source, header[0])
    # Columns may be called 0, 1, 2; but 0.31, -1.2 is a file that begins with its data.
    if all(map(is_number, names)) and not all(name.isdigit() for name in names):
        raise InputError(
            f"{source.shown}: the first line holds numbers ({listed(names, 3)}) instead of names: "
            "put a line with the names of the columns above it"
        )


def _refuse_title(source: Source, dialect: Dialect, title: str) -> None:
    """Raise if lines further down have several fields, and the first has one, its ``title``."""
    text = decoded(source.head, dialect.encoding)
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    for sep in SEPARATORS[:-1]:
        usual = lines[len(lines) // 2][1].count(sep)
        names = next((k for k, line in lines[1:] if line.count(sep) == usual > 0), None)
        if names is not None and sep not in lines[0][1]:
            raise InputError(
                f"{source.shown}: the first line, {title!r}, is no list of names; line {names} has "
                f"{usual + 1} fields: delete what is above the names of the columns"
            )


def _refuse_one_column(source: Source, name: str) -> NoReturn:
    told = f"{source.shown} has one column only, {name!r}, and a graph needs at least two"
    mark = next((mark for mark in _RARE_SEPARATORS if mark in name), None)
    if mark is not None:
        told += f"; if {mark!r} separates columns say so: sep={mark!r} (--sep {mark!r})"
    raise InputError(told)


def _reason(error: BaseException) -> str:
    """The last line of what a reader says."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__
