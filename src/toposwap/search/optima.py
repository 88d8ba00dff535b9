"""The optima that a search meets on the way: which are about as good as the best, how often met."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.order import Order

#: Graphs of about the best score that are told apart.
_MOST = 100


@dataclass(frozen=True, eq=False)
class End:
    """An optimum: a snapshot, its order, Q and edges, and the perturbations made for it.

    ``nodes_value`` is Q as tables count it; ``afresh`` says whether the way there began at an order
    of its own and not at another optimum.
    """

    snapshot: Any
    order: Order
    value: float
    nodes_value: float
    adjacency: NDArray[np.bool_]
    steps: int
    afresh: bool = True


def ending(fit: Any, steps: int) -> End:
    """Where ``fit`` stands."""
    return End(fit.snapshot(), fit.order, fit.value, fit.nodes_value, fit.adjacency(), steps)


@dataclass(eq=False)
class Optima:
    """Those whose Q is near the lowest one, and how often starts of their own led to each.

    Attributes
    ----------
    met
        How many there were.
    tried
        How many of them began at an order of their own.
    """

    met: int = 0
    tried: int = 0
    _near: list[tuple[float, NDArray[np.bool_]]] = field(default_factory=list)
    _times: list[int] = field(default_factory=list)

    def add(self, end: End, resolution: float) -> None:
        """Count one more."""
        self.met += 1
        self.tried += end.afresh
        for k, (value, adjacency) in enumerate(self._near):
            same = abs(value - end.value) <= resolution
            if same and (len(self._near) >= _MOST or np.array_equal(adjacency, end.adjacency)):
                self._times[k] += end.afresh
                return
        if len(self._near) < _MOST:
            self._near.append((end.value, end.adjacency))
            self._times.append(int(end.afresh))

    def keep_below(self, limit: float) -> None:
        """Forget the graphs whose Q is above ``limit``, which only falls."""
        kept = [k for k, (value, _) in enumerate(self._near) if value <= limit]
        if len(kept) < len(self._near):
            self._near = [self._near[k] for k in kept]
            self._times = [self._times[k] for k in kept]

    def reached(self, limit: float) -> int:
        """How many starts of their own led to a Q of at most ``limit``."""
        pairs = zip(self._near, self._times, strict=True)
        return sum(times for (value, _), times in pairs if value <= limit)

    @property
    def graphs(self) -> list[NDArray[np.bool_]]:
        """The graphs that are kept, (d, d) each."""
        return [adjacency for _, adjacency in self._near]
