r"""Which number belongs to which edge.

Parameters are an array or a dict of named arrays. Some arrays hold the blocks
:math:`\theta_{ij}`: one of their axes runs over causes and one over effects, both of length d, and
what is left at (i, j) is the block, of any shape. The other arrays are :math:`\tilde\theta`. Packed
into one vector (p,), every entry has a cause and an effect, or -1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What users call parameters: an array or a dict of them.
Parameters = Any
_ALONE = "theta"


class Layout:
    """How parameters are packed, from an example of them.

    Parameters
    ----------
    example
        An array, or a dict of arrays, as the user gave it.
    d
        The number of variables.
    blocks
        The arrays that hold edges: None for all whose first two axes have length d; a name or
        several; or a mapping from names to (axis of the causes, axis of the effects).
    nodewise
        Whether every entry belongs to a node: then arrays without edges have the node first.
    """

    def __init__(self, example: Parameters, d: int, blocks: Any, *, nodewise: bool) -> None:
        self.d = d
        self.alone = not isinstance(example, Mapping)
        arrays = {_ALONE: example} if self.alone else dict(example)
        if not arrays:
            raise InputError("start: the dict of parameters is empty; give at least one array")
        values = {name: _numeric(name, array) for name, array in arrays.items()}
        self.names = tuple(values)
        self.shapes = {name: array.shape for name, array in values.items()}
        self.axes = self._find_blocks(blocks)
        causes, effects = [], []
        for name, shape in self.shapes.items():
            cause, effect = self._owners(name, shape, nodewise=nodewise)
            causes.append(cause)
            effects.append(effect)
        self.cause: NDArray[np.int64] = np.concatenate(causes)
        self.effect: NDArray[np.int64] = np.concatenate(effects)
        self.p = self.cause.size
        self.is_edge: NDArray[np.bool_] = self.cause >= 0
        #: Entries of self-loops, which are always zero.
        self.loops: NDArray[np.bool_] = self.is_edge & (self.cause == self.effect)
        #: Entries of one edge.
        self.width = int(self.is_edge.sum()) // (d * d)

    # --- packing ---------------------------------------------------------------------------------

    def pack(self, parameters: Parameters, what: str = "parameters") -> NDArray[np.float64]:
        """One vector (p,); ``what`` names the arrays if their shapes are not the right ones."""
        return _pack(parameters, self.shapes, what, alone=self.alone)

    def unpack(self, vector: NDArray[np.float64]) -> Parameters:
        """The arrays of the user's shapes; they are views of ``vector``."""
        return _unpack(vector, self.shapes, alone=self.alone)

    # --- edges -----------------------------------------------------------------------------------

    def free(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Entries (p,) of the edges in ``allowed`` (d, d) and of no edge."""
        return np.where(self.is_edge, allowed[self.cause, self.effect] & ~self.loops, True)

    def per_edge(self, entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the entries (p,) over each block, (d, d)."""
        at = self._edge_places
        total = np.bincount(at, entries[self.is_edge], minlength=self.d * self.d)
        return total.reshape(self.d, self.d).astype(np.float64)

    def weights(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the entry itself where a block is one number, else the block's 1-norm."""
        entries = vector if self.width == 1 else np.abs(vector)
        return self.per_edge(np.where(self.loops, 0.0, entries))

    @cached_property
    def _edge_places(self) -> NDArray[np.int64]:
        return (self.cause * self.d + self.effect)[self.is_edge]

    # --- reading what the user said --------------------------------------------------------------

    def _find_blocks(self, blocks: Any) -> dict[str, tuple[int, int]]:
        d = self.d
        if blocks is None:
            found = {name: (0, 1) for name, shape in self.shapes.items() if shape[:2] == (d, d)}
            if not found:
                raise InputError(
                    f"start: no array has a shape ({d}, {d}, ...) with a block for each edge, only "
                    f"{', '.join(map(str, self.shapes.values()))}; say with blocks= which arrays "
                    "hold edges"
                )
            return found
        if isinstance(blocks, str):
            blocks = [blocks]
        if isinstance(blocks, Sequence):
            blocks = dict.fromkeys(blocks, (0, 1))
        if not isinstance(blocks, Mapping) or not blocks:
            raise InputError(
                "blocks: must be the names of the arrays that hold edges, or a mapping from names "
                f"to (axis of causes, axis of effects), got {blocks!r}"
            )
        for name, axes in blocks.items():
            if name not in self.shapes:
                raise InputError(
                    f"blocks: no parameter is called {name!r}; there are {', '.join(self.names)}"
                )
            shape = self.shapes[name]
            whole = isinstance(axes, Sequence) and len(axes) == 2 and axes[0] != axes[1]
            if not whole or any(not 0 <= a < len(shape) or shape[a] != d for a in axes):
                raise InputError(
                    f"blocks: axes {axes!r} of {name!r}, which has shape {shape}, must be two "
                    f"different ones of length {d}, the causes' first"
                )
        return {name: (int(axes[0]), int(axes[1])) for name, axes in blocks.items()}

    def _owners(
        self, name: str, shape: tuple[int, ...], *, nodewise: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cause and effect of each entry of one array, raveled."""
        size = math.prod(shape)
        places = np.unravel_index(np.arange(size), shape) if shape else ()
        nobody = np.full(size, -1, dtype=np.int64)
        if name in self.axes:
            i, j = self.axes[name]
            return places[i].astype(np.int64), places[j].astype(np.int64)
        if not nodewise:
            return nobody, nobody
        if not shape or shape[0] != self.d:
            raise InputError(
                f"start {name!r}: with separable=True every parameter belongs to a node, so its "
                f"first axis must have length {self.d}, got shape {shape}; a parameter that the "
                "nodes share makes separable=False"
            )
        return nobody, places[0].astype(np.int64)


class Part:
    """Entries that are solved together: those of one node, or all of them (``node`` None).

    Attributes
    ----------
    index
        The node, or 0.
    places
        Where the entries stand in the vector of all, (q,).
    cause, is_edge
        Of these entries, (q,).
    arguments
        What the user's function is told besides parameters and data: the node, or nothing.
    """

    def __init__(self, whole: Layout, node: int | None = None) -> None:
        self.alone = whole.alone
        self.index = 0 if node is None else node
        self.arguments: tuple[int, ...] = () if node is None else (node,)
        self.shapes = dict(whole.shapes)
        self.places: NDArray[np.int64] = np.arange(whole.p)
        if node is not None:
            # In the order that slicing the arrays at the node gives.
            self.places = np.flatnonzero(whole.effect == node)
            for name, shape in whole.shapes.items():
                axis = whole.axes[name][1] if name in whole.axes else 0
                self.shapes[name] = shape[:axis] + shape[axis + 1 :]
        self.cause: NDArray[np.int64] = whole.cause[self.places]
        self.is_edge: NDArray[np.bool_] = whole.is_edge[self.places]
        self.loops: NDArray[np.bool_] = whole.loops[self.places]

    def pack(self, parameters: Parameters, what: str) -> NDArray[np.float64]:
        """The entries of the part, (q,)."""
        return _pack(parameters, self.shapes, what, alone=self.alone)

    def unpack(self, vector: NDArray[np.float64]) -> Parameters:
        """The arrays, sliced at the node; they are views of ``vector`` (q,)."""
        return _unpack(vector, self.shapes, alone=self.alone)

    def spans(self) -> list[tuple[str, slice]]:
        """Names of the arrays and where their entries stand in the part."""
        ends = np.cumsum([0] + [math.prod(shape) for shape in self.shapes.values()]).tolist()
        return [
            (name, slice(a, b)) for name, a, b in zip(self.shapes, ends[:-1], ends[1:], strict=True)
        ]


def _pack(
    parameters: Parameters, shapes: Mapping[str, tuple[int, ...]], what: str, *, alone: bool
) -> NDArray[np.float64]:
    arrays = {_ALONE: parameters} if alone else parameters
    if not isinstance(arrays, Mapping) or set(arrays) != set(shapes):
        raise InputError(f"{what}: must be a dict with the arrays {', '.join(map(repr, shapes))}")
    parts = []
    for name, shape in shapes.items():
        array = np.asarray(arrays[name], dtype=np.float64)
        if array.shape != shape:
            called = what if alone else f"{what} {name!r}"
            raise InputError(f"{called}: must have shape {shape}, got {array.shape}")
        parts.append(array.ravel())
    return np.concatenate(parts)


def _unpack(
    vector: NDArray[np.float64], shapes: Mapping[str, tuple[int, ...]], *, alone: bool
) -> Parameters:
    arrays, at = {}, 0
    for name, shape in shapes.items():
        size = math.prod(shape)
        arrays[name] = vector[at : at + size].reshape(shape)
        at += size
    return arrays[_ALONE] if alone else arrays


def _numeric(name: str, array: Any) -> NDArray[np.float64]:
    try:
        values = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"start {name!r}: must be an array of numbers, got {array!r}") from None
    if not np.isfinite(values).all():
        raise InputError(f"start {name!r}: holds nan or inf; give finite starting values")
    return values
