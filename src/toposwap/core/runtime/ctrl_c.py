"""Ctrl-C during a search, whatever becomes of the exception on its way."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

from toposwap.core.errors import is_interrupt

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class CtrlC:
    """A context that remembers whether Ctrl-C was pressed in it.

    ``KeyboardInterrupt`` is raised as ever, but compiled code and libraries in between may turn it
    into an error of theirs. Elsewhere than in the main thread, and where the program has a handler
    of its own for the signal, nothing is changed, and the exception alone tells.
    """

    def __init__(self) -> None:
        self._pressed = False
        self._before: Any = None

    def caused(self, error: BaseException) -> bool:
        """Whether ``error``, raised in this context, comes from Ctrl-C."""
        return self._pressed or is_interrupt(error)

    def __enter__(self) -> Self:
        ours = threading.current_thread() is threading.main_thread()
        if ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._notice)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _notice(self, signum: int, frame: FrameType | None) -> None:
        self._pressed = True
        signal.default_int_handler(signum, frame)
