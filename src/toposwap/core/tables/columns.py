"""Tables that come as named columns (Arrow, dicts), and things that are no table yet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from toposwap.core.errors import InputError


class InputTypeError(InputError, TypeError):
    """A value of a type that cannot be used at all."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns (n,) with their names, whatever held them."""

    names: list[Any]
    parts: list[Any]


def is_frame(table: Any) -> bool:
    """Whether ``table`` is a pandas or polars DataFrame, judged without importing either."""
    return hasattr(table, "columns") and hasattr(table, "to_numpy")


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns of ``table`` as they are, None if they have none."""
    if is_frame(table):
        return list(table.columns)
    held = named_columns(table)
    return None if held is None else held.names


def named_columns(table: Any) -> Columns | None:
    """The columns of an Arrow table, a dict or whatever hands over Arrow's; None of anything else.

    Frames are not asked for: they know better how to make an array of themselves.
    """
    if is_frame(table) or isinstance(table, np.ndarray):
        return None
    if isinstance(table, Mapping):
        return Columns(list(table), list(table.values()))
    arrow = hasattr(table, "column_names")
    if not arrow and hasattr(table, "columns") and hasattr(table, "__arrow_c_stream__"):
        import pyarrow

        table = pyarrow.table(table)
    if hasattr(table, "column_names") and hasattr(table, "column"):
        names = list(table.column_names)
        return Columns(names, [table.column(k) for k in range(len(names))])
    return None


def lives_on_a_cluster(table: Any) -> bool:
    """Whether ``table`` is an array or frame of dask's, judged without importing it."""
    return type(table).__module__.split(".")[0] == "dask" and hasattr(table, "to_delayed")


#: Methods of frames that have not been computed yet, which make a frame of them.
_LAZY = ("collect", "compute", "toPandas", "to_table")


def refuse_no_table(table: Any, argument: str) -> None:
    """Raise for what has to be read, computed or made dense before it is a table."""
    if isinstance(table, str | os.PathLike):
        raise InputTypeError(
            f"{argument}: a path ({os.fspath(table)!r}); read it first, for example with "
            "pandas.read_csv(path), or use the command line: toposwap fit FILE"
        )
    if hasattr(table, "tocsr") or hasattr(table, "todense"):
        raise InputTypeError(
            f"{argument}: a sparse matrix was given, but dense data is required: use X.toarray()"
        )
    kind = type(table)
    # Asked of the class: to look at the columns of a lazy frame may begin the work.
    if not hasattr(kind, "to_numpy") and (hasattr(kind, "columns") or hasattr(kind, "schema")):
        for method in _LAZY:
            if hasattr(kind, method):
                raise InputTypeError(
                    f"{argument}: a lazy frame ({kind.__module__.split('.')[0]}.{kind.__name__}) "
                    f"holds no numbers yet; compute it first: X.{method}()"
                )
    if isinstance(table, Iterator):
        what = "an open file" if hasattr(table, "read") else "an iterator"
        raise InputTypeError(
            f"{argument}: {what} can be read once only; make an array or a DataFrame of it first"
        )
