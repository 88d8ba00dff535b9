"""Tables to files: CSV, TSV (also gzipped) and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toposwap.core.errors import InputError
from toposwap.io.atomic import replacing
from toposwap.io.tables.whole_files import require_pyarrow

if TYPE_CHECKING:
    import os

    import pandas as pd

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
PARQUET = (".parquet", ".pq")
SUFFIXES = (*SEPARATORS, *PARQUET)


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


def table_suffix(path: Path) -> str:
    """The ending that decides the format of a table, or an error that lists those there are."""
    name = path.name.lower()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    raise InputError(
        f"{str(path)!r}: the format of a table is known by its ending, one of "
        f"{', '.join(SUFFIXES)}; choose another name"
    )
