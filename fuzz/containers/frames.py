"""Frames of pandas and polars, and Arrow tables."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.containers.registry import container

if TYPE_CHECKING:
    from fuzz.containers.registry import Held
    from fuzz.draws import Draw
    from fuzz.tables import Table


def _text(table: Table) -> list[str]:
    """The names without what no encoding has, which frames refuse by themselves."""
    return [name.encode(errors="replace").decode() for name in table.names]


@container("pandas", 6, "pandas")
def _pandas(table: Table, draw: Draw) -> Held:
    import pandas as pd

    index = draw.among(
        [None, list(range(table.shape[0], 0, -1)), [f"r{k}" for k in range(table.shape[0])]]
    )
    return pd.DataFrame(table.values.copy(), columns=_text(table), index=index), table.values


@container("pandas, numbers for names", 1, "pandas")
def _numbered(table: Table, _draw: Draw) -> Held:
    import pandas as pd

    return pd.DataFrame(table.values.copy()), table.values


@container("pandas, names twice", 1, "pandas")
def _twice(table: Table, _draw: Draw) -> Held:
    import pandas as pd

    d = table.shape[1]
    names = ["a"] * d
    return pd.DataFrame(table.values.copy(), columns=names), None if d > 1 else table.values


@container("pandas, levels of names", 0.5, "pandas")
def _levels(table: Table, _draw: Draw) -> Held:
    import pandas as pd

    names = pd.MultiIndex.from_tuples([("a", k) for k in range(table.shape[1])])
    return pd.DataFrame(table.values.copy(), columns=names), table.values


@container("pandas, nullable", 3, "pandas")
def _nullable(table: Table, draw: Draw) -> Held:
    import pandas as pd

    columns: dict[str, Any] = {}
    seen = []
    for j, name in enumerate(_text(table)):
        x = table.values[:, j]
        whole = bool(np.isfinite(x).all() and (x == np.floor(x)).all() and np.abs(x).max() < 2**53)
        dtype = draw.among(["Int64", "Float64"]) if whole else "Float64"
        if whole and set(np.unique(x)) <= {0.0, 1.0} and draw.chance(0.5):
            dtype = "boolean"
        plain: Any = pd.Series(x)
        column = plain.astype(dtype)
        if draw.chance(0.02):
            column[0] = pd.NA
            x = np.concatenate(([np.nan], x[1:]))
        columns[name] = column
        seen.append(x)
    return pd.DataFrame(columns), np.column_stack(seen)


@container("pandas, other types", 2, "pandas")
def _other_types(table: Table, draw: Draw) -> Held:
    import pandas as pd

    frame = pd.DataFrame(table.values.copy(), columns=_text(table))
    kind = draw.among(["sparse", "category", "arrow", "mixed", "object"])
    if kind == "sparse":
        return frame.astype(pd.SparseDtype(float, 0.0)), table.values
    if kind == "arrow" and find_spec("pyarrow") is not None:
        return frame.astype("double[pyarrow]"), table.values
    if kind == "mixed":
        name = frame.columns[0]
        seen = table.values.copy()
        with np.errstate(over="ignore"):
            frame[name] = frame[name].astype(np.float32)
            seen[:, 0] = seen[:, 0].astype(np.float32)
        return frame, seen
    if kind == "object":
        return frame.astype(object), table.values
    # Codes of categories may be numbers: whether they are read or refused is up to the library.
    return frame.astype("category"), table.values


@container("arrow", 2, "pyarrow")
def _arrow(table: Table, draw: Draw) -> Held:
    import pyarrow as pa

    columns = [pa.array(table.values[:, j]) for j in range(table.shape[1])]
    held = pa.table(columns, names=_text(table))
    if draw.chance(0.3):
        held = pa.concat_tables([held.slice(0, 1), held.slice(1)])
    return held, table.values


@container("polars", 2, "polars")
def _polars(table: Table, _draw: Draw) -> Held:
    import polars as pl

    return pl.DataFrame(
        {name: table.values[:, j] for j, name in enumerate(table.names)}
    ), table.values
