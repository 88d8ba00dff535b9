"""Worker processes on this machine.

Workers ignore Ctrl-C and other signals to end, which belong to the parent: a search would keep its
best order so far and call that finished. A worker that dies or takes too long costs its own cell
only, and workers end with their parent, however that ended.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from toposwap.core.runtime.signals import SIGNALS, uninterrupted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.context import SpawnProcess

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.cell import Cell
    from toposwap.experiments.execution.work import Outcome

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    connection: Connection[Any, Any]
    cell: Cell | None = None
    #: When the learner began, after packages were loaded and kernels compiled.
    since: float | None = None


class Pool:
    """So many processes, each busy with one cell at a time.

    Parameters
    ----------
    jobs
        How many.
    limit
        Seconds after which a cell is given up; None waits.
    """

    def __init__(self, jobs: int, limit: float | None = None) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._limit = limit
        self._workers: list[_Worker] = []
        try:
            for _ in range(jobs):
                with uninterrupted():
                    self._workers.append(self._start())
        except BaseException:
            with uninterrupted():
                self.close()
            raise

    @property
    def jobs(self) -> int:
        """How many cells can be under way."""
        return len(self._workers)

    def has_room(self) -> bool:
        """Whether a worker is free."""
        return any(worker.cell is None for worker in self._workers)

    def submit(self, cell: Cell, start: NDArray[np.float64] | None) -> None:
        """Give a cell to a free worker."""
        worker = next(worker for worker in self._workers if worker.cell is None)
        worker.cell, worker.since = cell, None
        worker.connection.send((cell, start))

    def wait(self) -> list[tuple[Cell, Outcome]]:
        """Wait a little for cells to finish; those that did."""
        busy = {worker.connection: worker for worker in self._workers if worker.cell is not None}
        ready = wait(list(busy), timeout=0.2)
        finished = []
        for connection, worker in busy.items():
            cell = worker.cell
            assert cell is not None
            if connection in ready:
                outcome = self._received(worker)
                if outcome is not None:
                    finished.append((cell, outcome))
            elif self._is_late(worker):
                finished.append((cell, self._given_up(worker)))
        return finished

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers = []

    def _is_late(self, worker: _Worker) -> bool:
        began = worker.since
        if self._limit is None or began is None:
            return False
        return time.monotonic() - began > self._limit

    def _received(self, worker: _Worker) -> Outcome | None:
        """What a worker sent: an outcome, or None when its learner begins."""
        from toposwap.experiments.execution.work import Outcome

        try:
            outcome: Outcome | None = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            code = worker.process.exitcode
            self._replace(worker)
            return Outcome({"error": f"the worker process died (exit code {code})"})
        if outcome is None:
            worker.since = time.monotonic()
        else:
            worker.cell = None
        return outcome

    def _given_up(self, worker: _Worker) -> Outcome:
        from toposwap.experiments.execution.work import Outcome

        worker.process.kill()
        worker.process.join()
        self._replace(worker)
        return Outcome({"error": f"stopped after {self._limit:g} s", "limit": self._limit})

    def _replace(self, worker: _Worker) -> None:
        worker.connection.close()
        with uninterrupted():
            self._workers[self._workers.index(worker)] = self._start()

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,), daemon=True)
        with _withheld():
            process.start()
        theirs.close()
        return _Worker(process, ours)


@contextmanager
def _withheld() -> Iterator[None]:
    """Block signals in processes that are started here, for good: also while they load packages."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Python's helper for shared resources unblocks signals when it is started, so it comes first.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(connection: Connection[Any, Any]) -> None:
    """Work on cells until there are no more: the life of a worker."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    # Before anything that reads these is imported.
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from toposwap.experiments.execution.work import run_cell

    while True:
        try:
            cell, start = connection.recv()
        except EOFError:
            return
        connection.send(run_cell(cell, start, lambda: connection.send(None)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
