"""Insertions for scores with expensive deltas: rough ones for all, exact ones for the best two."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from toposwap.certificate import violations
from toposwap.orderfit.screened import ScreenedFit
from toposwap.search.base import Move, Search
from toposwap.search.moves.repair import repair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposwap.core.order import Order
    from toposwap.scores import BoundScore

#: A rough delta is too high by up to about this part of the values of the nodes it concerns.
_SLACK = 1e-2
_EXACT_DELTAS = 2
#: Restarts cannot go round in circles, so this part of the fall that makes a move is enough.
_ENOUGH = 0.1


class ScreenedSearch(Search):
    """Sweeps of screened insertions, perturbed restarts, fresh starts of the nodes, KKT repair.

    A score with surrogates is approached through them first, if that pays.

    Parameters
    ----------
    n_restarts
        How often to perturb the best order and descend again.
    time_budget
        Seconds after which nothing but the end (polishing and repair) is begun.
    reach
        How many places a variable is moved by near moves, 5 by default; far ones have no limit.
    """

    name: ClassVar[str] = "screened"

    def __init__(
        self,
        n_restarts: int | None = None,
        time_budget: float | None = None,
        reach: int | None = None,
    ) -> None:
        self.n_restarts = n_restarts
        self.time_budget = time_budget
        self.reach = reach

    def moves(  # type: ignore[override]
        self, fit: ScreenedFit, names: Sequence[str], rng: np.random.Generator
    ) -> Iterator[Move]:
        """Loosely down, then exactly."""
        deadline = np.inf
        if self.time_budget is not None:
            deadline = time.perf_counter() + self.time_budget
        fit.loose = True
        try:
            yield from self.loosely(fit, names, rng, deadline)
        finally:
            fit.loose = False
        self.out_of_time = time.perf_counter() > deadline
        before = fit.value
        fit.refresh()
        if fit.value < before:
            yield Move("polish", 0, "solved the networks to the end")
        while True:
            failing = violations(fit.point(), fit.bound.tolerance)
            move = repair(fit, failing, names, greedy=True)
            if move is None:
                return
            yield move

    def loosely(
        self,
        fit: ScreenedFit,
        names: Sequence[str],
        rng: np.random.Generator,
        deadline: float = np.inf,
        *,
        by_pruning: bool = False,
    ) -> Iterator[Move]:
        """Sweeps, then restarts, on a ``fit`` that is loose; ``by_pruning`` after the first sweep.

        Pruning takes as long as several sweeps, and less the coarser the score is.
        """
        d = len(names)
        reach = min(d - 1, 5) if self.reach is None else self.reach
        if not fit.approached:
            yield from self._approach(fit, rng, deadline)
        if by_pruning:
            yield from self._descend(fit, fit.order.variables, reach, names, deadline)
            yield from self._follow_pruning(fit, deadline)
        yield from self._sweeps(fit, names, reach, deadline)
        if time.perf_counter() < deadline and fit.restart_nodes() > 0.0:
            yield Move("nodes", d, "fitted nodes from other starts")
        restarts = fit.bound.suggested_restarts if self.n_restarts is None else self.n_restarts
        for restart in range(restarts):
            if time.perf_counter() > deadline:
                return
            best, lowest = fit.snapshot(), fit.value
            perturbed = follow_missing_edge if restart % 2 else perturb_locally
            touched = perturbed(fit, rng, reach)
            for _ in self._descend(fit, touched, reach, names, deadline):
                pass
            # A better order that does not yet look it: its nodes have had one start each.
            if fit.order != best[0] and fit.value < lowest + slack(fit, len(touched)):
                fit.restart_nodes()
            if fit.value < lowest - _ENOUGH * fit.resolution:
                yield Move("restart", restart + 1, f"restart {restart + 1} of {restarts}")
            else:
                fit.restore(best)

    def _approach(
        self, fit: ScreenedFit, rng: np.random.Generator, deadline: float
    ) -> Iterator[Move]:
        """Go where coarser scores lead from here, if it pays."""
        order = fit.order
        for step in through_coarser(fit.bound, order, rng, deadline):
            order = step.order
        if order != fit.order and fit.delta(order) < -fit.resolution:
            fit.reorder(order)
            yield Move("coarse", len(order), "went where a coarser score led")

    def _follow_pruning(self, fit: ScreenedFit, deadline: float) -> Iterator[Move]:
        """Go to an order of the pruned graph, if it pays."""
        if time.perf_counter() > deadline:
            return
        order = fit.pruned_order()
        if order != fit.order and fit.delta(order) < -fit.resolution:
            fit.reorder(order)
            yield Move("prune", len(order), "went to the order of the pruned graph")

    def _sweeps(
        self, fit: ScreenedFit, names: Sequence[str], reach: int, deadline: float
    ) -> Iterator[Move]:
        """Near moves until none helps, then far ones."""
        for places in (reach, len(names) - 1):
            yield from self._descend(fit, fit.order.variables, places, names, deadline)

    def _descend(
        self,
        fit: ScreenedFit,
        visits: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]],
        reach: int,
        names: Sequence[str],
        deadline: float,
    ) -> Iterator[Move]:
        """Visit ``visits``, and again whatever stands where something moved, until nothing does."""
        waiting = [int(v) for v in visits]
        while waiting:
            v = waiting.pop(0)
            if time.perf_counter() > deadline:
                return
            here = int(fit.order.positions[v])
            position = self._improve(fit, v, reach)
            if position is None:
                continue
            yield Move("insertion", 2 * reach, f"moved {names[v]!r} by {position - here}")
            # Everyone whose predecessors have changed may have a better place now.
            for w in fit.order.variables[min(here, position) : max(here, position) + 1].tolist():
                if w != v and w not in waiting:
                    waiting.append(w)

    def _improve(self, fit: ScreenedFit, v: int, reach: int) -> int | None:
        """Move ``v`` to the better of the places that look best, if that lowers Q."""
        profile = fit.screened_profile(v, reach)
        lowest, chosen = -fit.resolution, None
        for k in np.argsort(profile, kind="stable")[:_EXACT_DELTAS].tolist():
            if profile[k] > slack(fit, reach):
                break
            # What a few iterations make no difference to, more do not either.
            if abs(profile[k]) < fit.resolution:
                continue
            order: Order = fit.order.insert(v, k)
            change = fit.delta(order)
            if change < lowest:
                lowest, chosen = change, (order, k)
        if chosen is None:
            return None
        fit.reorder(chosen[0])
        return int(chosen[1])


class CoarseStep(NamedTuple):
    """An order that a search with a coarser score has met, its value there and the move to it."""

    order: Order
    value: float
    move: Move


def through_coarser(
    bound: BoundScore, order: Order, rng: np.random.Generator, deadline: float
) -> Iterator[CoarseStep]:
    """The ways of searches with the coarser scores of ``bound``, one after the other."""
    for coarse in bound.coarser():
        if time.perf_counter() > deadline:
            break
        fit = coarse.fit(order)
        assert isinstance(fit, ScreenedFit)
        fit.loose = fit.approached = True
        for move in ScreenedSearch().loosely(fit, bound.data.names, rng, deadline, by_pruning=True):
            yield CoarseStep(fit.order, fit.value, move)
        order = fit.order


def slack(fit: ScreenedFit, concerned: int) -> float:
    """What rough deltas of moves that concern so many nodes may be off by."""
    d = len(fit.order)
    return _SLACK * abs(fit.value) * min(concerned, d / 3) / d


def perturb_locally(fit: ScreenedFit, rng: np.random.Generator, reach: int) -> list[int]:
    """Move two neighbouring variables a few places; the variables of the stretch it concerns."""
    d = len(fit.order)
    order = fit.order
    centre = int(rng.integers(d))
    low, high = max(0, centre - reach), min(d, centre + reach + 1)
    for _ in range(2):
        here, there = rng.integers(low, high, 2)
        order = order.insert(order[int(here)], int(there))
    fit.reorder(order)
    return [int(v) for v in order.variables[low:high]]


def follow_missing_edge(fit: ScreenedFit, rng: np.random.Generator, reach: int) -> list[int]:
    """Put an effect behind a cause that it lacks, or the cause before it.

    Pairs are drawn by how much a small weight of the missing edge would lower Q, as in Y(Theta).
    Returns the variables of the stretch it concerns.
    """
    order, places = fit.order, fit.order.positions
    apart = places[:, None] - places
    steepness = np.where(apart <= 4 * reach, fit.missing_gradient(), 0.0)
    if not steepness.any():
        return perturb_locally(fit, rng, reach)
    pair = int(rng.choice(steepness.size, p=steepness.ravel() / steepness.sum()))
    cause, effect = divmod(pair, len(order))
    low, high = int(places[effect]), int(places[cause])
    fit.reorder(order.insert(cause, low) if rng.integers(2) else order.insert(effect, high))
    return [int(v) for v in fit.order.variables[low : high + 1]]
