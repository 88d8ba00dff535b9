"""How long compiling took, and a word when it begins: the part of the compiler others look at.

Nothing here loads the compiler.
"""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_listeners: list[Callable[[], None]] = []
_depth = 0
_seconds = 0.0


def compile_seconds() -> float:
    """Seconds of this process that went into compiling kernels or loading compiled ones.

    The difference of two calls is what to take off a time that was measured between them.
    """
    return _seconds


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
def timed() -> Iterator[None]:
    """Count the time within the block; kernels that are compiled for others count once.

    For a caller that holds the compiler's lock. Garbage is not collected meanwhile: a compiler
    builds large trees, and looking through them again and again takes a sixth of the time.
    """
    global _depth, _seconds  # noqa: PLW0603 - one clock for the process
    began = time.perf_counter()
    collecting = gc.isenabled()
    gc.disable()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if collecting:
            gc.enable()
        if _depth == 0:
            _seconds += time.perf_counter() - began
