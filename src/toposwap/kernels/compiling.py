"""How long compiling took, and a word when it begins: the part of the compiler others look at.

Nothing here loads the compiler.
"""

from __future__ import annotations

import gc
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from toposwap.core.runtime.clock import lost_seconds, standstill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_listeners: list[Callable[[], None]] = []
_depth = 0


def compile_seconds() -> float:
    """Seconds of this process that went into compiling kernels or loading compiled ones.

    :func:`toposwap.core.runtime.clock.clock` leaves them out.
    """
    return lost_seconds()


@contextmanager
def on_compile(callback: Callable[[], None]) -> Iterator[None]:
    """Within the block, call ``callback`` when a kernel has to be compiled: once, at the first.

    Kernels that are loaded from the disk do not count.
    """
    waiting = [True]

    def once() -> None:
        if waiting:
            waiting.clear()
            callback()

    _listeners.append(once)
    try:
        yield
    finally:
        _listeners.remove(once)


def announce() -> None:
    """A kernel is not on the disk and is compiled now."""
    for listener in tuple(_listeners):
        listener()


@contextmanager
def compilation() -> Iterator[None]:
    """Stop the clock; for a caller that holds the compiler's lock, at any depth of calls.

    Garbage is not collected meanwhile: a compiler builds large trees, and looking through them
    again and again takes a sixth of the time.
    """
    global _depth  # noqa: PLW0603 - one compiler for the process
    with ExitStack() as stack:
        if _depth == 0:
            stack.enter_context(standstill())
            if gc.isenabled():
                gc.disable()
                stack.callback(gc.enable)
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
