"""Measuring on a shared machine: one thread, warm, permuted columns, ratios from the same run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import scipy.linalg  # noqa: F401 - its BLAS must be loaded to be limited
from threadpoolctl import threadpool_limits

# The yardstick and the measured code get one core, and so do learners with threads of their own.
threadpool_limits(limits=1)
os.environ["RAYON_NUM_THREADS"] = "1"


def seconds(call: Callable[[], object]) -> float:
    """Wall time of one call."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def processor_seconds(call: Callable[[], object]) -> float:
    """Processor time of one call in this process; one thread's wall time on a quiet machine."""
    began = time.process_time()
    call()
    return time.process_time() - began


def ratio(
    measured: Callable[[], object], yardstick: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Median of ``repeats`` ratios measured / yardstick, the two run right after each other.

    The second number is the median time of the yardstick in seconds. Both are called once before
    anything is timed.
    """
    measured()
    yardstick()
    ratios, yards = [], []
    for _ in range(repeats):
        yards.append(seconds(yardstick))
        ratios.append(seconds(measured) / yards[-1])
    return sorted(ratios)[repeats // 2], sorted(yards)[repeats // 2]
