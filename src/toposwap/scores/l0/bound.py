r"""Gaussian scores with an L0 penalty: which edges there are is part of the solution.

.. math:: Q(W) = \tfrac12 \sum_j \log \lVert x_j - X w_j \rVert^2 + \lambda \lVert W \rVert_0
          \qquad\text{or}\qquad
          Q(W) = \tfrac{1}{2n} \lVert X - X W \rVert_F^2 + \lambda \lVert W \rVert_0

With :math:`\lambda = \text{factor} \log n / 2n` the first is the Bayesian information criterion:
:math:`2 n Q = \sum_j n \log \lVert x_j - X w_j \rVert^2 + \text{factor} \log n \cdot \text{edges}`.
Where variables were set from outside, the sums of node j are over its own :math:`n_j` rows: its
part of Q is :math:`\tfrac{n_j}{n}` times the loss over them. For an order each node has parents
among its predecessors such that no single addition or removal lowers Q; see
:mod:`~toposwap.kernels.l0.node` and :mod:`~toposwap.kernels.l0.insertion_deltas`.

A residual variance below :math:`10^{-8}` of the column's own counts as that: correlations tell no
less, and where other columns determine one exactly the likelihood has no bound.

Memory is :math:`O(d^2 + d k d)` with ``k`` the largest number of parents allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.core.runtime.memory import refuse_beyond_memory
from toposwap.kernels.l0 import exact, from_all, insertion_deltas, moves
from toposwap.kernels.l0.parent_sets import wanted_parent_sets
from toposwap.kernels.l0.partial_covariance import DEPENDENT
from toposwap.kernels.l0.tables import empty_nodes, rule_for
from toposwap.orderfit.chain import ChainFit
from toposwap.scores.base import BoundScore, Point, Score
from toposwap.scores.densities import Densities
from toposwap.scores.dependence import determined_remarks
from toposwap.scores.l0.chain import L0Chain
from toposwap.scores.predictors import LinearModel
from toposwap.scores.strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset
    from toposwap.orderfit.base import OrderFit


_MOST_SWAPS = 500
#: What counts of a node that was set in all rows: nothing, where that could divide.
_NEXT_TO_NOTHING = 1e-150
#: Candidates up to which a node's parents are also chosen from all of them.
_MOST_LOOKED_AT = 25
#: Visits times variables of one piece of a sweep under a time limit: some milliseconds.
_PIECE = 10_000


def checked_max_parents(most: object) -> int | None:
    """Return ``most`` if it is None or a whole number of at least 1."""
    if most is None:
        return None
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise InputError(f"max_parents: must be a whole number >= 1, got {most!r}")
    return int(most)


class BoundL0(BoundScore):
    """A Gaussian loss with an L0 penalty, on given data.

    Parameters
    ----------
    score, data
        What is bound to what.
    logarithmic
        The likelihood (True) or least squares (False).
    weight
        lambda.
    max_parents
        The most parents a node may have; by default what memory and sense allow.
    """

    def __init__(
        self,
        score: Score,
        data: Dataset,
        logarithmic: bool,
        weight: float,
        max_parents: int | None = None,
    ) -> None:
        self.score = score
        self.data = data
        self.logarithmic = logarithmic
        self.weight = weight
        self.strategy = Strategy(
            # Variances say nothing about a score that no units enter.
            start="correlation" if logarithmic else "variance",
            search="chains",
            # As a surrogate. A restart costs about d^2, and few columns are easily stuck.
            restarts=max(20, 2000 // data.d),
        )
        groups = data.own_rows
        #: Rows of the node that has fewest.
        self.fewest_rows = min(group.moments.n for group in groups)
        # More parents than rows can tell apart are never needed, and few nodes have dozens.
        most = min(data.d - 1, self.fewest_rows - 2, 50)
        self.max_parents = max(1, most if max_parents is None else min(max_parents, data.d - 1))
        refuse_beyond_memory(
            8.0 * data.d * data.d * (self.max_parents + 5 + len(groups)),
            f"{data.d} columns with up to {self.max_parents} parents each",
            "give fewer columns, or fewer parents (max_parents)",
        )
        #: Of node j over its rows, (d,), and of every column i over the rows of j, [i, j] (d, d).
        self.deviations, self.spread = np.empty(data.d), np.empty((data.d, data.d))
        #: What counts of a node, (d,); more than nothing, for the sake of quotients.
        self.shares = np.maximum(data.shares, _NEXT_TO_NOTHING)
        self.rows = np.empty(data.d)
        #: Correlations over the rows of each group, (g, d, d), and the group of each node, (d,).
        self.correlation = np.empty((len(groups), data.d, data.d))
        self.own = np.empty(data.d, dtype=np.int64)
        for k, group in enumerate(groups):
            moments, nodes = group.moments, group.nodes
            # Of few rows the factor has no more.
            unit = moments.factor[: min(moments.n, data.d)] / moments.deviations
            self.correlation[k] = unit.T @ unit
            np.fill_diagonal(self.correlation[k], 1.0)
            spread = moments.deviations * data.scale
            self.spread[:, nodes], self.deviations[nodes] = spread[:, None], spread[nodes]
            self.own[nodes], self.rows[nodes] = k, moments.n

    def fit(self, order: Order) -> L0Fit:
        """Choose every node's parents among its predecessors."""
        return L0Fit(self, order)

    def solve_exactly(self, fit: OrderFit) -> bool:
        """Dynamic programming over sets of variables; see :mod:`toposwap.kernels.l0.exact`."""
        assert isinstance(fit, L0Fit)
        fit.take_exact_solution()
        return True

    def loss_of(self, variance: NDArray[np.float64]) -> float:
        """The loss for residual variances (d,) of the columns scaled to unit variance."""
        if self.logarithmic:
            sizes = np.log(self.deviations) * 2.0 + np.log(self.rows)
            logs = np.log(np.maximum(variance, DEPENDENT)) + sizes
            return 0.5 * float(np.sum(self.shares * logs))
        return 0.5 * float(np.sum(self.shares * variance * self.deviations**2))

    def slope_of(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Twice the derivative of the loss by each residual variance, (d,)."""
        if self.logarithmic:
            return self.shares / np.maximum(variance, DEPENDENT)
        return self.shares * self.deviations**2

    def weights(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """W (d, d): the parameters themselves."""
        return parameters

    def predictor(self, parameters: NDArray[np.float64]) -> LinearModel:
        """X W with intercepts that lead through the means, (m, d)."""
        intercepts = self.data.intercepts(parameters)
        return LinearModel(parameters, intercepts, self.densities(parameters))

    def densities(self, weights: NDArray[np.float64]) -> Densities:
        """A normal distribution for each column where the loss is a likelihood."""
        if self.logarithmic:
            return Densities.normal(self.data.residual_variances(weights))
        return Densities.squares(self.data.d)

    def evaluate(self, parameters: NDArray[np.float64]) -> Point:
        """Q and its gradient on the edges there are; an absent edge would cost lambda at once."""
        weights = parameters
        scaled = self._standardised(weights)
        left = np.eye(self.data.d) - scaled
        variance, slope = np.empty(self.data.d), np.empty_like(left)
        for group in self.data.own_rows:
            unit, nodes = group.moments.factor / group.moments.deviations, group.nodes
            residual = unit @ left[:, nodes]
            variance[nodes] = np.einsum("ij,ij->j", residual, residual)
            slope[:, nodes] = np.abs(unit.T @ residual)
        column_scale = 1.0 + np.abs(scaled).sum(axis=0)
        size = self.slope_of(variance)
        present = weights != 0.0
        if self.admissible.required is not None:
            present |= self.admissible.required
        gradient = np.where(present, slope * size, 0.0)
        np.fill_diagonal(gradient, 0.0)
        per_weight = self.spread / self.deviations
        relative = np.where(gradient != 0.0, slope / column_scale, 0.0)
        penalty = self.weight * int(present.sum())
        return Point(
            weights=weights,
            value=self.loss_of(variance) + penalty,
            penalty=penalty,
            gradient=gradient * per_weight,
            row_scale=self.data.deviations * self.data.scale,
            column_scale=column_scale * size / self.deviations,
            relative=None if len(self.correlation) == 1 else relative,
            remarks=determined_remarks(self.data, self._share_left(variance), DEPENDENT),
        )

    def _share_left(self, variance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Residual variances (d,) that count as DEPENDENT where they are less, one where not."""
        return variance if self.logarithmic else np.ones_like(variance)

    def _standardised(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights between columns of unit variance."""
        return weights * self.spread / self.deviations


class L0Fit(ChainFit):
    """The tables of all nodes at the current order."""

    bound: BoundL0

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

    @property
    def order(self) -> Order:  # type: ignore[override]
        """The order that the fit stands at, made of the kernels' table."""
        return Order(self._nodes.order)

    @property
    def value(self) -> float:  # type: ignore[override]
        """Loss and penalty of all nodes."""
        edges = int(self._nodes.n_parents.sum()) + self._superfluous
        return self.bound.loss_of(self._variance) + self.bound.weight * edges

    @property
    def _variance(self) -> NDArray[np.float64]:
        """Residual variances of the columns scaled to unit variance, (d,)."""
        return self._nodes.variance

    @property
    def resolution(self) -> float:
        """A share of the penalty of one edge, which the scores of different graphs differ by."""
        return 1e-6 * self.bound.weight

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
        before, pending = self.value, self._nodes.pending.copy()
        here = self.snapshot()
        changes = np.empty(len(pairs))
        for index, (i, j) in enumerate(pairs.tolist()):
            if not self.bound.admissible.obeys(self.order.swap(i, j)):
                changes[index] = np.inf
                continue
            self.bound.deadline.check()
            self.swap(i, j)
            changes[index] = self.value - before
            self.restore(here)
        self._nodes.pending[:] = pending
        return changes

    def swap_candidates(self) -> NDArray[np.int64]:
        """The ends of every edge, unless there are so many that sweeps are the better use of time.

        Any other swap leaves both ends' parents possible, as insertions do.
        """
        if self._nodes.n_parents.sum() > _MOST_SWAPS:
            return np.empty((0, 2), dtype=np.int64)
        edges = [(int(u), z) for z in range(self.bound.data.d) for u in self._parents(z)]
        return np.array(edges, dtype=np.int64).reshape(-1, 2)

    def insertion_sweep(self, visits: Sequence[int] | NDArray[np.int64]) -> int:
        """All pending ones of ``visits`` in one compiled loop; of all, when none is pending."""
        moved, visits = 0, np.asarray(visits, dtype=np.int64)
        for piece in self.bound.deadline.pieces(visits, _PIECE // visits.size):
            moved += int(
                moves.sweep(self._nodes, self._rule, piece, self.resolution, self._profile)
            )
        return moved

    def refresh(self) -> None:
        """Forget remembered deltas, look at every variable again, and at nodes from all sides."""
        self._nodes.pending[:] = True
        self._nodes.memory[:] = np.nan
        # With a quarter of the rows as parents chance explains too much to begin there.
        most = min(_MOST_LOOKED_AT, self.bound.fewest_rows // 4)
        from_all.look_again(self._nodes, self._rule, most, self.resolution)

    def snapshot(self) -> tuple[NDArray[np.int64], ...]:
        """The order and the parents of every node; weights follow from these."""
        nodes = self._nodes
        d = nodes.value.size
        return nodes.order.copy(), nodes.parents[:d, 1:].copy(), nodes.n_parents.copy()

    def restore(self, snapshot: tuple[NDArray[np.int64], ...]) -> None:
        """Build anew the tables of the nodes whose parents changed since."""
        moves.restore(self._nodes, self._rule, *snapshot)

    def copy_from(self, other: Self) -> None:
        """Copy every table, of the orthonormalised rows those in use."""
        if "_nodes" not in vars(self):
            self._allocate(other.bound)
        self._nodes.copy_from(other._nodes)
        self._rule.unit[:] = other._rule.unit

    def chain(self, seed: int) -> L0Chain:
        """Descend and begin a compiled chain; units stay what they are at its first optimum."""
        while self.insertion_sweep(self.order.variables):
            pass
        return L0Chain(self._nodes, self._rule, self.temperature, self.resolution, seed)

    @property
    def temperature(self) -> float:
        """Half of a natural logarithm of odds: 1/n where an edge costs log(n) / n."""
        return self.bound.weight / max(1.0, np.log(self.bound.data.n))

    def adjacency(self) -> NDArray[np.bool_]:
        """The edges, (d, d)."""
        d = self.bound.data.d
        edges = np.zeros((d, d), dtype=np.bool_)
        for z in range(d):
            edges[self._parents(z), z] = True
        return edges

    def parent_sets(self) -> list[tuple[NDArray[np.uint64], NDArray[np.float64]]] | None:
        """The sets that no subset is as good as; see :mod:`toposwap.kernels.l0.parent_sets`."""
        if self._rule.demanding:
            return None
        d = self.bound.data.d
        found = []
        for z in range(d):
            self.bound.deadline.check()
            may = np.ones(d, dtype=np.bool_) if not self._rule.masked else self._rule.allowed[z]
            sets = wanted_parent_sets(self._rule, z, may, self._most_parents)
            if sets is None:
                return None
            found.append(sets)
        return found

    def take_parents(self, order: Order, parents: NDArray[np.bool_]) -> None:
        """Stand at ``order`` with these edges, whatever growing and shrinking would choose."""
        chosen = np.zeros((len(order), self._nodes.parents.shape[1] - 1), dtype=np.int64)
        for z, mine in enumerate(parents.T):
            chosen[z, : mine.sum()] = np.flatnonzero(mine)
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
        d = bound.data.d
        units = [g.moments.factor / g.moments.deviations for g in bound.data.own_rows]
        weights = np.zeros((d, d))
        for z in range(d):
            unit = units[bound.own[z]]
            parents = self._parents(z)
            required = bound.admissible.required_of(z)
            if required is not None:
                parents = np.union1d(parents, np.flatnonzero(required))
            if parents.size:
                weights[parents, z] = np.linalg.lstsq(unit[:, parents], unit[:, z], rcond=None)[0]
        return weights / bound.spread * bound.deviations

    def _parents(self, z: int) -> NDArray[np.int64]:
        return self._nodes.parents_of(z)

    @property
    def _most_parents(self) -> int:
        """What the score allows, or what is required of a node if that is more."""
        required = self._rule.required.sum(axis=1)
        return max(self.bound.max_parents, int(required.max(initial=0)))
