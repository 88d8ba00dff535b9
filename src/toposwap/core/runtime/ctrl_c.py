"""Ctrl-C during a search, whatever becomes of the exception on its way."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

from toposwap.core.errors import is_interrupt
from toposwap.core.runtime.signals import SIGNALS, stop

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class CtrlC:
    """A context that remembers whether Ctrl-C was pressed in it.

    ``KeyboardInterrupt`` is raised as ever, but compiled code and libraries in between may turn it
    into an error of theirs. The same holds for the other signals that the command line listens to.
    Elsewhere than in the main thread, and where the program has a handler of its own for a signal,
    nothing is changed, and the exception alone tells.
    """

    def __init__(self) -> None:
        self._pressed = False
        self._before: dict[int, Any] = {}

    @property
    def pressed(self) -> bool:
        """Whether a signal came in this context, also if somebody else made do with it."""
        return self._pressed

    def caused(self, error: BaseException) -> bool:
        """Whether ``error``, raised in this context, comes from Ctrl-C."""
        return self._pressed or is_interrupt(error)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if handler is signal.default_int_handler or handler is stop:
                    self._before[number] = handler
                    signal.signal(number, self._notice)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _notice(self, signum: int, frame: FrameType | None) -> None:
        self._pressed = True
        self._before[signum](signum, frame)
