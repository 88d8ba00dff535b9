"""What ``fit`` is told beside the table: how often each row counts, and what was set in it.

A new argument of ``Topo.fit`` needs a generator here; ``tests/fuzz`` fails without one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fuzz.draws import Draw
    from fuzz.tables import Table

    Generator = Callable[[Draw, Table], Any]


def draw_arguments(draw: Draw, table: Table) -> dict[str, Any]:
    """Arguments of ``fit`` but the table; those that keep their default are left out."""
    return {
        name: generator(draw, table)
        for name, (generator, probability) in ARGUMENTS.items()
        if draw.chance(probability)
    }


def whole_weights(given: Any, rows: int) -> NDArray[np.int64] | None:
    """How often each row counts, (rows,); None where that is no whole number."""
    if given is None:
        return np.ones(rows, dtype=np.int64)
    weights = np.asarray(given, dtype=float)
    whole = weights.astype(np.int64)
    return whole if (whole == weights).all() else None


def _weights(draw: Draw, table: Table) -> Any:
    rng, n = draw.rng, table.shape[0]
    kind = draw.weighed({"whole": 50.0, "ones": 10.0, "fractions": 30.0, "wrong": 10.0})
    if kind == "wrong":
        return draw.among(
            [np.ones(n + 1), np.zeros(n), -np.ones(n), np.full(n, np.nan), np.ones((n, 1)), "w", 2]
        )
    if kind == "ones":
        return np.ones(n)
    if kind == "fractions":
        return rng.gamma(2.0, 0.5, n) * draw.among([1.0, 1.0, 1e-3, 50.0])
    counted = rng.integers(0, 4, n)
    return draw.among([counted, counted.astype(float), counted.tolist()])


def _interventions(draw: Draw, table: Table) -> Any:
    """A few variables that were set, each in a run of rows, in every form that is taken."""
    rng, (n, d) = draw.rng, table.shape
    if draw.chance(0.06):
        return draw.among(
            [["no such column"] * n, [None] * (n + 1), 3, [[99]] * n, np.ones((n, d), dtype=bool)]
        )
    done = np.zeros((n, d), dtype=bool)
    for target in rng.choice(d, draw.whole(1, min(3, d)), replace=False):
        first, last = np.sort(rng.integers(0, n + 1, 2))
        done[first : max(last - n // 3, first), target] = True
    if draw.chance(0.3):
        return done
    called: list[Any] = draw.among([table.names, list(range(d))])
    told: list[Any] = [[called[j] for j in np.flatnonzero(row)] for row in done]
    return [one[0] if len(one) == 1 else one or None for one in told]


#: For each argument of ``Topo.fit`` beside the table how a value is drawn, and how often one is.
ARGUMENTS: dict[str, tuple[Generator, float]] = {
    "sample_weight": (_weights, 0.1),
    "interventions": (_interventions, 0.1),
}
