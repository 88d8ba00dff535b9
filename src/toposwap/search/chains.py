"""The search by chains of local optima, from several starts, until they agree."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from toposwap.core.order import Order
from toposwap.orderfit.chain import TabledFit
from toposwap.search.base import Context, Move, Search
from toposwap.search.crossing import ROUGHLY_FROM, Crossing
from toposwap.search.neighbourhoods import NeighbourhoodSearch
from toposwap.search.optima import End, Optima, ending
from toposwap.search.workers import Workers, is_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from toposwap.core.runtime.deadline import Deadline
    from toposwap.orderfit.chain import ChainFit, WalkingFit

#: Columns up to which all orders are gone through in less than a second.
_PROVED = 18
#: From how many starts the best score must have been reached.
_AGREE = 3
#: Perturbations in all, and without a better optimum before the next start: for up to 50 columns.
_STEPS, _PATIENCE = 350, 50
_FEWEST_STEPS, _LEAST_PATIENCE = 20, 10
_FEW_COLUMNS = 50
#: Perturbations times columns between two looks at the clock: some milliseconds.
_PIECE = 400
#: Optima that differ by less, in temperatures, have the same score.
_SAME = 1e-3


@dataclass(eq=False)
class _Chains:
    """Chains on their way.

    The solution that the first begins with, the seed and the patience of all, the perturbations
    that are left to them, how many have ended, and whether these suffice.
    """

    here: tuple[Order, Any]
    seed: int
    patience: int
    left: int
    number: int = 0
    over: bool = False


class ChainSearch(Search):
    """Chains of perturbed descents, each from a start of its own, until the best is met again.

    Few columns are searched exhaustively. Else a chain ends when it has met no better optimum for a
    while, and the search when the best score was reached from three starts, or all steps are made.
    Each chain descends to local optima under insertions and under adding, removing, turning or
    exchanging any edge; without restarts there is no chain, and insertions and swaps remain. The
    end is a KKT point.

    Parameters
    ----------
    n_restarts
        How many perturbations to make in all; by default as many as the rule above wants. More
        never end worse than fewer with the same seed.
    n_threads
        How many threads run chains, or the client of a dask cluster whose workers do; the answer
        is the same for any.
    proved
        Columns up to which the search is exhaustive; by default as many as take a second.
    """

    name: ClassVar[str] = "chains"

    def __init__(
        self, n_restarts: int | None = None, n_threads: Any = 1, proved: int = _PROVED
    ) -> None:
        self.n_restarts = n_restarts
        self.n_threads = n_threads
        self.proved = proved

    def moves(  # type: ignore[override]
        self, fit: ChainFit, context: Context
    ) -> Generator[Move, None, bool | str | None]:
        """Prove, or descend and run chains; the best of all is where the fit stands."""
        d, place = len(context.names), context.place
        before = fit.value
        if d <= min(self.proved, fit.quickly_proved) and fit.bound.solve_exactly(fit):
            if fit.value < before - fit.resolution:
                yield Move("exact", 2**d, "took the best of all orders")
            return "global minimum"
        if d >= ROUGHLY_FROM and "descended" not in place:
            # Where it began, and how many variables have moved since.
            rough = place.setdefault("rough", [before, 0])

            def swept(moved: int) -> None:
                rough[1] += moved
                context.keep()

            fit.rough_descent(swept)
            place["descended"] = True
            if fit.value < rough[0] - fit.resolution:
                yield Move("insertion", d * (d - 1), f"moved variables {rough[1]} times")
                context.keep()
        if self.n_restarts == 0:
            yield from NeighbourhoodSearch().moves(fit, context)
            return False
        if "optima" not in place:
            yield from self._settle(fit, context)
            place["optima"] = Optima()
            place["chains"] = self._begun(fit, context)
            context.keep()
        chains, optima = place["chains"], place["optima"]
        if isinstance(fit, TabledFit):
            # Walks through tables take no longer than it takes to send them somewhere else.
            threads = 1 if is_cluster(self.n_threads) else self.n_threads
            found = chains.ends(fit.copy(), context, threads)
        else:
            found = self._ends(cast("WalkingFit", fit), context, chains)
        value, temperature = fit.value, fit.temperature
        for some in found:
            for end in some:
                reached = end
                if end.value < value - fit.resolution:
                    fit.restore(end.snapshot)
                    yield Move("restart", end.steps, f"start {optima.met + 1}: a better optimum")
                    yield from self._settle(fit, context.aside())
                    value = fit.value
                    reached = replace(end, value=value, adjacency=fit.adjacency())
                optima.add(reached, fit.resolution)
            optima.keep_below(value + temperature)
            met = optima.reached(value + _SAME * temperature)
            context.findings.starts = (met, optima.tried)
            context.findings.rivals = optima.graphs
            if isinstance(chains, _Chains):
                chains.over |= self.n_restarts is None and met >= _AGREE
            context.keep()
        return context.deadline.passed

    def _settle(self, fit: ChainFit, context: Context) -> Generator[Move, None, None]:
        """To an optimum under insertions, swaps and changes of any single edge."""
        d = len(context.names)
        while True:
            # It notes its own way, anew each time.
            inner = replace(context, place=context.place.setdefault("settling", {}))
            yield from NeighbourhoodSearch().moves(fit, inner)
            before = fit.value
            changed = fit.improve_single_edges()
            if not fit.value < before - fit.resolution:
                return
            context.place["settling"] = {}
            yield Move("edge", d * (d - 1), f"changed {changed} edges")
            context.keep()

    def _begun(self, fit: ChainFit, context: Context) -> Crossing | _Chains:
        """What all chains need to know, before the first."""
        if isinstance(fit, TabledFit):
            return Crossing.begun(context, fit, self.n_restarts)
        share = min(1.0, _FEW_COLUMNS / len(context.names))
        left = max(_FEWEST_STEPS, int(_STEPS * share**2 * fit.effort))
        patience = max(_LEAST_PATIENCE, int(_PATIENCE * share * fit.patience))
        if self.n_restarts is not None:
            left = self.n_restarts
        here = fit.order, fit.snapshot()
        return _Chains(here, int(context.rng.integers(2**63)), patience, left)

    def _ends(self, fit: WalkingFit, context: Context, chains: _Chains) -> Iterator[list[End]]:
        """Of one chain after the other, on several threads if wanted."""
        enough = threading.Event()
        given = chains.here, chains.seed, chains.patience
        job = partial(_run_chain, fit.bound, given, enough=enough, deadline=context.deadline)

        def over() -> bool:
            late = bool(chains.number) and context.deadline.passed
            return chains.over or chains.left <= 0 or late

        def counted(end: End) -> list[End]:
            chains.left -= max(end.steps, 1)
            chains.number += 1
            return [end]

        if self.n_threads == 1:
            while not over():
                yield counted(job(chains.number, chains.left))
            return
        if is_cluster(self.n_threads):
            with Workers(self.n_threads, fit.bound) as workers:
                there = partial(workers.submit, _run_chain, workers.shared(given))
                for end in self._in_order(chains, over, there, workers.count, job):
                    yield counted(end)
            return
        assert isinstance(self.n_threads, int)
        with ThreadPoolExecutor(self.n_threads) as threads:
            try:
                beside = partial(threads.submit, job)
                for end in self._in_order(chains, over, beside, self.n_threads, job):
                    yield counted(end)
            finally:
                enough.set()
                threads.shutdown(cancel_futures=True)

    @staticmethod
    def _in_order(
        chains: _Chains,
        over: Callable[[], bool],
        submit: Callable[[int, int], Any],
        count: int,
        job: Callable[[int, int], End],
    ) -> Iterator[End]:
        """The ends of chains that run ``count`` at a time, in the order of their numbers."""
        ahead: deque[Any] = deque()
        while not over():
            number = chains.number
            while len(ahead) < count:
                ahead.append(submit(number + len(ahead), chains.left))
            end = ahead[0].result()
            ahead.popleft()
            if end.steps > chains.left:
                end = job(number, chains.left)
            yield end


def _run_chain(
    bound: Any,
    given: tuple[tuple[Order, Any], int, int],
    number: int,
    most: int,
    enough: threading.Event | None = None,
    deadline: Deadline | None = None,
) -> End:
    """The chain ``number``: the first from a given solution, others from a random order.

    ``given`` is the solution, the seed and the patience of all chains. It ends early when there
    are ``enough``, and at the ``deadline``, by default the score's.
    """
    here, seed, patience = given
    deadline = bound.deadline if deadline is None else deadline
    d = bound.data.d
    fit: WalkingFit
    if number == 0:
        order, snapshot = here
        fit = bound.fit(order)
        fit.restore(snapshot)
    else:
        drawn = np.random.default_rng([seed, number]).permutation(d)
        fit = bound.fit(bound.admissible.nearest(Order(drawn)))
        if d >= ROUGHLY_FROM:
            fit.rough_descent()
    chain = fit.chain(seed ^ number)
    piece = max(1, _PIECE // d)
    while chain.steps < most and chain.steps - chain.best_at < patience:
        if deadline.passed or (enough is not None and enough.is_set()):
            break
        patient = patience - (chain.steps - chain.best_at)
        chain.advance(min(piece, most - chain.steps, patient))
    steps = chain.steps
    fit.restore(chain.best())
    return ending(fit, steps)
