"""Rows drawn from a stream, each with the same chance: reservoir sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import NDArray

    #: The numbers of rows, and the rows.
    Part = tuple[NDArray[np.int64], pd.DataFrame]


def sampled_rows(
    frames: Iterable[pd.DataFrame], size: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, int]:
    """``size`` rows of all ``frames``, and how many there were; all where there are fewer.

    Every row has the chance size / n of being drawn, whatever n turns out to be: row t replaces one
    of the rows that are held with the chance size / t. The rows keep their order.

    Parameters
    ----------
    frames
        Pieces of one table with the same columns.
    size
        How many rows to draw, >= 2.
    rng
        The only source of randomness.
    """
    import pandas as pd

    if size < 2:
        raise InputError(f"sample: at least 2 rows are needed, got {size}")
    # As many as there are rows, which may be fewer than any number that was asked for.
    places = np.empty(0, dtype=np.int64)
    parts: list[Part] = []
    seen = 0
    for frame in frames:
        rows = np.arange(seen, seen + len(frame))
        places = np.concatenate([places, rows[rows < size]])
        later = rows[rows >= size]
        # Row t takes the place of a random one of t + 1, if that is among those held.
        drawn = (rng.random(later.size) * (later + 1)).astype(np.int64)
        for row, place in zip(later[drawn < size], drawn[drawn < size], strict=True):
            places[place] = row
        parts.append((rows, frame))
        seen += len(frame)
        if sum(len(part) for _, part in parts) > 4 * size + len(frame):
            parts = _kept(parts, places)
    held = _kept(parts, places)
    if not held:
        raise InputError("the table has 0 sample(s) (no rows), a minimum of 2 is required")
    return pd.concat([part for _, part in held], ignore_index=True), seen


def _kept(parts: list[Part], places: NDArray[np.int64]) -> list[Part]:
    """Of each part the rows whose numbers are in ``places``."""
    wanted = np.sort(places)
    left = []
    for rows, part in parts:
        mask = np.isin(rows, wanted, assume_unique=True)
        if mask.any():
            left.append((rows[mask], part[mask]))
    return left
