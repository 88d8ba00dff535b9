"""Orders under a score on contingency tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.order import Order
from toposwap.kernels.categorical import chain as chains
from toposwap.kernels.categorical import moves
from toposwap.kernels.categorical.counting import cost_of
from toposwap.kernels.categorical.parents import SAME
from toposwap.kernels.categorical.tables import (
    ORDER,
    PENDING,
    POSITION,
    Nodes,
    empty_nodes,
    new_work,
)
from toposwap.orderfit.chain import WalkingFit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from toposwap.kernels.categorical.tables import Counter
    from toposwap.scores.categorical.bound import BoundCategorical

_MOST_SWAPS = 500
#: Of the usual numbers of perturbations: in all, and without a better optimum. A random start takes
#: as long as ten of them, so that fewer starts go further.
_EFFORT, _PATIENCE = 0.17, 0.4
#: Variables that one piece of a sweep visits under a time limit.
_PIECE = 4


class CategoricalFit(WalkingFit):
    """The parents of all nodes at the current order."""

    bound: BoundCategorical

    def __init__(self, bound: BoundCategorical, order: Order) -> None:
        self._allocate(bound)
        self.reorder(order)

    def _allocate(self, bound: BoundCategorical) -> None:
        self.bound = bound
        self._nodes = empty_nodes(bound.data.d, self._most_parents)
        self._profile = np.empty(bound.data.d)

    @property
    def _most_parents(self) -> int:
        """What the score allows, or what is required of a node if that is more."""
        required = self.bound.admissible.required
        least = 0 if required is None else int(required.sum(axis=0).max(initial=0))
        return max(self.bound.max_parents, least)

    @property
    def _counter(self) -> Counter:
        return self.bound.counter()

    @property
    def quickly_proved(self) -> int:
        """Fewer columns of more rows."""
        return self.bound.quickly_proved

    @property
    def effort(self) -> float:
        """A step costs hundreds of passes over the rows, where others cost none."""
        return _EFFORT

    @property
    def patience(self) -> float:
        """See there."""
        return _PATIENCE

    @property
    def order(self) -> Order:  # type: ignore[override]
        """The order that the fit stands at, made of the kernels' table."""
        return Order(self._nodes.places[ORDER])

    @property
    def value(self) -> float:  # type: ignore[override]
        """The mean cost of a row."""
        return self.nodes_value

    @property
    def nodes_value(self) -> float:
        """The sum over the nodes."""
        d = self.bound.data.d
        return float(self._nodes.cost[:d].sum()) / self.bound.data.n

    @property
    def resolution(self) -> float:
        """What the kernels take for equal."""
        return 2.0 * SAME / self.bound.data.n

    @property
    def temperature(self) -> float:
        """One natural logarithm of odds."""
        return 1.0 / self.bound.data.n

    def delta(self, order: Order) -> float:
        """Fit ``order`` from scratch."""
        return CategoricalFit(self.bound, order).value - self.value

    def reorder(self, order: Order) -> None:
        """Fit ``order`` from scratch and stay there."""
        self._nodes.places[ORDER] = order.variables
        self._nodes.places[POSITION] = order.positions
        moves.settle_all(self._nodes, self._counter, True, True)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Deltas (d,); only nodes that gain or lose a parent are refitted."""
        moves.insertion_profile(self._nodes, self._counter, variable, True, self._profile)
        return self._profile / self.bound.data.n

    def insert(self, variable: int, position: int) -> None:
        """Move and refit as the profile did."""
        moves.insert(self._nodes, self._counter, variable, position)

    def swap(self, i: int, j: int) -> None:
        """Two insertions, i to the place of j and j to that of i, refitting on the way."""
        position = self._nodes.places[POSITION]
        p, q = int(position[i]), int(position[j])
        self.insert(i, q)
        self.insert(j, p)

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Carry out each swap and take it back."""
        kept = empty_nodes(self.bound.data.d, self._nodes.parents.shape[1] - 1)
        changes = np.full(len(pairs), np.inf)
        permitted = np.arange(len(pairs))
        if self.bound.admissible.before is not None:
            swapped = (self.order.swap(i, j) for i, j in pairs.tolist())
            obeys = [self.bound.admissible.obeys(order) for order in swapped]
            permitted = np.flatnonzero(obeys)
        for piece in self.bound.deadline.pieces(permitted, _PIECE):
            found = np.empty(len(piece))
            some = np.ascontiguousarray(pairs[piece], dtype=np.int64)
            chains.swap_changes(self._nodes, self._counter, kept, some, found)
            changes[piece] = found / self.bound.data.n
        return changes

    def swap_candidates(self) -> NDArray[np.int64]:
        """The ends of every edge, unless there are so many that sweeps are the better use of time.

        Any other swap leaves both ends' parents possible, as insertions do.
        """
        edges = np.argwhere(self.adjacency())
        return edges if len(edges) <= _MOST_SWAPS else np.empty((0, 2), dtype=np.int64)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """All pending ones of ``visits`` in one compiled loop."""
        moved, visits = 0, np.asarray(visits, dtype=np.int64)
        for piece in self.bound.deadline.pieces(visits, _PIECE):
            moved += int(moves.sweep(self._nodes, self._counter, piece, self._profile))
        return moved

    def refresh(self) -> None:
        """Forget remembered deltas, look at every variable again, and exchange parents."""
        self._nodes.places[PENDING] = 1
        self._nodes.memory[:] = np.nan
        moves.settle_all(self._nodes, self._counter, False, True)

    def snapshot(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The order and the parents of every node."""
        return self._nodes.places[ORDER].copy(), self._nodes.parents[:-2].copy()

    def restore(self, snapshot: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
        """Take the parents, and look up what they cost."""
        moves.restore(self._nodes, self._counter, *snapshot)

    def copy_from(self, other: Self) -> None:
        """Copy every table."""
        if "_nodes" not in vars(self):
            self._allocate(other.bound)
        self._nodes.copy_from(other._nodes)

    def state(self) -> tuple[NDArray[Any], ...]:
        """Every table."""
        return tuple(self._nodes)

    @classmethod
    def resumed(  # type: ignore[override]
        cls, bound: BoundCategorical, state: tuple[NDArray[Any], ...]
    ) -> Self:
        """Fill fresh tables."""
        fit = object.__new__(cls)
        fit._allocate(bound)
        fit._nodes.copy_from(Nodes(*state))
        return fit

    def rough_descent(self, swept: Callable[[int], None] | None = None) -> None:
        """Descend by insertions, without exchanges of parents."""
        while moved := self.insertion_sweep(self.order.variables):
            if swept is not None:
                swept(moved)

    def chain(self, seed: int) -> CategoricalChain:
        """Descend and begin a compiled chain."""
        self.rough_descent()
        return CategoricalChain(self._nodes, self._counter, seed)

    def adjacency(self) -> NDArray[np.bool_]:
        """The edges, (d, d)."""
        d = self.bound.data.d
        edges = np.zeros((d, d), dtype=np.bool_)
        for z in range(d):
            edges[self._nodes.parents[z, 1 : 1 + self._nodes.parents[z, 0]], z] = True
        return edges

    def take_parents(self, order: Order, parents: NDArray[np.bool_]) -> None:
        """Stand at ``order`` with the edges ``parents`` (d, d)."""
        self.take(order.variables, parents)

    def take(self, order: NDArray[np.int64], edges: NDArray[np.bool_]) -> None:
        """Stand at an order (d,) with ``edges`` (d, d)."""
        parents = np.zeros((len(order), self._nodes.parents.shape[1]), dtype=np.int64)
        for z, mine in enumerate(edges.T):
            parents[z, 0] = mine.sum()
            parents[z, 1 : 1 + parents[z, 0]] = np.flatnonzero(mine)
        self.restore((np.asarray(order), parents))

    def parameters(self) -> NDArray[np.float64]:
        """W_ij: what i tells about j beyond j's other parents, in nats a row, (d, d).

        The conditional information of the two columns in the data; zero where there is no edge, and
        the smallest number there is where an edge tells nothing.
        """
        bound = self.bound
        rule, *_ = self._counter
        plain, work = rule._replace(prior=0.0, price=0.0), new_work(rule)
        edges = self.adjacency()
        weights = np.zeros(edges.shape)
        for j in range(bound.data.d):
            parents = np.flatnonzero(edges[:, j])
            here = cost_of(plain, work, j, parents, parents.size)
            for i in parents:
                fewer = parents[parents != i]
                told = (cost_of(plain, work, j, fewer, fewer.size) - here) / bound.data.n
                weights[i, j] = max(told, np.finfo(float).tiny)
        return weights


class CategoricalChain:
    """The kernel's chain (:mod:`toposwap.kernels.categorical.chain`) on the nodes of a fit.

    Parameters
    ----------
    nodes, counter
        Of the fit; the nodes are moved.
    seed
        Determines the chain.
    """

    def __init__(self, nodes: Nodes, counter: Counter, seed: int) -> None:
        self._nodes, self._counter = nodes, counter
        self._chain = chains.new_chain(nodes.d, nodes.parents.shape[1] - 1, seed)
        chains.begin_chain(nodes, counter, self._chain)

    @property
    def steps(self) -> int:
        """Perturbations made so far."""
        return int(self._chain.counts[chains.STEPS])

    @property
    def best_at(self) -> int:
        """After how many of them the best optimum was met."""
        return int(self._chain.counts[chains.BEST_AT])

    def advance(self, steps: int) -> None:
        """Perturb and descend ``steps`` times."""
        chains.advance_chain(self._nodes, self._counter, self._chain, steps, 1.0)

    def best(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The order and the parents of the best optimum met."""
        best = self._chain.best
        return best.places[ORDER].copy(), best.parents[:-2].copy()
