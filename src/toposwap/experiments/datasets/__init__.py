"""Data to learn from, one kind a file: ``draw(settings, seed) -> Sample``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Data with the truth behind them.

    Attributes
    ----------
    X
        (n, d), one sample a row.
    weights
        (d, d); an entry that is not zero is an edge of the true graph.
    """

    X: NDArray[np.float64]
    weights: NDArray[np.float64]


Draw: TypeAlias = Callable[[dict[str, Any], int], Sample]

#: Kind -> the file that draws it.
KINDS = {
    "linear": "linear",
    "logistic": "logistic",
    "neural": "neural",
    "three-nodes": "three_nodes",
}


def draw(settings: dict[str, Any], seed: int) -> Sample:
    """Draw what ``settings["kind"]`` says, with the other settings."""
    given = dict(settings)
    kind = given.pop("kind", None)
    if kind not in KINDS:
        raise InputError(f"data: kind = {kind!r} is not one of {', '.join(KINDS)}")
    function: Draw = import_module(f"{__name__}.{KINDS[kind]}").draw
    return function(given, seed)
