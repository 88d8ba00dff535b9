"""The moment after which nothing more is begun: one object for everything that takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.errors import InputError
from toposwap.core.runtime.clock import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray


class TimeUp(Exception):
    """Raised within a search by what should not be begun any more; the search ends with it."""


class Deadline:
    """A point in time, or none.

    It is made once, where the user's ``time_budget`` comes in, and handed down: starting orders,
    searches, polishing and pruning all ask the same object. What has been begun is finished, so
    whoever begins something long asks :attr:`passed` between its parts. Compiling does not count.

    Parameters
    ----------
    seconds
        From now; None for no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (number and seconds >= 0.0):
            raise InputError(f"time_budget: must be a number of seconds >= 0, got {seconds!r}")
        self._began = clock()
        self._end = float("inf") if seconds is None else self._began + seconds

    @property
    def passed(self) -> bool:
        """Whether the deadline is over, so that nothing more is begun."""
        return clock() > self._end

    @property
    def left(self) -> float:
        """Seconds until then: infinite without a limit, negative afterwards."""
        return self._end - clock()

    def end_now(self) -> None:
        """Let it be over, whatever it was: somebody does not want to wait any longer."""
        self._end = float("-inf")

    def check(self) -> None:
        """Raise :class:`TimeUp` if the deadline is over."""
        if self.passed:
            raise TimeUp

    def pieces(self, work: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
        """``work`` (m,) in pieces of ``size`` with :meth:`check` between them, whole if unlimited.

        For compiled loops, which do not look at the clock.
        """
        step = work.size if self._end == float("inf") else max(1, size)
        for start in range(0, work.size, max(1, step)):
            if start:
                self.check()
            yield work[start : start + step]

    def stages(self, steps: int, size: int) -> Iterator[tuple[int, int]]:
        """The ``steps`` of an iteration by stages of ``size``, as first and end, until time is up.

        All of them in one without a limit. After the deadline there is one stage that makes no
        step, from 0 to 0. For compiled iterations that can be begun again where they stood.
        """
        if self._end == float("inf"):
            yield 0, steps
            return
        size = max(1, size)
        yield 0, 0 if self.passed else min(size, steps)
        for first in range(size, steps, size):
            if self.left < 0.0:
                return
            yield first, min(first + size, steps)

    def part(self, share: float) -> Deadline:
        """The moment when ``share`` (0 to 1) of the whole time has gone by, from its beginning.

        A search that must leave time for what comes after it works with a part.
        """
        earlier = Deadline()
        earlier._began = self._began
        earlier._end = self._began + share * (self._end - self._began)
        return earlier


#: For callers without a time limit.
NEVER = Deadline()
