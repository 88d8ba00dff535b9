r"""The solution of a separable score at an order, and the deltas of moves from there.

When ``v`` passes ``w``, one of the two loses the other as a candidate parent, and the other gains
it. Losing a candidate changes a node's solution only if it is in the ``support``, gaining one only
if it is ``violating`` the KKT conditions there. So two boolean tables (d, d) tell which nodes a
move concerns, and only those are fitted. If Q is not convex, a node's solution may depend on where
its solver starts, so a move whose delta was asked for is carried out with the fits made for that.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.orderfit.base import OrderFit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from toposwap.core.order import Order
    from toposwap.orderfit.nodes import NodeFit, SeparableScore

#: Fits remembered take about this many bytes together.
_MEMORY = 64_000_000
#: Values of a node that differ by less of it may be those of one solution.
_ROUNDING = 1e-11
#: What a sum of changes must exceed of the values that change: to be an improvement, where theory
#: says that there is one, and to be more than the last digits.
_IMPROVEMENT, _EXPECTED, _DIGITS = 1e-10, 1e-13, 1e-15
#: The most pairs that a local search should swap; each costs a fit for every node between.
_MOST_SWAPS = 500


@dataclass(frozen=True, eq=False)
class Plan:
    """The nodes that a move refits; it concerns positions ``first`` to ``last`` only."""

    first: int
    last: int
    fits: dict[int, NodeFit]


class SeparableFit(OrderFit):
    """Node fits at the current order, with a memory of recent ones."""

    def __init__(self, bound: SeparableScore, order: Order) -> None:
        self.bound: SeparableScore = bound
        d = bound.data.d
        self._memory: OrderedDict[tuple[int, bytes], NodeFit] = OrderedDict()
        self._remembered = max(256, _MEMORY // (10 * d + 500))
        self._plans: dict[Any, Plan] = {}
        self._support = np.ones((d, d), dtype=bool)
        self._violating = np.ones((d, d), dtype=bool)
        self._nodes: list[NodeFit] = []
        candidates = np.ascontiguousarray(bound.candidates(order).T)
        nodes = self._solve_all([(v, candidates[v], None) for v in range(d)])
        for v, node in enumerate(nodes):
            self._memory[v, np.packbits(candidates[v]).tobytes()] = node
        self._nodes, self.order = nodes, order
        self._tabulate(range(d))

    # --- deltas ----------------------------------------------------------------------------------

    def delta(self, order: Order) -> float:
        """Refit the nodes that the differences between the two orders matter to."""
        return self._remember(order, self._plan(order))

    def fine_delta(self, order: Order) -> float:
        """The same, of which all but the last digits count."""
        plan = self._plan(order)
        change = self._change(plan.fits, _EXPECTED)
        self._plans[order] = plan
        return change

    def change_since(self, snapshot: tuple[Order, list[NodeFit]], value: float) -> float:  # noqa: ARG002
        """The sum of the changes of the nodes, those that only rounding tells apart left out."""
        fits = {v: fit for v, fit in enumerate(self._nodes) if fit is not snapshot[1][v]}
        return _sum_of_changes(fits, snapshot[1], _DIGITS)

    def insertion_profile(self, variable: int) -> NDArray[np.float64]:
        """Walk both ways from the current place; only passing what matters costs anything."""
        profile = np.full(self._d, np.inf)
        profile[self.order.positions[variable]] = 0.0
        places = self.bound.positions(self.order, variable)
        if self.bound.batches:
            self._fit_ahead(self._along_the_walk(variable, places))
        for step in (1, -1):
            self._walk(variable, step, places, profile)
        return profile

    def swap_changes(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Refit, for each pair, the nodes between its two places that it matters to."""
        changes = np.zeros(len(pairs))
        variables, positions = self.order.variables, self.order.positions
        if self.bound.batches:
            orders = [self.order.swap(int(i), int(j)) for i, j in pairs]
            self._fit_ahead((v, self.bound.candidates(o, v)) for o in orders for v in self._met(o))
        admissible = self.bound.admissible
        for row, (i, j) in enumerate(pairs):
            if admissible.before is not None and not admissible.obeys(self.order.swap(i, j)):
                changes[row] = np.inf
                continue
            p, q = sorted((int(positions[i]), int(positions[j])))
            early, late = int(variables[p]), int(variables[q])
            between = variables[p + 1 : q]
            concerned = between[
                self._support[between, early] | self._violating[between, late]
            ].tolist()
            if self._violating[early, variables[p + 1 : q + 1]].any():
                concerned.append(early)
            if self._support[late, variables[p:q]].any():
                concerned.append(late)
            if concerned:
                plan = Plan(p, q, self._refits(concerned, self.order.swap(early, late)))
                changes[row] = self._remember((early, late), plan)
        return changes

    def swap_candidates(self) -> NDArray[np.int64]:
        """Pairs where the earlier is in the later's support, or the later violates its conditions.

        Exchanging two variables that have nothing to do with each other is two insertions. Of many
        pairs, those that stand closest, which are the cheapest to evaluate.
        """
        pairs = self.all_pairs()
        early, late = pairs[:, 0], pairs[:, 1]
        pairs = pairs[self._support[late, early] | self._violating[early, late]]
        apart = np.abs(self.order.positions[pairs[:, 0]] - self.order.positions[pairs[:, 1]])
        return pairs[np.argsort(apart, kind="stable")[:_MOST_SWAPS]]

    @property
    def resolution(self) -> float:
        """Zero: a delta that is rounding error of the nodes it comes from is told as zero.

        Terms of nodes may differ by a hundred orders of magnitude, and each has its own digits.
        """
        return 0.0

    # --- moves -----------------------------------------------------------------------------------

    def reorder(self, order: Order) -> None:
        """Refit the nodes that lose a parent or gain a violating candidate, as a delta did."""
        self._carry_out(order, self._plans.get(order) or self._plan(order))

    def insert(self, variable: int, position: int) -> None:
        """With the fits of the last profile of ``variable``, if it was asked for."""
        order = self.order.insert(variable, position)
        self._carry_out(order, self._plans.get(("insert", variable, position)) or self._plan(order))

    def swap(self, i: int, j: int) -> None:
        """With the fits that evaluated the swap, if it was evaluated."""
        order = self.order.swap(i, j)
        key = (i, j) if self.order.positions[i] < self.order.positions[j] else (j, i)
        self._carry_out(order, self._plans.get(key) or self._plan(order))

    def parameters(self) -> Any:
        """The parameters of all nodes together."""
        return self.bound.assemble(self._nodes)

    def snapshot(self) -> tuple[Order, list[NodeFit]]:
        """The order and the fits of its nodes, O(d): fits are shared, not copied."""
        return self.order, list(self._nodes)

    def restore(self, snapshot: tuple[Order, list[NodeFit]]) -> None:
        """Go back without fitting anything; tables of the nodes that differ are made anew."""
        order, nodes = snapshot
        changed = [v for v in range(self._d) if nodes[v] is not self._nodes[v]]
        self._nodes, self.order = list(nodes), order
        self._plans.clear()
        self._tabulate(changed)

    def copy_from(self, other: Self) -> None:
        """Also remember what ``other`` does, and no more; fits of nodes are shared."""
        vars(self).update(vars(other))
        self._memory, self._plans = other._memory.copy(), other._plans.copy()
        self._support, self._violating = other._support.copy(), other._violating.copy()

    # --- inside ----------------------------------------------------------------------------------

    @property
    def _d(self) -> int:
        return len(self._nodes)

    def _solve(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit | None) -> NodeFit:
        return self.bound.fit_node(v, allowed, warm)

    def _solve_all(
        self, wanted: Sequence[tuple[int, NDArray[np.bool_], NodeFit | None]]
    ) -> list[NodeFit]:
        """Several nodes, in one batch where the score can do that."""
        if self.bound.batches:
            return self.bound.fit_nodes(wanted)
        return [self._solve(v, allowed, warm) for v, allowed, warm in wanted]

    def _sum(self) -> float:
        """Q at the current nodes."""
        return float(sum(self._nodes[v].value for v in self.order))

    def _change(self, fits: dict[int, NodeFit], part: float = _IMPROVEMENT) -> float:
        """What Q would change by if ``fits`` took the place of these nodes."""
        return _sum_of_changes(fits, self._nodes, part)

    def _tabulate(self, nodes: Iterable[int]) -> None:
        """Bring tables and value up to date with the fits of ``nodes``."""
        for v in nodes:
            fit = self._nodes[v]
            self._support[v] = True if fit.support is None else fit.support
            wanted = self._violating_of(v, fit)
            self._violating[v] = True if wanted is None else wanted
            if self.bound.admissible.parents is not None:
                self._violating[v] &= self.bound.admissible.parents[:, v]
        self.value = self._sum()

    def _violating_of(self, v: int, fit: NodeFit) -> NDArray[np.bool_] | None:  # noqa: ARG002 - hook
        """The variables (d,) that would change ``fit`` of node ``v`` if they were candidates."""
        return fit.violating

    def _carry_out(self, order: Order, plan: Plan) -> None:
        nodes = list(self._nodes)
        for v, fit in plan.fits.items():
            nodes[v] = fit
        # Plans for stretches that do not meet this one stay true: there the sets of predecessors
        # are what they were.
        self._plans = {
            key: other
            for key, other in self._plans.items()
            if isinstance(key, tuple) and (other.last < plan.first or other.first > plan.last)
        }
        # Assigned at once: an interruption leaves the previous solution whole.
        self._nodes, self.order = nodes, order
        self._tabulate(plan.fits)

    def _remember(self, key: Any, plan: Plan) -> float:
        """The delta of ``plan``; a search carries out only what has a negative one."""
        change = self._change(plan.fits)
        if change < 0.0:
            self._plans[key] = plan
        return change

    def _plan(self, order: Order) -> Plan:
        changed = np.flatnonzero(order.variables != self.order.variables)
        if changed.size == 0:
            return Plan(0, -1, {})
        first, last = int(changed[0]), int(changed[-1])
        variables = order.variables[first : last + 1]
        matters = self._matters(order, variables)
        return Plan(first, last, self._refits(variables[matters.any(axis=1)].tolist(), order))

    def _refits(self, nodes: Iterable[int], order: Order) -> dict[int, NodeFit]:
        allowed = {v: self.bound.candidates(order, v) for v in nodes}
        if self.bound.batches:
            self._fit_ahead(allowed.items())
        return {v: self._fit_node(v, before, self._nodes[v]) for v, before in allowed.items()}

    def _fit_node(self, v: int, allowed: NDArray[np.bool_], warm: NodeFit) -> NodeFit:
        key = (v, np.packbits(allowed).tobytes())
        known = self._memory.get(key)
        if known is None or _ended_higher(known, warm, allowed):
            self.bound.deadline.check()
            known = self._solve(v, allowed, warm)
            self._memory[key] = known
            if len(self._memory) > self._remembered:
                self._memory.popitem(last=False)
        else:
            self._memory.move_to_end(key)
        return known

    def _fit_ahead(self, wanted: Iterable[tuple[int, NDArray[np.bool_]]]) -> None:
        """Solve what is about to be asked for and not known yet, in one batch."""
        missing = {(v, np.packbits(allowed).tobytes()): (v, allowed) for v, allowed in wanted}
        asked = [
            (v, allowed, self._nodes[v])
            for key, (v, allowed) in missing.items()
            if key not in self._memory
        ]
        if asked:
            self.bound.deadline.check()
        fits = self._solve_all(asked) if asked else []
        for (v, allowed, _), fit in zip(asked, fits, strict=True):
            self._memory[v, np.packbits(allowed).tobytes()] = fit
        while len(self._memory) > self._remembered:
            self._memory.popitem(last=False)

    def _along_the_walk(self, v: int, places: range) -> Iterable[tuple[int, NDArray[np.bool_]]]:
        """Nodes and candidates of all fits that the deltas of moving ``v`` to ``places`` need."""
        here = int(self.order.positions[v])
        for k in places:
            if k != here:
                order = self.order.insert(v, k)
                w = self.order[k]
                yield v, self.bound.candidates(order, v)
                if (self._support if k > here else self._violating)[w, v]:
                    yield w, self.bound.candidates(order, w)

    def _met(self, order: Order) -> list[int]:
        """The nodes that going to ``order`` concerns."""
        return np.flatnonzero(self._matters(order, np.arange(self._d)).any(axis=1)).tolist()

    def _matters(self, order: Order, some: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where going to ``order`` gives or takes a candidate that the solution depends on.

        Rows are nodes and columns their candidates, both ``some`` (k,) of all: (k, k).
        """
        admissible, square = self.bound.admissible, np.ix_(some, some)
        old = admissible.candidates_among(self.order, some).T
        new = admissible.candidates_among(order, some).T
        return (old & ~new & self._support[square]) | (new & ~old & self._violating[square])

    def _walk(self, v: int, step: int, places: range, profile: NDArray[np.float64]) -> None:
        """Fill the side of ``profile`` that ``v`` reaches by passing one variable after another."""
        here = int(self.order.positions[v])
        end = places.stop if step == 1 else places.start - 1
        admissible = self.bound.admissible
        allowed = self.bound.candidates(self.order, v)
        running = self._nodes[v]
        fits: dict[int, NodeFit] = {}
        # Passing to the right v gains what it passes and is lost by it; to the left the reverse.
        concerned = (self._support if step == 1 else self._violating)[:, v]
        change = 0.0
        for k in range(here + step, end, step):
            w = self.order[k]
            allowed[w] = step == 1 and admissible.permits(w, v)
            mask = self._violating_of(v, running) if step == 1 else running.support
            matters = (mask is None or bool(mask[w])) and admissible.permits(w, v)
            if concerned[w]:
                before = self.bound.candidates(self.order, w)
                before[v] = step == -1 and admissible.permits(v, w)
                fits[w] = self._fit_node(w, before, self._nodes[w])
            if matters:
                fits[v] = running = self._fit_node(v, allowed.copy(), running)
            if concerned[w] or matters:
                change = self._change(fits)
            profile[k] = change
            if change < 0.0:
                self._plans["insert", v, k] = Plan(min(here, k), max(here, k), dict(fits))


def _sum_of_changes(fits: dict[int, NodeFit], nodes: list[NodeFit], part: float) -> float:
    """The sum of what ``fits`` change, zero if less than ``part`` of the values that change."""
    total = size = 0.0
    for v, fit in fits.items():
        # Python's numbers: where both are infinite the difference is none, and no warning either.
        here, there = float(nodes[v].value), float(fit.value)
        change, most = there - here, max(abs(there), abs(here))
        # Else the last digits of a large node would hide what a small one gains.
        if abs(change) > _DIGITS * most:
            total += change
            size += most
    return total if abs(total) > part * size else 0.0


def _ended_higher(known: NodeFit, warm: NodeFit, allowed: NDArray[np.bool_]) -> bool:
    """Whether ``known`` is a worse local minimum than ``warm``, whose parents are all allowed."""
    if not known.value > warm.value + _ROUNDING * abs(warm.value):
        return False
    return warm.support is not None and not bool((warm.support & ~allowed).any())
