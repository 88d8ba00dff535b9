"""Restarts on the workers of a dask cluster, with the same answer as on threads.

A restart is a function of the score on its data, of where it begins and of its number. The score
travels without rows where it knows the data by moments; it is the result of a task, which the
scheduler can make again when a worker is lost, and so are the restarts. What too many workers were
lost with is computed by the client.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from toposwap.core.errors import InputError
from toposwap.core.runtime.deadline import NEVER, Deadline

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from toposwap.scores.base import BoundScore


def is_cluster(n_jobs: object) -> bool:
    """Whether ``n_jobs`` is a ``dask.distributed.Client``, judged without importing it."""
    return hasattr(n_jobs, "submit") and hasattr(n_jobs, "scheduler_info")


class Workers:
    """The workers of ``client``, which know ``bound``; a context, at whose end nothing runs."""

    def __init__(self, client: Any, bound: BoundScore) -> None:
        self._client, self._bound = client, bound
        self._futures: list[Any] = []
        self._problem = self.shared(_packed(bound))

    @property
    def count(self) -> int:
        """How many there are now, at least one."""
        return max(1, len(self._client.scheduler_info()["workers"]))

    def shared(self, what: Any) -> Any:
        """``what`` as an argument of several :meth:`submit`, sent once."""
        future = self._client.submit(_itself, what, pure=False)
        self._futures.append(future)
        return future

    def submit(self, function: Callable[..., Any], given: Any, *numbers: Any) -> Job:
        """Have ``function(bound, given, *numbers)`` computed; ``given`` is :meth:`shared`."""
        left = self._bound.deadline.left
        future = self._client.submit(
            _computed, self._problem, left, function, given, *numbers, pure=False
        )
        self._futures.append(future)
        return Job(future, lambda: function(self._bound, given.result(), *numbers))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(Exception):
            self._client.cancel(self._futures, force=True)


class Job:
    """Something that a worker computes, or ``here`` if no worker survives it."""

    def __init__(self, future: Any, here: Callable[[], Any]) -> None:
        self._future, self._here = future, here

    def result(self) -> Any:
        """What it comes to; errors are raised as they were there.

        A result that was lost with its worker after it was finished is waited for again.
        """
        error = self._future.exception()
        if error is None:
            return self._future.result()
        if type(error).__name__ == "KilledWorker":
            return self._here()
        raise error

    def cancel(self) -> None:
        """Do without it."""
        with suppress(Exception):
            self._future.cancel(force=True)


def _packed(bound: BoundScore) -> bytes:
    """``bound`` as bytes, without the rows where it does not need them."""
    other, data = copy(bound), bound.data
    if bound.score.of_moments and data.interventions is None:
        other.data = replace(data, held=None, row_weights=None)
    other.deadline = NEVER
    try:
        return pickle.dumps(other)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InputError(
            f"n_jobs: the score {bound.score.name} cannot be sent to the workers of a cluster "
            f"({error}); give a number of threads"
        ) from error


def _itself(what: Any) -> Any:
    return what


def _computed(
    problem: bytes, left: float, function: Callable[..., Any], given: Any, *numbers: Any
) -> Any:
    """On a worker."""
    bound = pickle.loads(problem)
    bound.deadline = NEVER if left == float("inf") else Deadline(max(left, 0.0))
    return function(bound, given, *numbers)
