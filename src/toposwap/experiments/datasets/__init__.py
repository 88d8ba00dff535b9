"""Data to learn from, one kind a file: ``draw(seed, **settings) -> Sample``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.core.errors import InputError
from toposwap.experiments.kinds import Kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Data, with the truth behind them where it is known.

    Attributes
    ----------
    X
        (n, d), one sample a row.
    weights
        (d, d); an entry that is not zero is an edge of the true graph. None if nobody knows it.
    """

    X: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None

    def first(self, rows: int, columns: int) -> Sample:
        """The upper left part of the data, at most (rows, columns)."""
        weights = None if self.weights is None else self.weights[:columns, :columns]
        return Sample(np.ascontiguousarray(self.X[:rows, :columns]), weights)


KINDS = Kinds(
    "data",
    __name__,
    "draw",
    ("seed",),
    {
        "linear": "linear",
        "logistic": "logistic",
        "neural": "neural",
        "three-nodes": "three_nodes",
        "csv": "table_file",
    },
)


def draw(settings: Mapping[str, Any], seed: int) -> Sample:
    """Draw what ``settings["kind"]`` says, with the other settings."""
    kind = settings.get("kind")
    function = KINDS.find(kind)
    made = function(seed, **{key: value for key, value in settings.items() if key != "kind"})
    return made if isinstance(made, Sample) else _as_sample(made, kind)


def _as_sample(made: Any, kind: Any) -> Sample:
    """(X, weights), an object with these two, or X alone."""
    if hasattr(made, "X") and hasattr(made, "weights"):
        made = (made.X, made.weights)
    table, truth = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    try:
        X = np.asarray(table, dtype=np.float64)
        weights = None if truth is None else np.asarray(truth, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"data: kind = {kind!r} returned what is no table: {error}") from error
    if X.ndim != 2 or (weights is not None and weights.shape != (X.shape[1], X.shape[1])):
        shapes = X.shape if weights is None else (X.shape, weights.shape)
        raise InputError(
            f"data: kind = {kind!r} must return X (n, d), or X and the true weights (d, d); its "
            f"shapes are {shapes}"
        )
    return Sample(X, weights)
