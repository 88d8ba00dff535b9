"""What holds a table: arrays of every layout and type, frames, Arrow tables, lists, and no tables.

A container is a function of a table and a :class:`~fuzz.draws.Draw`, registered by its decorator;
it returns the object to be fitted and the numbers that must be read from it, None where nothing may
be.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from fuzz.draws import Draw
    from fuzz.tables import Table

    Held: TypeAlias = tuple[Any, NDArray[np.float64] | None]
    Container: TypeAlias = Callable[[Table, Draw], Held]

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
    if isinstance(held, np.ndarray):
        content = pickle.dumps(held.tolist()) if held.dtype == object else held.tobytes()
        parts = [content, repr(held.flags).encode(), repr(held.dtype).encode()]
        if isinstance(held, np.ma.MaskedArray):
            parts.append(np.ma.getmaskarray(held).tobytes())
        return b"|".join(parts)
    if hasattr(held, "columns") and hasattr(held, "iloc"):
        # A pickle of a frame tells apart what nobody else can, such as who owns its memory.
        parts = [
            repr((list(held.columns), list(held.index), held.dtypes.to_list())).encode(
                "utf-8", "replace"
            )
        ]
        parts += [repr(held.iloc[:, k].tolist()).encode() for k in range(held.shape[1])]
        return b"|".join(parts)
    try:
        return pickle.dumps(held, protocol=4)
    except (TypeError, AttributeError, pickle.PicklingError):
        return repr(held).encode(errors="surrogatepass")
