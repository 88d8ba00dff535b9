"""An order under a Gaussian score with an L0 penalty: the kernels' tables of all nodes, moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER
from toposwap.kernels.l0 import (
    descent,
    exact,
    from_all,
    insertion_deltas,
    moves,
    single_edges,
    swap_deltas,
)
from toposwap.kernels.l0.tables import empty_nodes, rule_for
from toposwap.orderfit.chain import TabledFit
from toposwap.scores.l0.candidate_tables import L0CandidateTables
from toposwap.scores.l0.coefficients import Coefficients
from toposwap.scores.l0.least_parents import LeastParents
from toposwap.scores.l0.parent_lists import parent_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.scores.l0.bound import BoundL0


_MOST_SWAPS = 500
#: Candidates up to which a node's parents are also chosen from all of them.
_MOST_LOOKED_AT = 25
#: Visits times variables of one piece of a sweep under a time limit: some milliseconds.
_PIECE = 10_000
#: Swaps between two looks at the clock.
_SWAPS_A_PIECE = 64


class L0Fit(TabledFit):
    """The tables of all nodes at the current order."""

    bound: BoundL0
    always_stationary = True

    def __init__(self, bound: BoundL0, order: Order) -> None:
        self._allocate(bound)
        self.reorder(order)

    def _allocate(self, bound: BoundL0) -> None:
        self.bound = bound
        d, told = bound.data.d, bound.admissible
        unit = bound.slope_of(np.ones(d))
        permitted = told.parents, told.before, told.required
        self._rule = rule_for(
            bound.correlation, bound.logarithmic, bound.weight, unit, *permitted, own=bound.own
        )
        required = 0 if told.required is None else int(told.required.sum())
        #: Required edges that the kernels leave out, since others determine what they bring.
        self._superfluous = required - int(self._rule.required.sum())
        self._nodes = empty_nodes(d, self._most_parents)
        self._profile = np.empty(d)
        self._coefficients = [
            Coefficients(group.moments.factor, group.moments.deviations, group.nodes)
            for group in bound.data.own_rows
        ]

    @property
    def order(self) -> Order:  # type: ignore[override]
        """The order that the fit stands at, made of the kernels' table."""
        return Order.of_permutation(self._nodes.order)

    @property
    def value(self) -> float:  # type: ignore[override]
        """Loss and penalty of all nodes."""
        edges = int(self._nodes.n_parents.sum()) + self._superfluous
        return self.bound.loss_of(self._variance) + self.bound.weight * edges

    @property
    def _variance(self) -> NDArray[np.float64]:
        """Residual variances of the columns scaled to unit variance, (d,)."""
        return self._nodes.variance.copy()

    @property
    def resolution(self) -> float:
        """A share of the penalty of one edge, which the scores of different graphs differ by.

        More than rounding error where edges cost nothing.
        """
        return max(1e-6 * self.bound.weight, 1e-14 * self.bound.data.d)

    def delta(self, order: Order) -> float:
        """Fit ``order`` from scratch."""
        return L0Fit(self.bound, order).value - self.value

    def reorder(self, order: Order) -> None:
        """Fit ``order`` from scratch and stay there."""
        self._nodes.order[:] = order.variables
        self._nodes.position[:] = order.positions
        moves.settle_all(self._nodes, self._rule, True)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Deltas (d,); only the nodes that the gradient tables say are concerned are refitted."""
        insertion_deltas.insertion_profile(
            self._nodes, self._rule, variable, True, True, np.inf, self._profile
        )
        return self._profile.copy()

    def insert(self, variable: int, position: int) -> None:
        """Move and refit as the profile did."""
        moves.insert(self._nodes, self._rule, variable, position)

    def swap(self, i: int, j: int) -> None:
        """Two insertions, i to the place of j and j to that of i, refitting on the way."""
        position = self._nodes.position
        p, q = int(position[i]), int(position[j])
        self.insert(i, q)
        self.insert(j, p)

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Carry out each swap and take it back."""
        if not len(pairs):
            return np.empty(0)
        pending = self._nodes.pending.copy()
        kept = empty_nodes(self.bound.data.d, self._most_parents)
        changes = np.full(len(pairs), np.inf)
        obeys = np.ones(len(pairs), dtype=np.bool_)
        if self.bound.admissible.before is not None:
            order = self.order
            obeys = np.array(
                [self.bound.admissible.obeys(order.swap(i, j)) for i, j in pairs.tolist()],
                dtype=np.bool_,
            )
        swap_deltas.keep(self._nodes, kept)
        for piece in np.array_split(np.flatnonzero(obeys), 1 + len(pairs) // _SWAPS_A_PIECE):
            self.bound.deadline.check()
            changes[piece] = swap_deltas.swap_deltas(self._nodes, self._rule, kept, pairs[piece])
        self._nodes.pending[:] = pending
        return changes

    def swap_candidates(self) -> NDArray[np.int64]:
        """The ends of every edge, unless there are so many that sweeps are the better use of time.

        Any other swap leaves both ends' parents possible, as insertions do.
        """
        if self._nodes.n_parents.sum() > _MOST_SWAPS:
            return np.empty((0, 2), dtype=np.int64)
        return np.argwhere(self.adjacency()).astype(np.int64)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """All pending ones of ``visits`` in one compiled loop; of all, when none is pending."""
        moved, visits = 0, np.asarray(visits, dtype=np.int64)
        for piece in self.bound.deadline.pieces(visits, _PIECE // visits.size):
            moved += int(
                moves.sweep(self._nodes, self._rule, piece, self.resolution, self._profile)
            )
        return moved

    def rough_descent(self, swept: Callable[[int], None] | None = None) -> None:
        """Sweeps in which parents are added and dropped but not exchanged, then all nodes settled.

        Far from an optimum nodes have many parents, and the prices of exchanges are most of the
        work.
        """
        whole = self._rule
        self._rule = whole._replace(exchanging=False)
        try:
            while moved := self.insertion_sweep(self.order.variables):
                if swept is not None:
                    swept(moved)
        finally:
            self._rule = whole
            moves.settle_all(self._nodes, self._rule, False)

    def improve_single_edges(self) -> int:
        """Whatever the order; see :mod:`toposwap.kernels.l0.single_edges`."""
        d = self.bound.data.d
        ancestors = np.empty((d, d), dtype=np.bool_)
        return int(
            single_edges.improve_single_edges(self._nodes, self._rule, ancestors, self.resolution)
        )

    def refresh(self) -> None:
        """Forget remembered deltas, look at every variable again, and at nodes from all sides."""
        self._nodes.pending[:] = True
        self._nodes.forget()
        # With a quarter of the rows as parents chance explains too much to begin there.
        most = min(_MOST_LOOKED_AT, self.bound.fewest_rows // 4)
        from_all.look_again(self._nodes, self._rule, most, self.resolution)

    def snapshot(self) -> tuple[NDArray[np.int64], ...]:
        """The order and the parents of every node; weights follow from these."""
        nodes = self._nodes
        return nodes.order.copy(), nodes.chosen[:, 1:].copy(), nodes.n_parents.copy()

    def restore(self, snapshot: tuple[NDArray[np.int64], ...]) -> None:
        """Build anew the tables of the nodes whose parents changed since."""
        moves.restore(self._nodes, self._rule, *snapshot)

    def copy_from(self, other: Self) -> None:
        """Take over all nodes."""
        if "_nodes" not in vars(self):
            self._allocate(other.bound)
        self._nodes.copy_from(other._nodes)
        self._rule.unit[:] = other._rule.unit

    def state(self) -> dict[str, Any]:
        """All nodes, and the units."""
        return {**self._nodes.state(), "unit": self._rule.unit}

    @classmethod
    def resumed(cls, bound: BoundL0, state: dict[str, Any]) -> Self:  # type: ignore[override]
        """Fill fresh memory."""
        fit = object.__new__(cls)
        fit._allocate(bound)
        fit._nodes.resume(state)
        fit._rule.unit[:] = state["unit"]
        return fit

    def descend(self) -> None:
        """From every variable on; afterwards the tables are free of what the way left behind."""
        self._nodes.pending[:] = True
        self._nodes.forget()
        while self.insertion_sweep(self.order.variables):
            pass
        d = self.bound.data.d
        ancestors = np.empty((d, d), dtype=np.bool_)
        descent.descend(self._nodes, self._rule, self.resolution, self._profile, ancestors)
        self.rebuild(self.snapshot())

    def rebuild(self, snapshot: tuple[NDArray[np.int64], ...]) -> None:
        """No node has the parents that it is to get, so that every table is built anew."""
        self._nodes.n_parents[:] = -1
        self.restore(snapshot)

    def tables(self, candidates: NDArray[np.bool_]) -> L0CandidateTables:
        """In the present units; see :mod:`toposwap.kernels.l0.subset_tables`."""
        return L0CandidateTables(
            self._rule, candidates, self._most_parents, self.temperature, self.resolution
        )

    @property
    def temperature(self) -> float:
        """Half of a natural logarithm of odds: 1/n where an edge costs log(n) / n."""
        return max(self.bound.weight / max(1.0, np.log(self.bound.data.n)), self.resolution)

    def adjacency(self) -> NDArray[np.bool_]:
        """The edges, (d, d)."""
        d, counts = self.bound.data.d, self._nodes.n_parents
        edges = np.zeros((d, d), dtype=np.bool_)
        parents = self._nodes.chosen[:, 1:]
        present = np.arange(parents.shape[1]) < counts[:, None]
        edges[parents[present], np.repeat(np.arange(d), counts)] = True
        return edges

    def parent_sets(
        self, limits: NDArray[np.float64] | None = None, deadline: Deadline = NEVER
    ) -> list[tuple[NDArray[np.uint64], NDArray[np.float64]]] | None:
        """The sets that no subset is as good as; see :mod:`toposwap.scores.l0.parent_lists`."""
        if self._rule.demanding:
            return None
        limits = np.full(self.bound.data.d, np.inf) if limits is None else limits
        return parent_lists(self._rule, self._most_parents, limits, deadline)

    def least_parents(self) -> LeastParents | None:
        """By a search for the best subset; see :mod:`toposwap.kernels.l0.best_subset`."""
        return LeastParents(self._rule, self._most_parents)

    def take_parents(self, order: Order, parents: NDArray[np.bool_]) -> None:
        """Stand at ``order`` with these edges, whatever growing and shrinking would choose."""
        chosen = np.zeros((len(order), self._nodes.chosen.shape[1] - 1), dtype=np.int64)
        for z, mine in enumerate(parents.T):
            found = np.flatnonzero(mine)
            if self._rule.demanding:
                # Those that are required come first.
                found = found[np.argsort(~self._rule.required[z, found], kind="stable")]
            chosen[z, : found.size] = found
        self.restore((order.variables.copy(), chosen, parents.sum(axis=0)))

    @property
    def nodes_value(self) -> float:
        """Of columns scaled to unit variance."""
        return float(self._nodes.value.sum())

    def take_exact_solution(self) -> None:
        """Find the best order and parents of all."""
        self.restore(exact.exact_subsets(self._rule, self._most_parents))

    def parameters(self) -> NDArray[np.float64]:
        """W: each node regressed on its parents, from the triangular factor of the data."""
        bound = self.bound
        parents = self.adjacency()
        if bound.admissible.required is not None:
            parents |= bound.admissible.required
        weights = np.zeros(parents.shape)
        for group in self._coefficients:
            group.add_to(weights, parents)
        weights /= bound.spread
        weights *= bound.deviations
        return weights

    @property
    def _most_parents(self) -> int:
        """What the score allows, or what is required of a node if that is more."""
        required = self._rule.required.sum(axis=1)
        return max(self.bound.max_parents, int(required.max(initial=0)))
