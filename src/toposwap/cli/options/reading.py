"""Options about the table, and the table they describe."""

from __future__ import annotations

import csv
import warnings
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from toposwap.cli.options.intervening import Intervening, intervention_options
from toposwap.core.errors import InputError, ToposwapWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from toposwap.core.tables.table import NumberTable
    from toposwap.streams import FileStream


class Chosen(NamedTuple):
    """The columns (n, d) to learn from, the names of the others, and what is said of the rows.

    Their weights (n,) and what was set from outside in each, if anything. Of a table that was not
    kept ``frame`` has columns and length only, and a ``dataset``.
    """

    frame: NumberTable | pd.DataFrame
    left_out: list[str]
    weights: NDArray[np.float64] | None
    interventions: list[list[str]] | None = None

    @property
    def data(self) -> Any:
        """What is fitted."""
        return getattr(self.frame, "dataset", self.frame)


@dataclass(frozen=True)
class Reading:
    """How to read a table, and which part of it to use."""

    sep: str | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    missing: str = "error"
    kinds: Mapping[str, str] = field(default_factory=dict)
    drop_unusable: bool = False
    weights: str | None = None
    intervening: Intervening = field(default_factory=Intervening)

    def chosen(self, path: Path) -> Chosen:
        """The chosen columns, in the order of ``columns`` if given, and what is left of others."""
        from toposwap.io import read_numbers

        table = read_numbers(path, sep=self.sep, decimal=self.decimal, missing=self.na)
        return self._of(table, repr(str(path)))

    def of_frame(self, frame: pd.DataFrame) -> Chosen:
        """The same of a table that has been read."""
        return self._of(frame, "the table")

    @property
    def drop_missing(self) -> bool:
        """Whether rows with gaps are left out of a stream, which can do nothing else with them."""
        if self.missing not in ("error", "drop"):
            raise InputError(
                f"--missing {self.missing} asks the rows again and again, which a stream does not "
                "keep: --missing drop, or learn from a sample (--sample 100000)"
            )
        return self.missing == "drop"

    def columns_of(self, stream: FileStream) -> FileStream:
        """``stream`` with the chosen columns, of which sums are kept and no rows."""
        if self.weights is not None or self.intervening.asked:
            raise InputError(
                "--weights and --interventions belong to rows, which a stream does not keep: leave "
                "them out, or learn from a sample (--sample 100000)"
            )
        names = list(stream.columns)
        excluded = set(_names(self.exclude, "--exclude", names))
        chosen = _names(self.columns, "--columns", names) or names
        kept = tuple(name for name in chosen if name not in excluded)
        left = tuple(name for name in names if name not in kept)
        if len(kept) < 2:
            raise InputError("a graph needs at least two columns: choose more")
        return replace(stream, columns=kept, left_out=left)

    def _of(self, table: NumberTable | pd.DataFrame, shown: str) -> Chosen:
        from toposwap.core.kinds import kinds_by_name
        from toposwap.core.tables.table import NumberTable

        names = [str(name) for name in table.columns]
        if self.kinds:
            kinds_by_name(self.kinds, names)
        excluded = set(_names(self.exclude, "--exclude", names))
        chosen = _names(self.columns, "--columns", names) or names
        if self.weights is not None:
            excluded.add(one_name(self.weights, "--weights", names))
        excluded |= self.intervening.columns(lambda name, option: one_name(name, option, names))
        chosen = [name for name in chosen if name not in excluded]
        if isinstance(table, NumberTable):
            # Nothing is missing in it, and nothing is text.
            picked: NumberTable | pd.DataFrame = table.chosen(chosen)
            picked = self._usable(picked) if self.drop_unusable else picked
        else:
            table.columns = names
            # Choosing makes a copy.
            frame = self._usable(table if chosen == names else table[chosen])
            if self.missing == "error":
                _refuse_missing(frame, shown)
            picked = frame
        left_out = sorted(set(names) - set(map(str, picked.columns)))
        done = self._interventions(table, picked)
        return Chosen(picked, left_out, self._weights(table, picked), done)

    def _interventions(self, table: Any, picked: Any) -> list[list[str]] | None:
        """What was set from outside in each row of ``picked``, by name."""
        from toposwap.core.tables.table import NumberTable

        names = [str(name) for name in table.columns]

        def column(name: str) -> Any:
            if isinstance(table, NumberTable):
                return table.chosen([name]).values[:, 0]
            return table[name].loc[picked.index].to_numpy()

        return self.intervening.of_rows(
            column, lambda name, option: one_name(name, option, names), len(picked)
        )

    def _weights(self, table: Any, picked: Any) -> NDArray[np.float64] | None:
        """How often each row of ``picked`` counts, (n,)."""
        from toposwap.core.tables.table import NumberTable

        if self.weights is None:
            return None
        name = one_name(self.weights, "--weights", list(map(str, table.columns)))
        if isinstance(table, NumberTable):
            return table.chosen([name]).values[:, 0]
        column = table[name]
        if column.dtype.kind not in "biuf":
            raise InputError(f"--weights: column {name!r} does not hold numbers")
        return column.loc[picked.index].to_numpy(dtype="float64")

    def known_kinds(self, frame: NumberTable | pd.DataFrame) -> dict[str, str]:
        """What ``kinds`` says about the columns of ``frame``; of others it has been checked."""
        from fnmatch import fnmatchcase

        names = [str(name) for name in frame.columns]
        return {
            pattern: kind
            for pattern, kind in self.kinds.items()
            if any(name == pattern or fnmatchcase(name, pattern) for name in names)
        }

    def _usable(self, table: Any) -> Any:
        """The table without columns that cannot be used, or one line about all of them."""
        from toposwap.core.kinds import kinds_by_name
        from toposwap.core.tables.table import NumberTable
        from toposwap.core.tables.unusable import unusable
        from toposwap.core.validation import in_words, listed

        names = [str(name) for name in table.columns]
        given = kinds_by_name(self.known_kinds(table), names)
        refused = unusable(table, given, thorough=self.drop_unusable)
        if not refused:
            return table
        groups: dict[Any, list[str]] = {}
        for name, why in refused.items():
            groups.setdefault(why, []).append(name)
        if not self.drop_unusable:
            told = "; ".join(in_words(why, who) for why, who in groups.items())
            raise InputError(f"{told} (--drop-unusable leaves out, --exclude by name)")
        told = "; ".join(f"{listed(who)} ({why.what})" for why, who in groups.items())
        warnings.warn(f"left out: {told}", ToposwapWarning, stacklevel=3)
        kept = [name for name in names if name not in refused]
        if len(kept) < 2:
            raise InputError(
                f"--drop-unusable: {len(kept)} of {len(names)} columns would be left, and a graph "
                "needs at least two"
            )
        return table.chosen(kept) if isinstance(table, NumberTable) else table[kept]


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
    @click.option(
        "--weights",
        "row_weights",
        metavar="COLUMN",
        help="How often each row counts; the column is no variable then.",
    )
    @intervention_options
    @click.option(
        "--missing",
        metavar="error|drop|em|impute",
        help="What to do about missing values: refuse the table (the default), leave out rows that "
        "have any, learn by maximum likelihood of what is there (scores of means and covariances: "
        "bic, least-squares, ...), or draw them from the model that is learned (other scores).",
    )
    @click.option(
        "--drop-missing", is_flag=True, help="--missing drop: rows with infinite values, too."
    )
    @click.option(
        "--drop-unusable",
        is_flag=True,
        help="Leave out columns that no score can use (dates, identifiers, running numbers, free "
        "text, categories of more than two values, constants), and say which.",
    )
    @click.option(
        "--kind",
        metavar="COLUMN=KIND",
        multiple=True,
        help="What a column is: continuous, binary, count, categorical or ordinal; * and ? in the "
        "name stand for anything. By default seen in its values, and told.",
    )
    @click.option(
        "--categorical", metavar="A,B,C", multiple=True, help="Columns that are codes or names."
    )
    @click.option(
        "--sep", metavar="CHAR", help="What separates columns; by default seen in the first lines."
    )
    @click.option(
        "--decimal", metavar="CHAR", help="Decimal mark, . or , ; by default seen in the lines."
    )
    @click.option(
        "--na",
        metavar="VALUE",
        multiple=True,
        help="Also stands for a missing value, as in --na -999 --na '?'; may be repeated.",
    )
    @wraps(command)
    def with_reading(
        *args: Any,
        sep: str | None,
        decimal: str | None,
        na: tuple[str, ...],
        columns: tuple[str, ...],
        exclude: tuple[str, ...],
        missing: str | None,
        drop_missing: bool,
        drop_unusable: bool,
        row_weights: str | None,
        interventions: str | None,
        indicators: tuple[str, ...],
        intervention_kind: str,
        kind: tuple[str, ...],
        categorical: tuple[str, ...],
        **others: Any,
    ) -> Any:
        # A shell hands \t over as two characters.
        sep = "\t" if sep in ("\\t", "tab") else sep
        kinds = _kinds(kind, categorical)
        treatment = _treatment(missing, drop=drop_missing)
        done = Intervening(interventions, indicators, intervention_kind)
        reading = Reading(
            *(sep, decimal, na, columns, exclude, treatment, kinds, drop_unusable),
            *(row_weights, done),
        )
        return command(*args, reading=reading, **others)

    return with_reading


def _treatment(missing: str | None, *, drop: bool) -> str:
    """What --missing and --drop-missing say together."""
    from toposwap.missing import MISSING

    if missing is not None and missing not in MISSING:
        raise InputError(f"--missing: {missing!r} is not one of {', '.join(MISSING)}")
    if drop and missing not in (None, "drop"):
        raise InputError(f"--drop-missing contradicts --missing {missing}: leave one of them out")
    return "drop" if drop else missing or "error"


def _split(given: tuple[str, ...], option: str) -> list[str]:
    """The parts of the values of an option between commas, without the blanks around them."""
    try:
        rows = [row for text in given for row in csv.reader([text], skipinitialspace=True)]
    except csv.Error as error:
        raise InputError(
            f"{option}: names with commas or line breaks stand in double quotes ({error})"
        ) from None
    return [part.strip() for row in rows for part in row]


def _kinds(kind: tuple[str, ...], categorical: tuple[str, ...]) -> dict[str, str]:
    """What --kind and --categorical say, by name or pattern."""
    from toposwap.core.kinds import KINDS

    found = dict.fromkeys(_split(categorical, "--categorical"), "categorical")
    for given in kind:
        name, equals, value = given.rpartition("=")
        if not equals or value.strip() not in KINDS:
            raise InputError(f"--kind: {given!r} is not COLUMN=KIND with one of {', '.join(KINDS)}")
        found[name.strip()] = value.strip()
    return found


def _names(given: tuple[str, ...], option: str, known: list[str]) -> list[str]:
    """The names in the values of an option, in the order given, each once."""
    from toposwap.core.validation import listed
    from toposwap.knowledge.names import ColumnNames

    names = _split(given, option)
    columns = ColumnNames(known)
    found = {name: columns.matching(name) for name in names}
    unknown = [name for name, places in found.items() if not places]
    if unknown:
        raise InputError(
            f"{option}: no column is called {listed(unknown)}; there are {listed(known)}"
        )
    return list(dict.fromkeys(known[k] for name in names for k in found[name]))


def one_name(given: str, option: str, known: list[str]) -> str:
    """The one name in the value of an option."""
    names = _names((given,), option, known)
    if len(names) != 1:
        raise InputError(f"{option}: name one column, {given!r} stands for {len(names)}")
    return names[0]


def _refuse_missing(frame: pd.DataFrame, shown: str) -> None:
    """The same refusal as the library's, with the remedies that this command line has."""
    from toposwap.core.validation import listed

    broken = _broken(frame)
    if broken.to_numpy().any():
        columns = [name for name in frame.columns if broken[name].any()]
        endless = bool((broken & frame.notna()).to_numpy().any())
        infinite = " or infinite" if endless else ""
        gaps = "--na inf --na -inf makes gaps of infinite ones, and " if endless else ""
        raise InputError(
            f"{shown}: {int(broken.any(axis=1).sum())} of {len(frame)} rows have missing"
            f"{infinite} values{_how_many(broken)}, in {listed(columns)}: --missing drop leaves "
            f"those rows out; {gaps}--missing em (scores of means and covariances) or --missing "
            "impute (other scores) learns from what is there; --exclude leaves out columns"
        )


def _broken(frame: pd.DataFrame) -> pd.DataFrame:
    """Where values are missing or infinite."""
    broken = frame.isna()
    for name in frame.columns:
        if frame[name].dtype.kind == "f":
            broken[name] |= frame[name].abs() == float("inf")
    return broken


def _how_many(broken: pd.DataFrame) -> str:
    count = int(broken.to_numpy().sum())
    return f" ({count} of {broken.size})"
