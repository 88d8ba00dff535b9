"""Who works off the resamples: threads of this process, or a cluster.

Threads suffice here, because the compiled kernels release the interpreter's lock, and they need no
copy of the table. On a cluster (``dask.distributed``) a worker that is lost costs nothing but time:
what it had is given to others. A resample is a function of its number, so neither changes the
answer.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from toposwap.core.errors import InputError
from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.cluster import connect, distributed
from toposwap.core.runtime.deadline import Deadline, TimeUp
from toposwap.search.workers import Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposwap.certainty.resample import Resample
    from toposwap.certainty.resampler import Resampler

#: Seconds after which a thread hands over what it has: each handing over wakes the caller's.
_OFTEN = 0.02
#: Resamples that a worker of a cluster is given at a time.
_AT_A_TIME = 4


class Team(Protocol):
    """What works off resamples."""

    def results(self, resampler: Resampler, numbers: Sequence[int]) -> Iterator[Resample]:
        """The resamples ``numbers``, each as soon as it is finished.

        Closing the iterator, as an exception in the loop over it does, stops what is under way.
        """


class Threads:
    """So many threads of this process.

    Parameters
    ----------
    count
        How many.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def results(self, resampler: Resampler, numbers: Sequence[int]) -> Iterator[Resample]:
        """Each thread takes the next number until there are no more.

        The caller's thread does none of the work, so that Ctrl-C reaches it at once.
        """
        waiting = iter(list(numbers))
        lock, over = threading.Lock(), Deadline()
        finished: queue.SimpleQueue[list[Resample] | BaseException] = queue.SimpleQueue()

        def work() -> None:
            done: list[Resample] = []
            failed: list[BaseException] = []
            told = clock()
            try:
                while not over.passed:
                    with lock:
                        number = next(waiting, None)
                    if number is None:
                        return
                    done.append(resampler(number, over))
                    if clock() - told > _OFTEN:
                        finished.put(done)
                        done, told = [], clock()
            except TimeUp:
                return
            except BaseException as error:
                failed.append(error)
            finally:
                finished.put(done)
                for fault in failed:
                    finished.put(fault)

        with one_blas_thread():
            resampler.prepare()
            threads = [
                threading.Thread(target=work, daemon=True)
                for _ in range(min(self._count, len(numbers)))
            ]
            try:
                for thread in threads:
                    thread.start()
                left = len(numbers)
                while left:
                    results = finished.get()
                    if isinstance(results, BaseException):
                        raise results
                    yield from results
                    left -= len(results)
            finally:
                over.end_now()
                for thread in threads:
                    if thread.is_alive():
                        thread.join()


class Cluster:
    """The workers of a dask scheduler.

    Parameters
    ----------
    client
        A ``dask.distributed.Client``, or the address of a scheduler, "tcp://host:8786".
    """

    def __init__(self, client: Any) -> None:
        self._distributed: Any = distributed()
        self._own = isinstance(client, str)
        if not self._own and not hasattr(client, "submit"):
            raise InputError(
                "client: must be a dask.distributed.Client or the address of a scheduler, got "
                f"{type(client).__name__}"
            )
        self._client = connect(client) if self._own else client

    def results(self, resampler: Resampler, numbers: Sequence[int]) -> Iterator[Resample]:
        """A few numbers at a time; what a lost worker had is worked off by another.

        The resampler is the result of a task, which the scheduler can make again, and no data that
        are scattered, which would be gone with the only worker that has them.
        """
        client, futures = self._client, []
        try:
            shared = client.submit(_itself, resampler, pure=False)
            pieces = [list(numbers[k : k + _AT_A_TIME]) for k in range(0, len(numbers), _AT_A_TIME)]
            futures = client.map(_several, [shared] * len(pieces), pieces, pure=False)
            of = dict(zip([future.key for future in futures], pieces, strict=True))
            for future in self._distributed.as_completed(futures, loop=client.loop):
                # Too many workers may be lost with it: then it is worked off here.
                here = partial(_several, resampler, of[future.key])
                yield from Job(future, here).result()
        finally:
            with suppress(Exception):
                client.cancel(futures, force=True)
            if self._own:
                client.close()


def _itself(resampler: Resampler) -> Resampler:
    return resampler


def _several(resampler: Resampler, numbers: Iterable[int]) -> list[Resample]:
    """What a worker of a cluster does."""
    with one_blas_thread():
        return [resampler(number) for number in numbers]


def one_blas_thread() -> AbstractContextManager[Any]:
    """Matrix products on one thread, so that threads do not multiply and sums do not change."""
    try:
        limits: Any = import_module("threadpoolctl").threadpool_limits
    except ImportError:
        return nullcontext()
    context: AbstractContextManager[Any] = limits(limits=1, user_api="blas")
    return context
