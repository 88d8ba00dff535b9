r"""Which edges and orders come into question.

.. math:: \text{parents}_{ij} : \; i \to j \text{ may be an edge}, \qquad
          \text{before}_{ij} : \; i \text{ must stand before } j , \qquad
          \text{required}_{ij} : \; i \to j \text{ is an edge},

(d, d) of bool each. At an order the candidate parents of j are the variables before it that
``parents`` permits, and a variable may take the positions between the last of those that must
precede it and the first of those that must follow it. A required parent always precedes its effect,
no penalty that shrinks is asked for it, and no selection or pruning drops it. Nothing else in the
package answers these questions: fits, kernels, searches, starts, restarts, pruning and certificates
ask here.

``paths`` and ``no_paths`` are pairs (i, j) between which the graph must have a directed path, or
must not. They speak of the graph as a whole, which no single node can answer for:
:mod:`toposwap.search.paths` turns them into required and forbidden edges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.graph import acyclic_order, topological_order
from toposwap.core.order import Order

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Admissible:
    """The edges and orders that are permitted; by default all of them.

    Attributes
    ----------
    parents
        (d, d) of bool, ``parents[i, j]`` tells whether i -> j is permitted; None permits every one.
    before
        (d, d) of bool, transitively closed, ``before[i, j]`` tells that i must precede j; None asks
        for nothing.
    required
        (d, d) of bool, ``required[i, j]`` tells that i -> j is present; each such edge is among
        ``parents`` and in ``before``. None asks for none.
    paths, no_paths
        Pairs (i, j) with a directed path from i to j, and without any.
    """

    parents: NDArray[np.bool_] | None = field(repr=False, default=None)
    before: NDArray[np.bool_] | None = field(repr=False, default=None)
    required: NDArray[np.bool_] | None = field(repr=False, default=None)
    paths: tuple[tuple[int, int], ...] = ()
    no_paths: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if self.before is not None:
            # Along a transitive relation without cycles the number of predecessors rises.
            ahead = self.before.sum(axis=0)
            if (self.before & (ahead[:, None] >= ahead)).any():
                acyclic_order(self.before, "the precedences")
        if self.required is not None:
            assert self.before is not None
            assert not (self.required & ~self.before).any()
            assert self.parents is None or not (self.required & ~self.parents).any()

    @property
    def everything(self) -> bool:
        """Whether nothing is ruled out, so that nobody need look."""
        return self.parents is None and self.before is None and not self.asks_for_paths

    @property
    def asks_for_paths(self) -> bool:
        """Whether something is asked of the graph that no single node can answer for."""
        return bool(self.paths or self.no_paths)

    def unmet_paths(self, reached: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
        """Pairs without a path that must be or with one that must not; ``reached`` (d, d) tells."""
        missing = [(a, b) for a, b in self.paths if not reached[a, b]]
        return (*missing, *((a, b) for a, b in self.no_paths if reached[a, b]))

    def required_of(self, node: int) -> NDArray[np.bool_] | None:
        """The parents (d,) that ``node`` must have; None where it must have none."""
        if self.required is None or not self.required[:, node].any():
            return None
        return self.required[:, node]

    def with_required(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``weights`` (d, d) with every required edge present.

        A required edge may have a best weight of exactly zero. It is there all the same, with the
        smallest weight there is.
        """
        if self.required is None:
            return weights
        return np.where(self.required & (weights == 0.0), np.finfo(float).tiny, weights)

    def candidates(self, order: Order, node: int | None = None) -> NDArray[np.bool_]:
        """The permitted parents at ``order``: of all nodes, ``[i, j]`` (d, d), or of one, (d,)."""
        if node is None:
            return self.candidates_among(order, slice(None))
        positions = order.positions
        earlier = positions < positions[node]
        return earlier if self.parents is None else earlier & self.parents[:, node]

    def candidates_among(self, order: Order, some: NDArray[np.int64] | slice) -> NDArray[np.bool_]:
        """The part of the table of candidates for k variables, ``[i, j]`` (k, k)."""
        positions = order.positions[some]
        earlier = positions[:, None] < positions
        return earlier if self.parents is None else earlier & self.parents[some][:, some]

    def permits(self, cause: int, effect: int) -> bool:
        """Whether the edge ``cause`` -> ``effect`` may be present in some order."""
        return self.parents is None or bool(self.parents[cause, effect])

    def positions(self, order: Order, variable: int) -> range:
        """The positions that ``variable`` may be moved to while all others keep their sequence."""
        d = len(order)
        if self.before is None:
            return range(d)
        places = order.positions
        here = places[variable]
        # Taken out, the variable leaves a gap that those behind it close.
        rank = places - (places > here)
        lowest = int((rank[self.before[:, variable]] + 1).max(initial=0))
        highest = int(rank[self.before[variable]].min(initial=d - 1))
        return range(lowest, highest + 1)

    def open_places(self, d: int) -> float:
        """Of ``d`` variables, how many a variable may stand on either side of; with itself."""
        return float(d) if self.before is None else d - 2.0 * float(self.before.sum()) / d

    def obeys(self, order: Order) -> bool:
        """Whether ``order`` respects every precedence."""
        if self.before is None:
            return True
        places = order.positions
        return not bool((self.before & (places[:, None] > places)).any())

    def nearest(self, order: Order) -> Order:
        """``order`` itself if it obeys, else the order nearest to it that does."""
        if self.before is None or self.obeys(order):
            return order
        ahead = self.before.sum(axis=0)
        if (self.before == (ahead[:, None] < ahead)).all():
            # Tiers that name every variable: each keeps its own part of the order.
            variables = order.variables
            return Order(variables[np.argsort(ahead[variables], kind="stable")])
        found = topological_order(self.before, order.variables)
        assert found is not None
        return Order(found)

    @cached_property
    def only_orders(self) -> bool:
        """Whether an edge is permitted exactly where its ends may stand in that sequence.

        Then every predecessor is a candidate, and algebra that relies on this holds.
        """
        if self.parents is None:
            return True
        d = len(self.parents)
        possible = ~np.eye(d, dtype=bool)
        if self.before is not None:
            possible &= ~self.before.T
        return bool((self.parents | ~possible).all())

    def check(self, d: int) -> Admissible:
        """Itself, if its tables are for ``d`` variables."""
        tables = {"parents": self.parents, "before": self.before, "required": self.required}
        for name, table in tables.items():
            if table is not None and table.shape != (d, d):
                raise InputError(f"{name}: has shape {table.shape}, {d} variables need ({d}, {d})")
        return self


#: Every edge, every order.
EVERYTHING = Admissible()
