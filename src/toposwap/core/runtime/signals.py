"""Signals that ask a program to end: Ctrl-C, ``kill``, a terminal that is closed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

#: Those there are on this system.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_SOON = 0.05
#: Seconds that the loading of modules may hold up a signal.
_PATIENCE = 1.0
#: In the names of files: where modules are loaded, and the calls of the compiler's library.
_IMPORTS, _COMPILER = "<frozen importlib", os.path.join("llvmlite", "binding")
_received: int | None = None
_came = 0.0


def listen() -> None:
    """From now on each of :data:`SIGNALS` raises ``KeyboardInterrupt``, as Ctrl-C does by itself.

    What this process was told to ignore (``nohup``, jobs in the background) stays ignored.
    """
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, stop)
    sys.unraisablehook = _unraisable


def stop(signum: int, frame: FrameType | None) -> None:
    """The handler of all signals.

    While a module is being loaded it waits for a moment: compiled modules that load others print
    what is raised there. In the midst of a call of the compiler's library it waits for the end of
    that: what belongs to whom is in doubt there, and would be freed twice.
    """
    global _received, _came  # noqa: PLW0603 - a process is told once
    if _received is None:
        _came = time.monotonic()
    _received = signum
    patient = time.monotonic() - _came < _PATIENCE
    if _within(frame, _COMPILER) or (patient and _within(frame, _IMPORTS)):
        _send_again(signum)
        return
    raise KeyboardInterrupt


def _within(frame: FrameType | None, files: str) -> bool:
    """Whether ``frame`` runs on behalf of code in such ``files``."""
    while frame is not None:
        if files in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _send_again(signum: int) -> None:
    again = threading.Timer(_SOON, os.kill, (os.getpid(), signum))
    again.daemon = True
    again.start()


def let_go() -> None:
    """Back to the system's own way, for the last moments of a process: end at once and silently."""
    for number in SIGNALS:
        if signal.getsignal(number) is stop:
            signal.signal(number, signal.SIG_DFL)


def received() -> bool:
    """Whether one has come, whatever became of its exception on the way."""
    return _received is not None


def exit_code() -> int:
    """128 and the number of the signal, as shells count; that of Ctrl-C where none is known."""
    return 128 + (signal.SIGINT if _received is None else _received)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals that come during this block are acted on at its end; for the few steps of a cleanup.

    Elsewhere than in the main thread there is nothing to do: handlers never run there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            # None: a handler that is not Python's.
            if handler is not None and handler is not signal.SIG_IGN:
                before[number] = handler
                signal.signal(number, lambda signum, _frame: came.append(signum))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Send a signal again if it came where Python drops exceptions, as while an object goes."""
    if not issubclass(lost.exc_type, KeyboardInterrupt) or _received is None:
        sys.__unraisablehook__(lost)
        return
    _send_again(_received)
