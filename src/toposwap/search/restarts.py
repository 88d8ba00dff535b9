"""Restarts from perturbed orders, on several threads or a cluster, and in their order.

Restart r is a function of the best fit so far and of a generator of its own, which the seed and r
determine. So the restarts after r can run ahead as if r were to fail, which most do: if it does,
their results stand; if it does not, they are begun again from what r found. What a search takes
from here is therefore the same for any number of threads.

Where there is a surrogate, every other perturbed order is repaired by it first. That is cheap, so
these perturbations can be large, and its way down is another than the score's. Without a surrogate
a few perturbations are large all the same: small ones alone never leave a wide valley. Where the
strategy is patient every fifth restart begins at a random order, which no valley holds.

Threads suffice, because the compiled kernels release the interpreter's lock, and they need no
copy of the data.
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.core.errors import InputError
from toposwap.core.order import Order
from toposwap.search.surrogates import bound_surrogates
from toposwap.search.workers import Workers, is_cluster

if TYPE_CHECKING:
    from types import TracebackType

    from toposwap.orderfit.base import OrderFit
    from toposwap.scores.base import BoundScore

#: One restart in so many begins at a random order.
_AFRESH = 5


class Restarts:
    """Trials that start from ``fit``, at most ``total``, on ``n_jobs`` threads.

    Use it as a context; at its end no thread is left. ``fit`` may change only after
    :meth:`forget`.
    """

    def __init__(
        self,
        fit: OrderFit,
        total: int,
        n_jobs: Any,
        seed: int,
        surrogate: BoundScore | None = None,
    ) -> None:
        self._fit, self._total = fit, total
        self._seed = seed
        self._spare: list[OrderFit] = []
        self._ahead: deque[Any] = deque()
        self._stop = threading.Event()
        self._surrogate = surrogate
        self._afresh = fit.bound.strategy.patience is not None
        self._workers = Workers(n_jobs, fit.bound) if is_cluster(n_jobs) and total else None
        #: Where the fit stands, as the workers were told it.
        self._told: Any = None
        count = 1 if is_cluster(n_jobs) else n_jobs
        # The caller's thread waits while the others work.
        self._threads = ThreadPoolExecutor(count) if count > 1 else None
        self._count = count if self._workers is None else self._workers.count

    def take(self, restart: int) -> OrderFit:
        """The fit that ``restart`` ends at; the next call may use its memory again."""
        if self._workers is not None:
            return self._from_worker(restart, self._workers)
        if self._threads is None:
            trial = self._run(restart, self._memory())
        else:
            end = min(restart + self._count, self._total)
            for later in range(restart + len(self._ahead), end):
                self._ahead.append(self._threads.submit(self._run, later, self._memory()))
            trial = self._ahead[0].result()
            self._ahead.popleft()
        self._spare.append(trial)
        return trial

    def afresh(self, restart: int) -> bool:
        """Whether ``restart`` begins at an order of its own, and not at the best so far."""
        return self._afresh and restart % _AFRESH == 0

    def forget(self) -> None:
        """Stop what runs ahead; it returns when nothing reads ``fit`` any more."""
        self._stop.set()
        self._told = None
        for job in self._ahead:
            if self._workers is not None:
                job.cancel()
                continue
            # An error there would not have come about.
            if not job.cancel() and job.exception() is None:
                self._spare.append(job.result())
        self._ahead.clear()
        self._stop.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._workers is not None:
            self._workers.__exit__(kind, error, trace)
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def _from_worker(self, restart: int, workers: Workers) -> OrderFit:
        if self._told is None:
            fit = self._fit
            told = type(fit), fit.state(), self._seed, self._surrogate is not None
            self._told = workers.shared(told)
        for later in range(restart + len(self._ahead), min(restart + self._count, self._total)):
            self._ahead.append(workers.submit(_run_elsewhere, self._told, later))
        state = self._ahead[0].result()
        self._ahead.popleft()
        return type(self._fit).resumed(self._fit.bound, state)

    def _memory(self) -> OrderFit | None:
        return self._spare.pop() if self._spare else None

    def _run(self, restart: int, trial: OrderFit | None) -> OrderFit:
        """Perturb and sweep; sweeps alone tell whether a thorough descent is worth it."""
        if trial is None:
            trial = self._fit.copy()
        else:
            trial.copy_from(self._fit)
        rng = np.random.default_rng([self._seed, restart])
        if self.afresh(restart):
            anywhere = Order(rng.permutation(len(trial.order)))
            trial.reorder(trial.bound.admissible.nearest(anywhere))
        elif self._surrogate is None:
            d = len(trial.order)
            # A large perturbation is nearly a search from scratch: rarer where that takes longer.
            large = rng.integers(max(4, d // 3)) == 0
            perturb(trial, rng, at_most=d // 2 if large else 0)
        elif restart % 2:
            perturb(trial, rng)
        else:
            cheaper = self._surrogate.fit(trial.order)
            perturb(cheaper, rng, at_most=len(trial.order))
            self._sweep(cheaper)
            trial.reorder(cheaper.order)
        self._sweep(trial)
        return trial

    def _sweep(self, fit: OrderFit) -> None:
        while not self._stop.is_set() and fit.insertion_sweep(fit.order.variables):
            pass


def _run_elsewhere(bound: BoundScore, told: tuple[Any, ...], restart: int) -> Any:
    """On a worker: the state of the fit that ``restart`` ends at."""
    kind, state, seed, surrogate = told
    fit = kind.resumed(bound, state)
    cheaper = next(bound_surrogates(bound)).bound if surrogate else None
    with Restarts(fit, 0, 1, seed, cheaper) as restarts:
        return restarts._run(restart, fit).state()


def perturb(fit: OrderFit, rng: np.random.Generator, at_most: int = 0) -> None:
    """Put two to 3 + log d variables somewhere else, or two to ``at_most`` if that is more.

    Small steps find what is near, large ones leave a wide valley; both are needed.
    """
    d = len(fit.order)
    for _ in range(int(rng.integers(2, 1 + max(3 + int(math.log(d)), at_most)))):
        variable, position = int(rng.integers(d)), int(rng.integers(d))
        places = fit.bound.positions(fit.order, variable)
        fit.insert(variable, min(max(position, places.start), places.stop - 1))


def available_cores() -> int:
    """How many cores this process may use, which a scheduler or container may have limited."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: object) -> int:
    """How many threads ``n_jobs`` stands for: itself, one for None, one for each core for -1."""
    if n_jobs is None:
        return 1
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if not whole or not (n_jobs >= 1 or n_jobs == -1):  # type: ignore[operator]
        raise InputError(
            f"n_jobs: must be None, a whole number >= 1, or -1 for all cores, got {n_jobs!r}"
        )
    if n_jobs == -1:
        return available_cores()
    return int(n_jobs)  # type: ignore[call-overload]
