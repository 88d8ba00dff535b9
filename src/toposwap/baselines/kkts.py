r"""KKTS, also called NOFEARS: local search over the pairs that carry no edge.

For a set Z of pairs, :math:`W^*(Z)` is the solution of

.. math:: \min_W \frac1{2n} \lVert X - XW \rVert_F^2 + \lambda_1 \lVert W \rVert_1
          \quad\text{subject to}\quad W_{ij} = 0 \text{ for } (i, j) \in Z .

Z is *irreducible* if :math:`[\nabla h(|W^*(Z)|)]_{ij} > 0`, that is, if there is a directed walk
from j to i, for every (i, j) in Z; then :math:`W^*(Z)` is a local minimum. Wei, Gao, Yu (2020),
DAGs with No Fears:

1. while :math:`W^*(Z)` has cycles, one edge on a cycle is added to Z: the one that vanishes first
   when the weights :math:`[\nabla h]_{ij}` are put on :math:`|W_{ij}|`;
2. while Z is reducible, the pair that reduces it with the steepest :math:`|\partial Q|` leaves it;
3. an edge that is the only walk between its ends is turned around if that lowers Q, and back to 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from toposwap.acyclicity import Polynomial
from toposwap.baselines.base import Baseline, Found
from toposwap.core.errors import InputError
from toposwap.core.graph import topological_order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.kernels.graphs.reachability import reachability
from toposwap.losses import LeastSquaresLoss
from toposwap.penalties import L1
from toposwap.scores.penalized.gaussian_nodes import GaussianNodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.core.dataset import Dataset

#: Coefficients and slopes below this, in units of the columns' deviations, are rounding error.
_ROUNDING = 1e-10


class KKTS(Baseline):
    """KKT-informed local search, from the empty graph or from another learner's weights.

    Parameters
    ----------
    init : None, str, weight matrix or learner, default="notears"
        Where to begin: None is the empty graph; everything else as in ``Topo``.
    lambda1 : float, default=0
        Weight of the l1 norm.
    reverse : bool, default=True
        Try to turn edges around.
    start_threshold : float, default=0.3
        Drop weights of the start that are smaller.
    score, prune, center, random_state
        As in :class:`~toposwap.baselines.Notears`.

    Attributes
    ----------
    irreducible_ : bool
        Whether Z is irreducible at the end.
    absent_ : (d, d) array of bool
        Z.
    """

    name: ClassVar[str] = "kkts"

    def __init__(
        self,
        init: Any = "notears",
        lambda1: float = 0.0,
        *,
        reverse: bool = True,
        start_threshold: float = 0.3,
        score: Any = "auto",
        prune: float | str | None = "auto",
        center: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.init = init
        self.lambda1 = lambda1
        self.reverse = reverse
        self.start_threshold = start_threshold
        self.score = score
        self.prune = prune
        self.center = center
        self.random_state = random_state

    def find(self, data: Dataset, rng: np.random.Generator) -> Found:
        """Steps 1 to 3 from the edges of ``init``, or from the graph without edges."""
        if not self.lambda1 >= 0.0:
            raise InputError(f"lambda1: must be a number >= 0, got {self.lambda1!r}")
        absent = np.ones((data.d, data.d), dtype=bool)
        if self.init is not None:
            absent = np.abs(self._weights(data, rng)) < max(self.start_threshold, 1e-300)
        state = AbsentEdges(data, absent, float(self.lambda1), self.deadline)
        state.break_cycles()
        state.reduce()
        while self.reverse and not self.deadline.passed and state.turn_one():
            state.reduce()
        irreducible = state.irreducible()
        return Found(
            state.weights,
            iterations=state.solved,
            choices=(f"Z is {'' if irreducible else 'not '}irreducible",),
            attributes={"irreducible_": irreducible, "absent_": state.absent},
        )

    def _weights(self, data: Dataset, rng: np.random.Generator) -> NDArray[np.float64]:
        from toposwap.baselines.start import resolve_start
        from toposwap.core.weights import as_weights

        found = resolve_start(self.init, data, rng, self.deadline)
        if isinstance(found, str) or np.ndim(found) != 2:
            raise InputError(
                "init: KKTS begins at None (the empty graph), a weight matrix or a learner, got "
                f"{self.init!r}"
            )
        return as_weights(found, data.names, "init")


class AbsentEdges:
    """Z and W*(Z), and the moves between them.

    Attributes
    ----------
    absent, weights
        Z and W*(Z), (d, d).
    slope
        |dQ/dW_ij| beyond the l1 weight, (d, d); zero where it is rounding error.
    values
        Q by column, (d,).
    """

    def __init__(
        self,
        data: Dataset,
        absent: NDArray[np.bool_],
        lambda1: float = 0.0,
        deadline: Deadline = NEVER,
    ) -> None:
        self.data = data
        self.deadline = deadline
        self.absent = absent.copy()
        np.fill_diagonal(self.absent, val=True)
        self.lambda1 = lambda1
        self.weights = np.zeros((data.d, data.d))
        self.slope = np.zeros((data.d, data.d))
        self.values = np.zeros(data.d)
        self.solved = 0
        self._nodes = GaussianNodes(data, 1e-12)
        self._loss, self._penalty = LeastSquaresLoss(), L1(lambda1)
        for j in range(data.d):
            self.solve(j)

    def solve(self, j: int) -> None:
        """Fit column ``j`` to what Z allows."""
        data = self.data
        found = self._nodes.solve(
            j,
            ~self.absent[:, j],
            self.weights[:, j],
            self._loss,
            self._penalty,
        )
        relative = np.abs(found.scaled) * data.deviations / data.deviations[j]
        self.weights[:, j] = np.where(relative > _ROUNDING, found.weights, 0.0)
        excess = np.abs(found.gradient) - found.kinks
        slope = np.where(excess > _ROUNDING * found.size, excess, 0.0)
        self.slope[:, j] = slope * data.scale * data.scale[j]
        self.values[j] = found.loss + self.lambda1 * float(np.abs(found.weights).sum())
        self.solved += 1

    def reducible(self) -> NDArray[np.bool_]:
        """The pairs (i, j) of Z without a directed walk from j to i, (d, d)."""
        return self.absent & ~reachability(self.weights != 0.0).T

    def irreducible(self) -> bool:
        """Whether W*(Z) has no cycle and Z no pair that it could do without."""
        acyclic = topological_order(self.weights != 0.0) is not None
        return acyclic and not self.reducible().any()

    def break_cycles(self) -> None:
        """Step 1: add edges on cycles to Z, one at a time, until W*(Z) is a DAG."""
        while topological_order(self.weights != 0.0) is None and not self.deadline.passed:
            i, j = self._first_to_vanish()
            self.absent[i, j] = True
            self.solve(j)

    def _first_to_vanish(self) -> tuple[int, int]:
        """The edge on a cycle that a small multiple of grad h as l1 weights would remove first.

        W falls at the rate (C_SS)^-1 (grad h sign W)_S in each column, S being its edges.
        """
        present = self.weights != 0.0
        on_cycle = present & reachability(present).T
        charge = np.where(present, Polynomial().gradient(self.weights), 0.0)
        charge /= charge.max()
        rate = np.zeros_like(self.weights)
        for j in np.flatnonzero(on_cycle.any(axis=0)):
            S = np.flatnonzero(present[:, j])
            R = self.data.factor[:, S] * self.data.scale[S]
            target = charge[S, j] * np.sign(self.weights[S, j])
            rate[S, j] = np.linalg.lstsq(R.T @ R, target, rcond=None)[0]
        falling = on_cycle & (rate * self.weights > 0.0)
        when = np.full(rate.shape, np.inf)
        np.divide(self.weights, rate, out=when, where=falling)
        if not falling.any():
            when = np.where(on_cycle, np.abs(self.weights), np.inf)
        i, j = np.unravel_index(when.argmin(), when.shape)
        return int(i), int(j)

    def reduce(self) -> None:
        """Step 2: afterwards Z is irreducible."""
        candidates = self.reducible()
        while candidates.any() and not self.deadline.passed:
            steepness = np.where(candidates, self.slope, -1.0)
            # Of pairs that are equally steep the last; at the empty graph (i, j) and (j, i) are.
            steepest = np.flatnonzero(steepness >= steepness.max() * (1.0 - _ROUNDING))[-1]
            i, j = divmod(int(steepest), self.data.d)
            self.absent[i, j] = False
            before = self.weights[:, j].copy()
            # Without a slope the solution stays as it is.
            if self.slope[i, j] > 0.0:
                self.solve(j)
                # What was allowed and not used may close a cycle by now.
                self.absent |= (self.weights == 0.0) & reachability(self.weights != 0.0).T
            if (self.weights[:, j] != before).any():
                candidates = self.reducible()
            else:
                candidates[i, j] = False

    def turn_one(self) -> bool:
        """Step 3: turn the steepest edge around for which that lowers Q; False if there is none."""
        edges = self.weights != 0.0
        # Another walk from i to j goes through another child of i.
        further = edges.astype(np.int64) @ reachability(edges).astype(np.int64)
        only = edges & (further == 1) & (self.slope.T > 0.0)
        pairs = np.argwhere(only)
        for i, j in pairs[np.argsort(-self.slope.T[only], kind="stable")]:
            absent, weights, slope, values = (
                self.absent.copy(),
                self.weights.copy(),
                self.slope.copy(),
                self.values.copy(),
            )
            self.absent[i, j], self.absent[j, i] = True, False
            self.solve(int(i))
            self.solve(int(j))
            lower = self.values.sum() < values.sum() * (1.0 - _ROUNDING)
            if lower and topological_order(self.weights != 0.0) is not None:
                return True
            self.absent, self.weights, self.slope, self.values = absent, weights, slope, values
        return False
