"""How far descents may go so that a deadline is kept, although none looks at the clock."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.deadline import NEVER, Deadline

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Iterations that any descent gets: a network is worth something after these.
_LEAST = 10
#: Calls with fewer iterations spend their time elsewhere.
_TELLING = 5
#: Seconds for each unit of work, in single precision and in double, until the first is timed.
_GUESS = {True: 1e-9, False: 3e-9}
#: How much of the slowest pace so far is believed at the next call.
_MEMORY = 0.9


class Pace:
    """The time that is left, and the seconds that an iteration takes.

    Attributes
    ----------
    deadline
        When to begin nothing more.
    """

    def __init__(self) -> None:
        self.deadline: Deadline = NEVER
        #: Seconds of an iteration for each unit of work, in single precision or not.
        self._seconds = dict(_GUESS)

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """An earlier ``deadline`` than all have."""
        self.deadline, whole = deadline, self.deadline
        try:
            yield
        finally:
            self.deadline = whole

    def most(self, wanted: int, work: float, *, single: bool) -> int:
        """``wanted`` iterations, or as many as there is time for where each is so much ``work``."""
        each = self._seconds[single] * work
        left = self.deadline.left
        return wanted if wanted * each <= left else min(wanted, max(int(left / each), _LEAST))

    def took(self, began: float, iterations: int, work: float, *, single: bool) -> None:
        """Note a descent that was begun at ``began`` by the clock and is just over."""
        if iterations >= _TELLING:
            latest = (clock() - began) / (iterations * work)
            self._seconds[single] = max(latest, _MEMORY * self._seconds[single])
