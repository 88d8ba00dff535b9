"""The search by chains of local optima, from several starts, until they agree."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from toposwap.core.order import Order
from toposwap.orderfit.chain import TabledFit
from toposwap.search.base import Context, Move, Search
from toposwap.search.crossing import ROUGHLY_FROM, End, crossings, ending
from toposwap.search.neighbourhoods import NeighbourhoodSearch

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

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
        How many threads run chains; the answer is the same for any number.
    proved
        Columns up to which the search is exhaustive; by default as many as take a second.
    """

    name: ClassVar[str] = "chains"

    def __init__(
        self, n_restarts: int | None = None, n_threads: int = 1, proved: int = _PROVED
    ) -> None:
        self.n_restarts = n_restarts
        self.n_threads = n_threads
        self.proved = proved

    def moves(  # type: ignore[override]
        self, fit: ChainFit, context: Context
    ) -> Generator[Move, None, bool | str | None]:
        """Prove, or descend and run chains; the best of all is where the fit stands."""
        d = len(context.names)
        before = fit.value
        if d <= min(self.proved, fit.quickly_proved) and fit.bound.solve_exactly(fit):
            if fit.value < before - fit.resolution:
                yield Move("exact", 2**d, "took the best of all orders")
            return "global minimum"
        if d >= ROUGHLY_FROM:
            moved = fit.rough_descent()
            if fit.value < before - fit.resolution:
                yield Move("insertion", d * (d - 1), f"moved variables {moved} times")
        if self.n_restarts == 0:
            yield from NeighbourhoodSearch().moves(fit, context)
            return False
        yield from self._settle(fit, context)
        ends: list[End] = []
        tabled = isinstance(fit, TabledFit)
        if isinstance(fit, TabledFit):
            found = crossings(fit.copy(), context, self.n_restarts, self.n_threads)
        else:
            found = self._ends(cast("WalkingFit", fit), context)
        value, temperature = fit.value, fit.temperature
        for end in found:
            ends.append(end)
            if end.value < value - fit.resolution:
                fit.restore(end.snapshot)
                yield Move("restart", end.steps, f"start {len(ends)}: a better optimum")
                yield from self._settle(fit, context)
                value = fit.value
            near = [e for e in ends if e.value <= value + temperature]
            met = sum(bool(e.value <= value + _SAME * temperature) for e in near)
            context.findings.starts = (met, len(ends))
            context.findings.rivals = [e.adjacency for e in near]
            if not tabled and self.n_restarts is None and met >= _AGREE:
                break
        return context.deadline.passed

    def _settle(self, fit: ChainFit, context: Context) -> Generator[Move, None, None]:
        """To an optimum under insertions, swaps and changes of any single edge."""
        d = len(context.names)
        while True:
            yield from NeighbourhoodSearch().moves(fit, context)
            before = fit.value
            changed = fit.improve_single_edges()
            if not fit.value < before - fit.resolution:
                return
            yield Move("edge", d * (d - 1), f"changed {changed} edges")

    def _ends(self, fit: WalkingFit, context: Context) -> Iterator[End]:
        """Of one chain after the other, on several threads if wanted."""
        d = len(context.names)
        share = min(1.0, _FEW_COLUMNS / d)
        left = max(_FEWEST_STEPS, int(_STEPS * share**2 * fit.effort))
        patience = max(_LEAST_PATIENCE, int(_PATIENCE * share * fit.effort))
        if self.n_restarts is not None:
            left = self.n_restarts
        seed = int(context.rng.integers(2**63))
        enough = threading.Event()
        here = fit.order, fit.snapshot()
        job = partial(_run_chain, here, fit.bound, seed, patience, context, enough)
        if self.n_threads == 1:
            number = 0
            while left > 0 and not (number and context.deadline.passed):
                end = job(number, left)
                left -= max(end.steps, 1)
                number += 1
                yield end
            return
        with ThreadPoolExecutor(self.n_threads) as threads:
            ahead: deque[Future[End]] = deque()
            number = 0
            try:
                while left > 0 and not (number and context.deadline.passed):
                    while len(ahead) < self.n_threads:
                        ahead.append(threads.submit(job, number + len(ahead), left))
                    end = ahead[0].result()
                    ahead.popleft()
                    if end.steps > left:
                        end = job(number, left)
                    left -= max(end.steps, 1)
                    number += 1
                    yield end
            finally:
                enough.set()
                threads.shutdown(cancel_futures=True)


def _run_chain(
    here: tuple[Order, Any],
    bound: Any,
    seed: int,
    patience: int,
    context: Context,
    enough: threading.Event,
    number: int,
    most: int,
) -> End:
    """The chain ``number``: the first from the solution ``here``, others from a random order."""
    d = len(context.names)
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
        if context.deadline.passed or enough.is_set():
            break
        patient = patience - (chain.steps - chain.best_at)
        chain.advance(min(piece, most - chain.steps, patient))
    steps = chain.steps
    fit.restore(chain.best())
    return ending(fit, steps)
