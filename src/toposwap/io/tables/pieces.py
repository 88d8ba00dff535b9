"""A file read in pieces of so many rows, so that it need not fit in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.core.validation import listed
from toposwap.io.tables.reading import dialect_of_source, read_table
from toposwap.io.tables.sources import DAMAGED, Source
from toposwap.io.tables.text_files import MISSING, header_of, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

#: Rows of a piece of a Parquet file or of one read by pandas.
_ROWS = 65_536
#: Bytes of a piece of a text file.
_BYTES = 1 << 23


@dataclass(frozen=True, eq=False)
class Piece:
    """Consecutive rows of a file.

    Attributes
    ----------
    columns
        A column each, Arrow's or pandas'.
    source, first
        The name of the file for messages, and the number of the first row in it, from 1.
    bytes_before
        About how much was read before these rows.
    """

    columns: tuple[Any, ...]
    source: str
    first: int
    bytes_before: float

    def after(self, before: float) -> Piece:
        """The same after ``before`` further bytes."""
        return replace(self, bytes_before=self.bytes_before + before)

    def frame(self, names: Sequence[str]) -> pd.DataFrame:
        """As a DataFrame with ``names``."""
        import pandas as pd

        return pd.DataFrame(
            {
                name: part.to_pandas() if hasattr(part, "to_pandas") else part.to_numpy()
                for name, part in zip(names, self.columns, strict=True)
            }
        )


def names_in(file: Path, *, sep: str | None = None, decimal: str | None = None) -> tuple[str, ...]:
    """The names of the columns of a file, from its beginning alone where that is possible."""
    source = Source.of(file)
    if _is_parquet(source):
        return tuple(_parquet(source).schema_arrow.names)
    if _is_text(source):
        return tuple(header_of(source, dialect_of_source(source, sep, decimal)))
    return tuple(str(name) for name in read_table(file, sep=sep, decimal=decimal).columns)


def pieces_of(
    file: Path,
    names: Sequence[str],
    *,
    sep: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] = (),
) -> Iterator[Piece]:
    """The columns ``names`` of a file, piece by piece.

    Parquet and text are never held whole; files of other kinds are one piece.
    """
    source = Source.of(file)
    if _is_parquet(source) and not missing:
        yield from _of_parquet(source, names)
    elif _is_text(source):
        yield from _of_text(source, names, sep, decimal, missing)
    else:
        frame = read_table(file, sep=sep, decimal=decimal, missing=missing)
        _refuse_absent(source, names, [str(name) for name in frame.columns])
        yield Piece(tuple(frame[name] for name in names), source.shown, 1, 0.0)


def _is_parquet(source: Source) -> bool:
    return source.head.startswith(b"PAR1")


def _is_text(source: Source) -> bool:
    from toposwap.io.tables.reading import is_plain_text

    return is_plain_text(source)


def _parquet(source: Source) -> Any:
    from toposwap.io.tables.whole_files import require_pyarrow, unreadable

    require_pyarrow(f"reading {source.shown}")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # What is read ahead is all that is asked for, of however many gigabytes.
        return pq.ParquetFile(source.seekable, pre_buffer=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(source, "Parquet", error) from error


def _of_parquet(source: Source, names: Sequence[str]) -> Iterator[Piece]:
    import pyarrow as pa

    from toposwap.io.tables.whole_files import unreadable

    with _parquet(source) as file:
        _refuse_absent(source, names, file.schema_arrow.names)
        rows, first = max(1, file.metadata.num_rows), 1
        try:
            for batch in file.iter_batches(batch_size=_ROWS, columns=list(names)):
                # Columns come in the order of the file.
                columns = tuple(batch.column(batch.schema.names.index(name)) for name in names)
                yield Piece(columns, source.shown, first, (first - 1) / rows * source.size)
                first += batch.num_rows
        except (pa.ArrowException, OSError, ValueError) as error:
            raise unreadable(source, "Parquet", error) from error


def _of_text(
    source: Source,
    names: Sequence[str],
    sep: str | None,
    decimal: str | None,
    missing: Sequence[str],
) -> Iterator[Piece]:
    dialect = dialect_of_source(source, sep, decimal)
    header = header_of(source, dialect)
    _refuse_absent(source, names, header)
    marks = [*MISSING, *missing]
    if dialect.sep != " " and dialect.encoding.startswith("utf-8"):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            pass
        else:
            yield from _by_arrow(source, dialect, header, names, marks)
            return
    yield from _by_pandas(source, dialect, header, names, marks)


def _by_arrow(
    source: Source, dialect: Any, header: list[str], names: Sequence[str], marks: list[str]
) -> Iterator[Piece]:
    """By pyarrow's reader of streams; whole numbers are read as any, as later ones may not be."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    wanted = [f"c{header.index(name)}" for name in names]

    def opened(stream: Any, types: dict[str, Any]) -> Any:
        return arrow_csv.open_csv(
            stream,
            read_options=arrow_csv.ReadOptions(
                block_size=_BYTES, skip_rows=1, column_names=[f"c{k}" for k in range(len(header))]
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=dialect.sep),
            convert_options=arrow_csv.ConvertOptions(
                null_values=marks,
                strings_can_be_null=True,
                decimal_point=dialect.decimal,
                include_columns=wanted,
                column_types=types,
            ),
        )

    first, size = 1, 0.0
    try:
        with source.open() as stream, opened(stream, {}) as probe:
            types = {
                field.name: pa.float64()
                for field in probe.schema
                if pa.types.is_integer(field.type) or pa.types.is_null(field.type)
            }
        with source.open() as stream, opened(stream, types) as reader:
            for batch in reader:
                yield Piece(tuple(batch.columns), source.shown, first, size)
                first += batch.num_rows
                size += min(_BYTES, batch.nbytes)
    except pa.ArrowInvalid as error:
        told = str(error).strip().splitlines()[-1]
        for k, name in enumerate(header):
            told = told.replace(f"c{k}:", f"{name!r}:")
        raise InputError(f"cannot read {source.shown} after row {first - 1}: {told}") from error
    except DAMAGED as error:
        raise InputError(f"cannot read {source.shown}: {error}") from error


def _by_pandas(
    source: Source, dialect: Any, header: list[str], names: Sequence[str], marks: list[str]
) -> Iterator[Piece]:
    import pandas as pd

    first = 1
    try:
        with source.open() as stream:
            for frame in pd.read_csv(
                stream,
                sep=r"\s+" if dialect.sep == " " else dialect.sep,
                decimal=dialect.decimal,
                encoding=dialect.encoding,
                na_values=marks,
                keep_default_na=False,
                chunksize=_ROWS,
                index_col=False,
                **nearest(pd.__version__),
            ):
                frame.columns = pd.Index(header, dtype=object)
                parts = tuple(frame[name] for name in names)
                yield Piece(parts, source.shown, first, float(stream.tell()))
                first += len(frame)
    except (pd.errors.ParserError, UnicodeDecodeError, *DAMAGED, ValueError) as error:
        told = str(error).strip().splitlines()[-1]
        raise InputError(f"cannot read {source.shown} after row {first - 1}: {told}") from error


def _refuse_absent(source: Source, names: Sequence[str], there: Sequence[str]) -> None:
    absent = [name for name in names if name not in there]
    if absent:
        raise InputError(
            f"{source.shown} has no column {listed(absent)}: all parts of a table have the same "
            "columns"
        )
