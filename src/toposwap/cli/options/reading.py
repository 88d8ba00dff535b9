"""Options about the table, and the table they describe."""

from __future__ import annotations

import csv
import warnings
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.core.errors import InputError, ToposwapWarning

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from toposwap.core.table import NumberTable


@dataclass(frozen=True)
class Reading:
    """How to read a table, and which part of it to use."""

    sep: str | None
    decimal: str
    columns: tuple[str, ...]
    exclude: tuple[str, ...]
    drop_missing: bool

    def table(self, path: Path) -> NumberTable | pd.DataFrame:
        """Return the chosen columns (n, d), in the order of ``columns`` if given."""
        return self.chosen(path)[0]

    def chosen(self, path: Path) -> tuple[NumberTable | pd.DataFrame, list[str]]:
        """The chosen columns (n, d), and the names of those that are left out."""
        from toposwap.core.table import NumberTable
        from toposwap.io import read_numbers

        table = read_numbers(path, sep=self.sep, decimal=self.decimal)
        names = [str(name) for name in table.columns]
        excluded = set(_names(self.exclude, "--exclude", names))
        chosen = _names(self.columns, "--columns", names) or names
        chosen = [name for name in chosen if name not in excluded]
        left_out = sorted(set(names) - set(chosen))
        if isinstance(table, NumberTable):
            # Nothing is missing in it.
            return table.chosen(chosen), left_out
        table.columns = names
        # Choosing makes a copy.
        frame = table if chosen == names else table[chosen]
        if self.drop_missing:
            return _without_missing(frame), left_out
        _refuse_missing(frame, path)
        return frame, left_out


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, and hand them to ``command`` as ``reading``."""

    @click.option(
        "--columns",
        "--only",
        "columns",
        metavar="A,B,C",
        multiple=True,
        help="Use these columns only; names with commas in double quotes, patterns like gene_*.",
    )
    @click.option(
        "--exclude",
        metavar="A,B,C",
        multiple=True,
        help="Leave these columns out; names or patterns.",
    )
    @click.option("--drop-missing", is_flag=True, help="Leave out rows with missing values.")
    @click.option(
        "--sep", metavar="CHAR", help="What separates columns; by default , (or tab in .tsv files)."
    )
    @click.option("--decimal", metavar="CHAR", default=".", help="Decimal mark: . (default) or ,")
    @wraps(command)
    def with_reading(
        *args: Any,
        sep: str | None,
        decimal: str,
        columns: tuple[str, ...],
        exclude: tuple[str, ...],
        drop_missing: bool,
        **others: Any,
    ) -> Any:
        # A shell hands \t over as two characters.
        sep = "\t" if sep in ("\\t", "tab") else sep
        reading = Reading(sep, decimal, columns, exclude, drop_missing)
        return command(*args, reading=reading, **others)

    return with_reading


def _names(given: tuple[str, ...], option: str, known: list[str]) -> list[str]:
    """The names in the values of an option, in the order given, each once."""
    from toposwap.core.validation import listed
    from toposwap.knowledge.names import ColumnNames

    try:
        rows = [row for text in given for row in csv.reader([text], skipinitialspace=True)]
    except csv.Error as error:
        raise InputError(
            f"{option}: names with commas or line breaks stand in double quotes ({error})"
        ) from None
    columns = ColumnNames(known)
    names = [name.strip() for row in rows for name in row]
    found = {name: columns.matching(name) for name in names}
    unknown = [name for name, places in found.items() if not places]
    if unknown:
        raise InputError(
            f"{option}: no column is called {listed(unknown)}; there are {listed(known)}"
        )
    return list(dict.fromkeys(known[k] for name in names for k in found[name]))


def _refuse_missing(frame: pd.DataFrame, path: Path) -> None:
    """The same refusal as the library's, with the remedies that this command line has."""
    from toposwap.core.validation import listed

    missing = frame.isna()
    if missing.to_numpy().any():
        columns = [name for name in frame.columns if missing[name].any()]
        raise InputError(
            f"{str(path)!r}: {int(missing.any(axis=1).sum())} of {len(frame)} rows have missing "
            f"values, in {listed(columns)}: --drop-missing leaves those rows out, --exclude columns"
        )


def _without_missing(frame: pd.DataFrame) -> pd.DataFrame:
    kept = frame.dropna()
    if len(kept) == 0:
        raise InputError("--drop-missing: every row has a missing value; --exclude some columns")
    if len(kept) < len(frame):
        warnings.warn(
            f"{len(frame) - len(kept)} of {len(frame)} rows have missing values and were left out",
            ToposwapWarning,
            stacklevel=2,
        )
    return kept
