"""Arrays of every layout and type of number, lists and dicts."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from fuzz.containers.registry import container

if TYPE_CHECKING:
    from fuzz.containers.registry import Held
    from fuzz.draws import Draw
    from fuzz.tables import Table


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
    kind = draw.among(
        ["f2", "f4", "f4", "g", ">f8", "<f8", "i1", "i2", "i4", "i8", "u1", "u8", "?"]
    )
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
        seen = np.where(hidden, np.nan, table.values)
        return np.ma.MaskedArray(table.values.copy(), hidden), seen
    return np.ma.MaskedArray(
        table.values.copy(), hidden if draw.among([False, True]) else False
    ), table.values


@container("matrix", 0.5)
def _matrix(table: Table, _draw: Draw) -> Held:
    # As the deprecated class itself, which old programs still hand over.
    return table.values.view(np.matrix), table.values


@container("lists", 2)
def _lists(table: Table, draw: Draw) -> Held:
    rows = table.values.tolist()
    return draw.among(
        [rows, tuple(map(tuple, rows)), [np.array(row) for row in rows]]
    ), table.values


@container("dict of columns", 1)
def _dict(table: Table, draw: Draw) -> Held:
    columns = {name: table.values[:, j].copy() for j, name in enumerate(table.names)}
    if draw.chance(0.5):
        return {name: x.tolist() for name, x in columns.items()}, table.values
    return columns, table.values


class _Labelled(np.ndarray):
    """An array that is more than one, as those of other packages are."""


@container("subclass", 1)
def _subclass(table: Table, _draw: Draw) -> Held:
    return table.values.copy().view(_Labelled), table.values
