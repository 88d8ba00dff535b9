"""Networks at an order: deltas by warm starts, screened by a few iterations of them.

While a search works :meth:`~MLPFit.roughly` it has fits in single precision that are converged to
five digits; whatever is asked for from outside (parameters, derivatives, the value after a refresh)
is polished first.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from toposwap.core.order import Order
from toposwap.core.runtime.deadline import NEVER, Deadline
from toposwap.orderfit.screened import ScreenedFit
from toposwap.orderfit.separable import SeparableFit
from toposwap.scores.mlp.solver import LOOSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from toposwap.orderfit.nodes import NodeFit
    from toposwap.scores.base import Point
    from toposwap.scores.mlp.bound import BoundMLP

_SCREENING = 10
#: The part of the whole time after which all nodes are to be fitted at the first order.
_FITTED = 0.3
#: The part of what it costs to lose an input after these iterations that remains in the end.
_LOSS_LEFT = 0.75
#: Values of polished nodes differ by less of them where they are the same.
_SOLVED = 1e-9
#: A way up by more than this part of what a node is worth on average is not followed further.
_HOPELESS = 0.1


class MLPFit(ScreenedFit, SeparableFit):
    """Node networks at the current order."""

    bound: BoundMLP

    def __init__(self, bound: BoundMLP, order: Order) -> None:
        self._rough = self._cut_short = False
        self._violating_memory: WeakKeyDictionary[NodeFit, NDArray[np.bool_]] = WeakKeyDictionary()
        #: Nodes and inputs with where a screening began and ended.
        self._screenings: dict[tuple[int, bytes], tuple[NodeFit, NodeFit]] = {}
        self._point: tuple[list[NodeFit], Point] | None = None
        SeparableFit.__init__(self, bound, order)
        #: Nodes with the inputs that they were fitted to from random starts.
        self._tried = set(self._memory)

    def state(self) -> Any:
        """Without what follows from the networks and is found again when it is asked for."""
        return {**super().state(), "_violating_memory": None, "_point": None}

    @classmethod
    def resumed(cls, bound: BoundMLP, state: Any) -> Self:  # type: ignore[override]
        """With a memory for what is asked for from now on."""
        return super().resumed(bound, {**state, "_violating_memory": WeakKeyDictionary()})

    @property
    def resolution(self) -> float:
        """Fits that are not polished end when they move Q by less than a part of it.

        Deltas of polished ones are zero where they are rounding error.
        """
        if not self._rough:
            return 0.0
        size = sum(abs(node.value) for node in self._nodes)
        return 10.0 * LOOSE * max(size, float(np.finfo(float).tiny))

    def _change(self, fits: dict[int, NodeFit], part: float = _SOLVED) -> float:
        """Of what is told from the nodes that change: others may be larger by any factor."""
        return super()._change(fits, part)

    @contextmanager
    def roughly(self) -> Iterator[None]:
        """Single precision, converged to five digits."""
        self._rough = True
        try:
            yield
        finally:
            self._rough = False

    def parameters(self) -> Any:
        """Of the moment in a rough search or when time was up, else solved to the end first."""
        if not (self._rough or self._cut_short):
            self.refresh()
        return super().parameters()

    def point(self) -> Point:
        """Q and its derivatives at :meth:`parameters`; remembered, as it takes a while."""
        parameters = self.parameters()
        # Lists of nodes are replaced and not changed.
        if self._point is None or self._point[0] is not self._nodes:
            self._point = self._nodes, self.bound.evaluate(parameters)
        return self._point[1]

    def refresh(self) -> None:
        """Solve every node to the end in double precision, as far as time goes."""
        self.polish(self.bound.deadline)

    def polish(self, deadline: Deadline) -> None:
        """Node by node; those that time does not suffice for stay as they are."""
        self._cut_short = False
        rough = [v for v in range(self._d) if not self._nodes[v].parameters.polished]
        nodes, done = list(self._nodes), []
        for v in rough:
            if deadline.passed:
                self._cut_short = True
                break
            # Not the inputs of its network: one that loses an input it does not use is kept.
            allowed = self.bound.candidates(self.order, v)
            with self.bound.nodes.pace.until(deadline):
                nodes[v] = self._polished(v, nodes[v], allowed)
            self._cut_short |= not nodes[v].parameters.polished
            done.append(v)
        if done:
            self._nodes = nodes
            self._tabulate(done)

    def _polished(self, v: int, fit: NodeFit, allowed: NDArray[np.bool_]) -> NodeFit:
        network = self.bound.nodes.starts.carried(fit.parameters, np.flatnonzero(allowed))
        better = self._memory[v, _key(allowed)] = self.bound.nodes.polished(v, network)
        return better

    def _fit_node(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        """No worse than ``warm`` where that has not lost an input it uses."""
        fit = super()._fit_node(v, allowed, warm)
        assert warm.support is not None
        kept = not (warm.support & ~allowed).any()
        # A remembered fit may be one that began elsewhere, and single precision may end a little
        # higher than it began.
        if kept and fit.value > warm.value - LOOSE * abs(warm.value):
            fit = (
                self.bound.nodes.warm_fit(v, np.flatnonzero(allowed), warm) if self._rough else warm
            )
        if not self._rough and not (fit is not warm and fit.parameters.polished):
            fit = self._polished(v, fit, allowed)
        self._memory[v, _key(allowed)] = fit
        return fit

    def _solve_all(
        self, wanted: Sequence[tuple[int, NDArray[np.bool_], NodeFit | None]]
    ) -> list[NodeFit]:
        """Each in its share of the time that there is for the first fit."""
        pace = self.bound.nodes.pace
        fits: list[NodeFit] = []
        together = pace.deadline.part(_FITTED)
        for v, allowed, warm in wanted:
            share = max(together.left, 0.0) / (len(wanted) - len(fits))
            with pace.until(Deadline(share)):
                fits.append(self._solve(v, allowed, warm))
        return fits

    def _violating_of(self, v: int, fit: NodeFit) -> NDArray[np.bool_]:
        """Found when it is asked for: most fits are compared and forgotten."""
        wanted = self._violating_memory.get(fit)
        if wanted is None:
            wanted = self._violating_memory[fit] = self.bound.nodes.residuals.violating(
                v, fit.parameters
            )
        return wanted

    # --- for searches that know that deltas are expensive ----------------------------------------

    def screened_profile(self, variable: int, reach: int) -> NDArray[np.float64]:
        """Roughly what it costs to move ``variable`` up to ``reach`` places, (d,), else infinity.

        Each network that gains or loses an input gets a few iterations from where it is.
        """
        profile = np.full(self._d, np.inf)
        here = int(self.order.positions[variable])
        admissible, places = self.bound.admissible, self.bound.positions(self.order, variable)
        hopeless = _HOPELESS * sum(abs(node.value) for node in self._nodes) / self._d
        for step in (1, -1):
            allowed = self.bound.candidates(self.order, variable)
            running = self._nodes[variable]
            change = 0.0
            stop = min(here + reach, places[-1]) if step == 1 else max(here - reach, places[0])
            for k in range(here + step, stop + step, step):
                w = self.order[k]
                allowed[w] = step == 1 and admissible.permits(w, variable)
                if (self._support if step == 1 else self._violating)[w, variable]:
                    before = self.bound.candidates(self.order, w)
                    before[variable] = step == -1 and admissible.permits(variable, w)
                    after = self._screened(w, before, self._nodes[w])
                    change += _foreseen(after.value - self._nodes[w].value)
                mask = self._violating_of(variable, running) if step == 1 else running.support
                if (mask is None or mask[w]) and admissible.permits(w, variable):
                    other = self._screened(variable, allowed, running)
                    change += _foreseen(other.value - running.value)
                    running = other
                profile[k] = change
                if change > hopeless:
                    break
        return profile

    def _screened(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        key = v, _key(allowed)
        known = self._memory.get(key)
        if known is not None:
            return known
        begun, fit = self._screenings.get(key, (None, warm))
        if begun is not warm:
            fit = self.bound.nodes.warm_fit(v, np.flatnonzero(allowed), warm, max_iter=_SCREENING)
            if len(self._screenings) >= self._remembered:
                self._screenings.clear()
            self._screenings[key] = warm, fit
        return fit

    def missing_gradient(self) -> NDArray[np.float64]:
        """The slope by the weight that would lower Q most, less the penalty's, in units of x_i.

        Zero for edges that the order allows, and for networks without any unit in use. Values of Q
        are measured by the largest unit that a node has, which is 1 in ordinary tables.
        """
        table, nodes = self.bound.table, self.bound.nodes
        slopes = np.empty((self._d, self._d))
        for v, node in enumerate(self._nodes):
            slopes[:, v] = nodes.residuals.missing_gradient(v, node.parameters)
        excess = np.maximum(slopes - nodes.penalties.l1, 0.0) / table.deviations[:, None]
        units = np.array([own.unit for own in table.node_losses])
        # What the reversed order would allow.
        later = self.bound.candidates(Order(self.order.variables[::-1]))
        return np.where(later, excess * (units / units.max()), 0.0)

    def restart_nodes(self, deadline: Deadline = NEVER) -> float:
        """Draw units anew in the nodes whose inputs have not had that yet."""
        before = self.value
        for v in range(self._d):
            if deadline.passed:
                break
            allowed = self.bound.candidates(self.order, v)
            key = _key(allowed)
            if (v, key) in self._tried:
                continue
            self._tried.add((v, key))
            fit, inputs = self._nodes[v], np.flatnonzero(allowed)
            # A network that lost an input it did not use was kept as it is.
            if not np.array_equal(fit.parameters.inputs, inputs):
                fit = self.bound.nodes.warm_fit(v, inputs, fit)
            other = self.bound.nodes.renewed(v, fit, self.bound.score.n_starts)
            if other.value < self._nodes[v].value:
                other = self.bound.nodes.improved(v, inputs, other.parameters)
                self._replace(v, key, other)
        return before - self.value

    def _replace(self, v: int, key: bytes, fit: NodeFit) -> None:
        """Another solution for the same inputs."""
        nodes = list(self._nodes)
        nodes[v] = self._memory[v, key] = fit
        self._plans.clear()
        self._nodes = nodes
        self._tabulate([v])


def _foreseen(change: float) -> float:
    """What a change of a node's value after a few iterations will come to."""
    return change * (_LOSS_LEFT if change > 0.0 else 1.0 / _LOSS_LEFT)


def _key(allowed: NDArray[np.bool_]) -> bytes:
    return np.packbits(allowed).tobytes()
