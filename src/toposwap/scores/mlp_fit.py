"""Networks at an order: prices by warm starts, screened by a few iterations of them.

While a search is ``loose`` it works with fits in single precision that are converged to five
digits; whatever is asked for from outside (parameters, derivatives, the value after a refresh) is
polished first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.scores.mlp_nodes import LOOSE
from toposwap.scores.screened_fit import ScreenedFit
from toposwap.scores.separable_fit import SeparableFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.order import Order
    from toposwap.scores.base import Point
    from toposwap.scores.mlp_nodes import BoundMLP
    from toposwap.scores.separable import NodeFit

_SCREENING = 10


class MLPFit(ScreenedFit, SeparableFit):
    """Node networks at the current order."""

    bound: BoundMLP  # type: ignore[assignment]

    def __init__(self, bound: BoundMLP, order: Order) -> None:
        SeparableFit.__init__(self, bound, order)
        starts = range(bound.score.n_starts)
        self._tried = {(v, key, number) for v, key in self._memory for number in starts}

    @property
    def resolution(self) -> float:
        """Fits that are not polished end when they move Q by less than a part of it."""
        size = sum(abs(node.value) for node in self._nodes)
        return (10.0 * LOOSE if self.loose else 1e-9) * max(size, float(np.finfo(float).tiny))

    def parameters(self) -> Any:
        """Polished."""
        self.refresh()
        return super().parameters()

    def point(self) -> Point:
        """Polished."""
        return self.bound.evaluate(self.parameters())

    def refresh(self) -> None:
        """Polish what is not."""
        rough = [v for v in range(self._d) if not self._nodes[v].parameters.polished]
        if not rough:
            return
        nodes = list(self._nodes)
        for v in rough:
            nodes[v] = self._polished(v, nodes[v], self._predecessors(v))
        self._nodes = nodes
        self._tabulate(rough)

    def _predecessors(self, v: int) -> NDArray[np.bool_]:
        """Not the inputs of its network: one that loses an input it does not use is kept."""
        return self.order.positions < self.order.positions[v]

    def _polished(self, v: int, fit: NodeFit, allowed: NDArray[np.bool_]) -> NodeFit:
        network = self.bound.carried(fit.parameters, np.flatnonzero(allowed))
        better = self._memory[v, _key(allowed)] = self.bound.polished(v, network)
        return better

    def _fit_node(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        fit = super()._fit_node(v, allowed, warm)
        if not self.loose and not fit.parameters.polished:
            fit = self._polished(v, fit, allowed)
        return fit

    # --- for searches that know that prices are expensive ----------------------------------------

    def screened_profile(self, variable: int, reach: int) -> NDArray[np.float64]:
        """Roughly what it costs to move ``variable`` up to ``reach`` places, (d,), else infinity.

        Each network that gains or loses an input gets a few iterations from where it is.
        """
        profile = np.full(self._d, np.inf)
        here = int(self.order.positions[variable])
        for step in (1, -1):
            allowed = self.order.positions < here
            running = self._nodes[variable]
            change = 0.0
            stop = min(here + reach, self._d - 1) if step == 1 else max(here - reach, 0)
            for k in range(here + step, stop + step, step):
                w = self.order[k]
                allowed[w] = step == 1
                if step == -1 or self._uses[w, variable]:
                    before = self.order.positions < k
                    before[variable] = step == -1
                    change += self._screened(w, before, self._nodes[w]).value
                    change -= self._nodes[w].value
                if step == 1 or running.uses is None or running.uses[w]:
                    other = self._screened(variable, allowed, running)
                    change += other.value - running.value
                    running = other
                profile[k] = change
        return profile

    def _screened(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        known = self._memory.get((v, _key(allowed)))
        if known is not None:
            return known
        inputs = np.flatnonzero(allowed)
        start = self.bound.carried(warm.parameters, inputs)
        return self.bound.improved(v, inputs, start, max_iter=_SCREENING)

    def restart_nodes(self) -> float:
        """Fit nodes from the random starts that their inputs were not yet fitted from."""
        before = self.value
        for v in range(self._d):
            allowed = self._predecessors(v)
            key = _key(allowed)
            for number in range(self.bound.score.n_starts):
                if (v, key, number) in self._tried:
                    continue
                self._tried.add((v, key, number))
                other = self.bound.cold_fits(v, np.flatnonzero(allowed), 1, number)[0]
                if other.value < self._nodes[v].value:
                    self._replace(v, key, other)
        return before - self.value

    def _replace(self, v: int, key: bytes, fit: NodeFit) -> None:
        """Another solution for the same inputs."""
        nodes = list(self._nodes)
        nodes[v] = self._memory[v, key] = fit
        self._plans.clear()
        self._nodes = nodes
        self._tabulate([v])


def _key(allowed: NDArray[np.bool_]) -> bytes:
    return np.packbits(allowed).tobytes()
