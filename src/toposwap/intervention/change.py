"""By how much the cause is changed, and what the difference is divided by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Change(NamedTuple):
    """do(x = low) against do(x = high), and what the difference is multiplied with.

    Attributes
    ----------
    low, high
        The two values.
    per
        What (y_high - y_low) is multiplied with: 1 for the difference itself.
    words
        What the effect is for.
    """

    low: float
    high: float
    per: float
    words: str

    @property
    def slope(self) -> float:
        """What an effect for one unit is multiplied with."""
        return (self.high - self.low) * self.per


def change_of(
    values: Sequence[Any] | None, per: str, mean: float, deviation: float, two: tuple[float, ...]
) -> Change:
    """What the user asked for.

    Parameters
    ----------
    values
        (low, high), or None: half a standard deviation to either side of the mean, or the two
        values that the column has.
    per
        "unit" or "sd", where ``values`` is None.
    mean, deviation
        Of the cause.
    two
        Its values if there are no more than two.
    """
    if per not in ("unit", "sd"):
        raise InputError(f"per: must be 'unit' or 'sd', got {per!r}")
    if values is not None:
        try:
            low, high = (float(value) for value in values)
        except (TypeError, ValueError):
            raise InputError(f"values: must be two numbers (low, high), got {values!r}") from None
        if not (np.isfinite([low, high]).all() and low != high):
            raise InputError(f"values: must be two different finite numbers, got {values!r}")
        return Change(low, high, 1.0, f"a change from {low:g} to {high:g}")
    if len(two) == 2:
        low, high = two
        if per == "unit":
            return Change(low, high, 1.0, f"a change from {low:g} to {high:g}")
    else:
        low, high = mean - deviation / 2.0, mean + deviation / 2.0
    if per == "unit":
        return Change(low, high, 1.0 / (high - low), "one unit more")
    per_deviation = deviation / (high - low)
    return Change(low, high, per_deviation, f"one standard deviation ({deviation:.4g}) more")
