"""What holds a table: arrays of every layout and type, frames, Arrow tables, lists, and no tables.

A container is a function of a table and a :class:`~fuzz.draws.Draw`, registered by its decorator;
it returns the object to be fitted and the numbers that must be read from it, None where nothing may
be.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fuzz.draws import Draw
    from fuzz.tables import Table

    Held = tuple[Any, "NDArray[np.float64] | None"]
    Container = Callable[[Table, Draw], Held]

#: Containers by name, and how often each is drawn.
CONTAINERS: dict[str, Container] = {}
WEIGHTS: dict[str, float] = {}


def container(
    name: str, weight: float = 1.0, needs: str = "numpy"
) -> Callable[[Container], Container]:
    """Register a container; one of a package that is not installed is left out."""

    def register(made: Container) -> Container:
        if find_spec(needs) is not None:
            CONTAINERS[name], WEIGHTS[name] = made, weight
        return made

    return register


def draw_container(draw: Draw, table: Table, *, usual: float = 0.45) -> tuple[str, Held]:
    """A container's name, the table in it, and the numbers that must be read; often an array."""
    name = "array" if draw.chance(usual) else draw.weighed(WEIGHTS)
    return name, CONTAINERS[name](table, draw)


def fingerprint(held: Any) -> bytes:
    """All that a caller could see of ``held``; equal before and after a fit that changed nothing.

    An array hands over its memory, flags and mask; other containers what a pickle of them holds.
    """
    if isinstance(held, np.ndarray) and held.dtype != object:
        parts = [held.tobytes(), repr(held.flags).encode(), repr(held.dtype).encode()]
        if isinstance(held, np.ma.MaskedArray):
            parts.append(np.ma.getmaskarray(held).tobytes())
        return b"|".join(parts)
    if hasattr(held, "columns") and hasattr(held, "iloc"):
        # A pickle of a frame tells apart what nobody else can, such as who owns its memory.
        parts = [repr((list(held.columns), list(held.index), held.dtypes.to_list())).encode("utf-8", "replace")]
        parts += [repr(held.iloc[:, k].tolist()).encode() for k in range(held.shape[1])]
        return b"|".join(parts)
    try:
        return pickle.dumps(held, protocol=4)
    except (TypeError, AttributeError, pickle.PicklingError):
        return repr(held).encode(errors="surrogatepass")


def _text(table: Table) -> list[str]:
    """The names without what no encoding has, which frames refuse by themselves."""
    return [name.encode(errors="replace").decode() for name in table.names]


# --- arrays ---------------------------------------------------------------------------------------


@container("array", 1)
def _array(table: Table, _draw: Draw) -> Held:
    return table.values.copy(), table.values


@container("columns together", 2)
def _fortran(table: Table, _draw: Draw) -> Held:
    return np.asfortranarray(table.values), table.values


@container("every other row and column", 2)
def _strided(table: Table, _draw: Draw) -> Held:
    n, d = table.shape
    wide = np.full((2 * n, 2 * d), np.nan)
    wide[::2, ::2] = table.values
    return wide[::2, ::2], table.values


@container("backwards", 1)
def _backwards(table: Table, _draw: Draw) -> Held:
    return table.values[::-1, ::-1].copy()[::-1, ::-1], table.values


@container("read-only", 3)
def _read_only(table: Table, _draw: Draw) -> Held:
    values = table.values.copy()
    values.setflags(write=False)
    return values, table.values


@container("another type of number", 5)
def _typed(table: Table, draw: Draw) -> Held:
    kind = draw.among(["f2", "f4", "f4", "g", ">f8", "<f8", "i1", "i2", "i4", "i8", "u1", "u8", "?"])
    dtype = np.dtype(kind)
    values = table.values
    with np.errstate(all="ignore"):
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            values = np.clip(np.nan_to_num(values), float(limits.min), float(limits.max) * 0.999)
        typed = values.astype(dtype)
        return typed, typed.astype(np.float64)


@container("objects", 3)
def _objects(table: Table, draw: Draw) -> Held:
    held = table.values.astype(object)
    if draw.chance(0.4):
        for j in range(held.shape[1]):
            held[:, j] = [Decimal(repr(float(v))) for v in table.values[:, j]]
    return held, table.values


@container("masked", 2)
def _masked(table: Table, draw: Draw) -> Held:
    hidden = draw.rng.random(table.shape) < draw.among([0.0, 0.0, 0.05])
    if hidden.any():
        return np.ma.MaskedArray(table.values.copy(), hidden), None
    return np.ma.MaskedArray(table.values.copy(), draw.among([np.ma.nomask, hidden])), table.values


@container("matrix", 0.5)
def _matrix(table: Table, _draw: Draw) -> Held:
    # As the deprecated class itself, which old programs still hand over.
    return table.values.view(np.matrix), table.values


@container("lists", 2)
def _lists(table: Table, draw: Draw) -> Held:
    rows = table.values.tolist()
    return draw.among([rows, tuple(map(tuple, rows)), [np.array(row) for row in rows]]), table.values


@container("dict of columns", 1)
def _dict(table: Table, draw: Draw) -> Held:
    columns = {name: table.values[:, j].copy() for j, name in enumerate(table.names)}
    if draw.chance(0.5):
        return {name: x.tolist() for name, x in columns.items()}, table.values
    return columns, table.values


@container("data set", 1)
def _dataset(table: Table, _draw: Draw) -> Held:
    # Made by the fit, so that what is refused is refused there.
    return table.values.copy(), table.values


# --- frames ---------------------------------------------------------------------------------------


@container("pandas", 6, "pandas")
def _pandas(table: Table, draw: Draw) -> Held:
    import pandas as pd

    index = draw.among([None, list(range(table.shape[0], 0, -1)), [f"r{k}" for k in range(table.shape[0])]])
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

    columns, seen = {}, []
    missing = False
    for j, name in enumerate(_text(table)):
        x = table.values[:, j]
        whole = bool(np.isfinite(x).all() and (x == np.floor(x)).all() and np.abs(x).max() < 2**53)
        dtype = draw.among(["Int64", "Float64"]) if whole else "Float64"
        if whole and set(np.unique(x)) <= {0.0, 1.0} and draw.chance(0.5):
            dtype = "boolean"
        column = pd.array(x.astype({"Int64": np.int64, "Float64": float, "boolean": bool}[dtype]), dtype=dtype)
        if draw.chance(0.02):
            column[0] = pd.NA
            missing = True
        columns[name] = column
        seen.append(x)
    return pd.DataFrame(columns), None if missing else np.column_stack(seen)


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
        frame[name] = frame[name].astype(np.float32)
        seen = table.values.copy()
        with np.errstate(over="ignore"):
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

    return pl.DataFrame({name: table.values[:, j] for j, name in enumerate(table.names)}), table.values


# --- no tables ------------------------------------------------------------------------------------


@container("no table", 3)
def _no_table(table: Table, draw: Draw) -> Held:
    values = table.values
    return draw.among(
        [
            None,
            3.5,
            "table.csv",
            values[:, 0],
            values[None],
            np.empty((0, 3)),
            np.empty((5, 0)),
            np.empty((0, 0)),
            values.astype(complex) + 1j,
            values.astype("U8"),
            np.full(values.shape, np.datetime64("2020-01-01")),
            np.rec.fromarrays([values[:, 0], values[:, -1]], names="a,b"),
            [[1.0, 2.0], [3.0]],
            [],
            [[]],
            {},
            {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]},
            {"a": [[1.0], [2.0]], "b": [[1.0], [3.0]]},
            iter(values.tolist()),
            np.array([[None, 1.0], [2.0, 3.0], [1.0, 5.0]], dtype=object),
            np.array([["1", 2], ["3", 4], ["4", 3]], dtype=object),
            np.array([[{}, 2], [[], 4], [(), 3]], dtype=object),
            np.float64(1.0),
            b"bytes",
            {1, 2, 3},
            object(),
            float,
        ]
    ), None
