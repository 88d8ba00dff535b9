"""A clock that stands still while kernels are compiled, so that searches are timed without it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_lost = 0.0
_lost_processor = 0.0
_depth = 0


def clock() -> float:
    """Seconds since some moment, less what went by within :func:`standstill`."""
    return time.perf_counter() - _lost


def lost_seconds() -> float:
    """How long the clock has stood still in this process."""
    return _lost


def lost_processor_seconds() -> float:
    """What the process took of the processor while the clock stood still."""
    return _lost_processor


@contextmanager
def standstill() -> Iterator[None]:
    """Stop the clock; of blocks within blocks the outermost counts."""
    global _lost, _lost_processor, _depth  # noqa: PLW0603 - one clock for the process
    began, processor = time.perf_counter(), time.process_time()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            _lost += time.perf_counter() - began
            _lost_processor += time.process_time() - processor
