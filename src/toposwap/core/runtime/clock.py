"""A clock that stands still while kernels are compiled, so that searches are timed without it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_lost = 0.0
_depth = 0


def clock() -> float:
    """Seconds since some moment, less what went by within :func:`standstill`."""
    return time.perf_counter() - _lost


def lost_seconds() -> float:
    """How long the clock has stood still in this process."""
    return _lost


@contextmanager
def standstill() -> Iterator[None]:
    """Stop the clock; of blocks within blocks the outermost counts."""
    global _lost, _depth  # noqa: PLW0603 - one clock for the process
    began = time.perf_counter()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            _lost += time.perf_counter() - began
