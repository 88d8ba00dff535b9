"""A clock that stands still while kernels are compiled, so that searches are timed without it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_lost = 0.0


def clock() -> float:
    """Seconds since some moment, less what went by within :func:`standstill`."""
    return time.perf_counter() - _lost


def lost_seconds() -> float:
    """How long the clock has stood still in this process."""
    return _lost


@contextmanager
def standstill() -> Iterator[None]:
    """Stop the clock; for one block at a time."""
    global _lost  # noqa: PLW0603 - one clock for the process
    began = time.perf_counter()
    try:
        yield
    finally:
        _lost += time.perf_counter() - began
