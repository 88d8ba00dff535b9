"""Insertions for scores with expensive deltas: rough ones for all, exact ones for the best two."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from toposwap.certificate import violations
from toposwap.core.runtime.deadline import NEVER, TimeUp
from toposwap.orderfit.screened import ScreenedFit
from toposwap.search.base import Context, Move, Search
from toposwap.search.moves.repair import repair
from toposwap.search.surrogates import bound_surrogates

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from toposwap.core.order import Order
    from toposwap.core.runtime.deadline import Deadline
    from toposwap.scores.base import BoundScore

#: A rough delta is too high by up to about this part of the values of the nodes it concerns.
_SLACK = 1e-2
_EXACT_DELTAS = 2
#: Restarts cannot go round in circles, so this part of the fall that makes a move is enough.
_ENOUGH = 0.1
#: Parts of the whole time after which the search, and polishing, begin nothing more: what follows
#: them, polishing and pruning, takes about as long as the search of a table that is large for it.
_SEARCHED, _POLISHED = 0.4, 0.7


class ScreenedSearch(Search):
    """Sweeps of screened insertions, perturbed restarts, fresh starts of the nodes, KKT repair.

    A score with surrogates is approached through them first, if that pays.

    Parameters
    ----------
    n_restarts
        How often to perturb the best order and descend again.
    reach
        How many places a variable is moved by near moves, 5 by default; far ones have no limit.
    """

    name: ClassVar[str] = "screened"

    def __init__(self, n_restarts: int = 0, reach: int | None = None) -> None:
        self.n_restarts = n_restarts
        self.reach = reach

    def moves(  # type: ignore[override]
        self, fit: ScreenedFit, context: Context
    ) -> Generator[Move, None, bool | None]:
        """Descend with rough fits, polish them, then repair violations of the KKT conditions."""
        searching, polishing = (context.deadline.part(share) for share in (_SEARCHED, _POLISHED))
        place = context.place
        if "polished" not in place:
            with fit.roughly():
                if not (context.surrogates_followed or "surrogates" in place):
                    yield from self._follow_surrogates(fit, context, searching)
                place["surrogates"] = True
                yield from self.rough_moves(fit, context, searching)
            place["late"] = searching.passed
            before = fit.value
            fit.polish(polishing)
            place["polished"] = True
            if fit.value < before:
                yield Move("polish", 0, "solved the nodes to the end")
            context.keep()
        while not polishing.passed:
            failing = violations(fit.point(), fit.bound.tolerance, fit.bound.admissible)
            move = repair(fit, failing, context.names, greedy=True)
            if move is None:
                return bool(place["late"])
            yield move
            context.keep()
        return True

    def rough_moves(
        self,
        fit: ScreenedFit,
        context: Context,
        deadline: Deadline,
        *,
        by_pruning: bool = False,
    ) -> Iterator[Move]:
        """Sweeps, then restarts; ``by_pruning`` goes to the pruned graph's order in between.

        Pruning takes as long as several sweeps, so this is for surrogates, which are cheap.
        """
        names, place = context.names, context.place
        d = len(names)
        reach = min(d - 1, 5) if self.reach is None else self.reach
        if by_pruning:
            yield from self._descend(fit, list(fit.order), reach, names, deadline)
            yield from self._follow_pruning(fit, context, deadline)
        yield from self._sweeps(fit, context, reach, deadline)
        if "restarts" not in place:
            if not deadline.passed and fit.restart_nodes(deadline) > 0.0:
                yield Move("nodes", d, "fitted nodes from other starts")
            place["restarts"] = 0
        for restart in range(place["restarts"], self.n_restarts):
            if deadline.passed:
                return
            context.keep()
            place["restarts"] = restart + 1
            best, lowest = fit.snapshot(), fit.value
            perturbed = follow_missing_edge if restart % 2 else perturb_locally
            touched = perturbed(fit, context.rng, reach)
            for _ in self._descend(fit, touched, reach, names, deadline):
                pass
            # A better order that does not yet look it: its nodes have had one start each.
            if fit.order != best[0] and fit.value < lowest + slack(fit, len(touched)):
                fit.restart_nodes(deadline)
            if fit.value < lowest - _ENOUGH * fit.resolution:
                yield Move("restart", restart + 1, f"restart {restart + 1} of {self.n_restarts}")
            else:
                fit.restore(best)

    def _follow_surrogates(
        self, fit: ScreenedFit, context: Context, deadline: Deadline
    ) -> Iterator[Move]:
        """Go where the surrogates lead from here, if it pays."""
        order = fit.order
        for step in through_surrogates(fit.bound, order, context, deadline):
            order = step.order
        if order != fit.order and fit.delta(order) < -fit.resolution:
            fit.reorder(order)
            yield Move("coarse", len(order), "went where a coarser score led")

    def _follow_pruning(
        self, fit: ScreenedFit, context: Context, deadline: Deadline
    ) -> Iterator[Move]:
        """Go to an order of the pruned graph, if it pays."""
        if deadline.passed or context.pruner is None:
            return
        order = context.pruner.order(fit.bound, fit.parameters(), fit.order, deadline=deadline)
        if order != fit.order and fit.delta(order) < -fit.resolution:
            fit.reorder(order)
            yield Move("prune", len(order), "went to the order of the pruned graph")

    def _sweeps(
        self, fit: ScreenedFit, context: Context, reach: int, deadline: Deadline
    ) -> Iterator[Move]:
        """Near moves until none helps, then far ones."""
        names, place = context.names, context.place
        for stage, places in (("near", reach), ("far", len(names) - 1)):
            if place.get(stage) == []:
                continue
            # Those that wait for their visit.
            waiting = place.setdefault(stage, list(fit.order))
            for move in self._descend(fit, waiting, places, names, deadline):
                yield move
                context.keep()
            place[stage] = []

    def _descend(
        self,
        fit: ScreenedFit,
        waiting: list[int],
        reach: int,
        names: Sequence[str],
        deadline: Deadline,
    ) -> Iterator[Move]:
        """Visit those ``waiting``, and again whatever stands where something moved, until none is.

        The list is changed; when a move is yielded it holds those that are still to be visited.
        """
        while waiting:
            v = waiting.pop(0)
            if deadline.passed:
                return
            here = int(fit.order.positions[v])
            position = self._improve(fit, v, reach)
            if position is None:
                continue
            # Everyone whose predecessors have changed may have a better place now.
            for w in fit.order.variables[min(here, position) : max(here, position) + 1].tolist():
                if w != v and w not in waiting:
                    waiting.append(w)
            yield Move("insertion", 2 * reach, f"moved {names[v]!r} by {position - here}")

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
    """An order that a search with a surrogate has met, its value there and the move to it."""

    order: Order
    value: float
    move: Move


def through_surrogates(
    bound: BoundScore, order: Order, context: Context, deadline: Deadline = NEVER
) -> Iterator[CoarseStep]:
    """Search with one surrogate of ``bound`` after the other; each begins where the last ended."""
    for surrogate in bound_surrogates(bound):
        if deadline.passed:
            break
        surrogate.bound.deadline = deadline
        fit = surrogate.bound.fit(order)
        assert isinstance(fit, ScreenedFit)
        with fit.roughly():
            search, aside = ScreenedSearch(surrogate.restarts or 0), context.aside()
            try:
                for move in search.rough_moves(fit, aside, deadline, by_pruning=True):
                    yield CoarseStep(fit.order, fit.value, move)
            except TimeUp:
                # Of the surrogates: the search itself has more.
                return
        order = fit.order


def slack(fit: ScreenedFit, concerned: int) -> float:
    """How much too high the rough delta of a move may be that concerns so many nodes."""
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
    order = fit.bound.admissible.nearest(order)
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
    moved = order.insert(cause, low) if rng.integers(2) else order.insert(effect, high)
    fit.reorder(fit.bound.admissible.nearest(moved))
    return [int(v) for v in fit.order.variables[low : high + 1]]
