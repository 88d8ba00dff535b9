"""An effect with its interval, and what can be said about it in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toposwap.core.printable import printable

if TYPE_CHECKING:
    from toposwap.intervention.adjustment import Adjustment


class PossibleEffect(NamedTuple):
    """The effect in the members of the class in which the cause has the same parents.

    Attributes
    ----------
    value, standard_error, interval
        As in :class:`Effect`.
    parents
        The parents of the cause.
    members
        How many of the DAGs around the cause have these parents; None if they are too many to
        count.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    parents: tuple[str, ...]
    members: int | None


@dataclass(frozen=True, eq=False)
class Effect:
    """The total effect of one column on another, given the graph.

    Attributes
    ----------
    cause, effect
        The columns.
    value
        In the graph that was learned, for the change in ``change``.
    standard_error
        Of the value, given that graph.
    interval
        95 percent, given the graph; where directions are open, from the lowest to the highest end
        of the intervals of all graphs that fit as well.
    change
        Of the cause, in words: "one unit", "one standard deviation", "from 0 to 1".
    method
        How it was computed, in words.
    possible
        One entry for each set of parents that the cause has in a graph that fits as well; a single
        one where its direction is settled.
    adjustment
        Which regressions tell the same effect.
    level
        Of the intervals.
    remarks
        What had to be assumed.
    """

    cause: str
    effect: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    change: str
    method: str
    possible: tuple[PossibleEffect, ...] = ()
    adjustment: Adjustment | None = field(default=None, repr=False)
    level: float = 0.95
    remarks: tuple[str, ...] = ()

    @property
    def identified(self) -> bool:
        """Whether all graphs that fit as well give the same effect."""
        return len({round(entry.value, 12) for entry in self.possible}) <= 1

    @property
    def values(self) -> list[float]:
        """The multiset of possible values, ascending: one for each set of parents."""
        return sorted(entry.value for entry in self.possible) or [self.value]

    def record(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "cause": self.cause,
            "effect": self.effect,
            "value": self.value,
            "standard_error": self.standard_error,
            "interval": list(self.interval),
            "level": self.level,
            "change": self.change,
            "method": self.method,
            "identified": self.identified,
            "possible": [
                {**entry._asdict(), "interval": list(entry.interval)} for entry in self.possible
            ],
            "adjustment": None if self.adjustment is None else adjustment_record(self.adjustment),
            "remarks": list(self.remarks),
        }

    def lines(self) -> list[tuple[str, str]]:
        """What a reader is told, key and text."""
        told = [(f"effect of {self.cause} on {self.effect}", self._value_in_words())]
        if not self._none:
            told += [("for", self.change), ("method", self.method)]
        if not self.identified:
            told.append(("open directions", self._possible_in_words()))
        if self.adjustment is not None and not self._none:
            told.append(("by regression", self.adjustment.in_words()))
        return told + [("note", remark) for remark in self.remarks]

    @property
    def _none(self) -> bool:
        """Whether no graph that fits as well has a directed path."""
        return self.interval == (0.0, 0.0)

    def _value_in_words(self) -> str:
        if self._none:
            return "0: no directed path leads there"
        low, high = self.interval
        return f"{self.value:.4g}, {100.0 * self.level:g}% interval {low:.4g} to {high:.4g}"

    def _possible_in_words(self) -> str:
        shown = []
        for entry in sorted(self.possible, key=lambda entry: entry.value)[:8]:
            parents = ", ".join(entry.parents) if entry.parents else "nothing"
            shown.append(f"{entry.value:.4g} (if caused by {parents})")
        more = len(self.possible) - len(shown)
        text = "; ".join(shown) + (f"; and {more} more" if more else "")
        return f"graphs that fit as well give {text}; the interval covers them all"

    def __repr__(self) -> str:
        first, *rest = self.lines()
        text = f"Effect of {self.cause} on {self.effect}: {first[1]}"
        told = [text, *(f"  {key}: {told}" for key, told in rest)]
        return "\n".join(map(printable, told))


def adjustment_record(adjustment: Adjustment) -> dict[str, Any]:
    """Adjustment sets as plain data."""
    return {
        "optimal": list(adjustment.optimal),
        "minimal": list(adjustment.minimal),
        "parents": list(adjustment.parents),
        "in_words": adjustment.in_words(),
        "in_all_members": adjustment.identified,
    }


def hull(intervals: list[tuple[float, float]]) -> tuple[float, float]:
    """From the lowest to the highest end."""
    ends = np.array(intervals)
    return float(ends[:, 0].min()), float(ends[:, 1].max())
