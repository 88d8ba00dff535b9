"""Cells on a cluster, through ``dask.distributed``.

A worker that is lost while it has cells costs nothing but time: the scheduler gives them to others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.core.runtime.cluster import connect, distributed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.cell import Cell
    from toposwap.experiments.execution.work import Outcome


class Cluster:
    """The workers of a dask scheduler, with the same interface as a ``Pool``.

    Parameters
    ----------
    address
        Of the scheduler, "tcp://host:8786".
    """

    def __init__(self, address: str) -> None:
        self._client: Any = connect(address)
        self._wait = distributed().wait
        self._futures: dict[Any, Cell] = {}

    @property
    def jobs(self) -> int:
        """Threads of all workers there are now."""
        return max(1, sum(self._client.ncores().values()))

    def has_room(self) -> bool:
        """One cell for each thread, and one that waits, so that none idles."""
        return len(self._futures) < 2 * self.jobs

    def submit(self, cell: Cell, start: NDArray[np.float64] | None) -> None:
        """Hand a cell to the scheduler."""
        from toposwap.experiments.execution.work import run_cell

        future = self._client.submit(run_cell, cell, start, pure=False)
        self._futures[future] = cell

    def wait(self) -> list[tuple[Cell, Outcome]]:
        """Wait a little for cells to finish; those that did."""
        futures = list(self._futures)
        try:
            with self._client.as_current():
                done = self._wait(futures, timeout=1.0, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return []
        return [(self._futures.pop(future), _outcome(future)) for future in done]

    def close(self) -> None:
        """Take back what is not finished and let go of the cluster."""
        self._client.cancel(list(self._futures), force=True)
        self._futures = {}
        self._client.close()


def _outcome(future: Any) -> Outcome:
    from toposwap.experiments.execution.work import Outcome

    error = future.exception()
    if error is None:
        outcome: Outcome = future.result()
        return outcome
    return Outcome({"error": " ".join(f"{type(error).__name__}: {error}".split())[:500]})
