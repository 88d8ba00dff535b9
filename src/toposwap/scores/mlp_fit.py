"""Networks at an order: prices by warm starts, screened by a few iterations of them.

While a search is ``loose`` it works with fits in single precision that are converged to five
digits; whatever is asked for from outside (parameters, derivatives, the value after a refresh) is
polished first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toposwap.scores.mlp_nodes import LOOSE
from toposwap.scores.separable_fit import SeparableFit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from toposwap.order import Order
    from toposwap.scores.base import Point
    from toposwap.scores.mlp_nodes import BoundMLP
    from toposwap.scores.separable import NodeFit

_SCREENING = 10


class MLPFit(SeparableFit):
    """Node networks at the current order."""

    bound: BoundMLP  # type: ignore[assignment]

    def __init__(self, bound: BoundMLP, order: Order) -> None:
        #: Prices and moves may stay in single precision.
        self.loose = False
        super().__init__(bound, order)

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
            nodes[v] = self._polished(v, nodes[v])
        self._nodes = nodes
        self._tabulate(rough)

    def _polished(self, v: int, fit: NodeFit) -> NodeFit:
        better = self.bound.polished(v, fit.parameters)
        self._memory[v, self._key(fit)] = better
        return better

    def _key(self, fit: NodeFit) -> bytes:
        allowed = np.zeros(self._d, dtype=bool)
        allowed[fit.parameters.inputs] = True
        return np.packbits(allowed).tobytes()

    def _fit_node(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        fit = super()._fit_node(v, allowed, warm)
        if not self.loose and not fit.parameters.polished:
            fit = self._polished(v, fit)
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
        known = self._memory.get((v, np.packbits(allowed).tobytes()))
        if known is not None:
            return known
        inputs = np.flatnonzero(allowed)
        start = self.bound.carried(warm.parameters, inputs)
        return self.bound.improved(v, inputs, start, max_iter=_SCREENING)

    def restart_nodes(self, nodes: Iterable[int], number: int) -> float:
        """Fit ``nodes`` from random start ``number``, keep what is better, and say by how much."""
        gain = 0.0
        for v in nodes:
            inputs = np.flatnonzero(self.order.positions < self.order.positions[v])
            if inputs.size == 0:
                continue
            other = self.bound.cold_fits(v, inputs, 1, first=number)[0]
            if other.value < self._nodes[v].value - LOOSE * abs(other.value):
                gain += self._nodes[v].value - other.value
                replaced = list(self._nodes)
                replaced[v] = other
                self._memory[v, self._key(other)] = other
                self._nodes = replaced
                self._plans.clear()
                self._tabulate([v])
        return gain
