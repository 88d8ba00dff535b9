"""Two graphs compared in words: what differs, and what each difference costs in score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from toposwap.certainty.evidence import value_of_graph
from toposwap.core.graph import topological_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.scores import BoundScore


@dataclass(frozen=True)
class Difference:
    """One pair of columns between which two graphs differ.

    Attributes
    ----------
    cause, effect
        The ends of the edge; as the second graph has it, if it has it.
    kind
        "extra" (only in the second), "missing" (only in the first) or "turned".
    cost
        The change of the second graph's score, all its weights fitted again, if it took over this
        one thing from the first: positive where the data speak for the second. None where no score
        was given, or a cycle would come of it.
    """

    cause: str
    effect: str
    kind: str
    cost: float | None

    def in_words(self) -> str:
        """As a line of a report."""
        arrow = f"{self.cause} -> {self.effect}"
        if self.kind == "turned":
            return f"{arrow} is {self.effect} -> {self.cause} in the first"
        return f"{arrow} is {'extra' if self.kind == 'extra' else 'missing'}"


def differences(
    first: NDArray[np.bool_],
    second: NDArray[np.bool_],
    names: Sequence[str],
    bound: BoundScore | None = None,
) -> list[Difference]:
    """Where two DAGs (d, d) over ``names`` differ, with what each difference costs under ``bound``.

    Turned edges come first, then extra and missing ones, each by name.
    """
    here = None if bound is None else value_of_graph(bound, second)
    found = []
    for i, j in np.argwhere(np.triu(first | second | first.T | second.T, 1)).tolist():
        before, after = (first[i, j], first[j, i]), (second[i, j], second[j, i])
        if before == after:
            continue
        kind = "turned" if any(before) and any(after) else "extra" if any(after) else "missing"
        a, b = (i, j) if (after if any(after) else before)[0] else (j, i)
        cost = None
        if bound is not None and here is not None:
            other = second.copy()
            other[i, j], other[j, i] = before
            if topological_order(other) is not None:
                cost = value_of_graph(bound, other) - here
        found.append(Difference(names[a], names[b], kind, cost))
    rank = {"turned": 0, "extra": 1, "missing": 2}
    return sorted(found, key=lambda one: (rank[one.kind], one.cause, one.effect))
