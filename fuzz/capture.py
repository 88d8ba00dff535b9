"""What a block writes to standard output and standard error, and how long it takes."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from toposwap.core.runtime.clock import lost_processor_seconds, lost_seconds


@dataclass
class Heard:
    """What was written, as text, and the seconds it took.

    Time for compiling is left out, and so is time without the processor: a machine that is busy
    with something else does not count against the block.
    """

    out: str = ""
    err: str = ""
    seconds: float = 0.0


@contextmanager
def listening() -> Iterator[Heard]:
    """Catch what is written in the block, also by compiled code."""
    heard = Heard()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        _flush()
        kept = os.dup(1), os.dup(2)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        began = _standing()
        try:
            yield heard
        finally:
            # Of a busy machine the processor's, of workers and waiting the clock's.
            heard.seconds = max(0.0, float((_standing() - began).min()))
            _flush()
            for descriptor, original in zip((1, 2), kept, strict=True):
                os.dup2(original, descriptor)
                os.close(original)
            heard.out, heard.err = _read(out), _read(err)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _read(sink: object) -> str:
    sink.seek(0)  # type: ignore[attr-defined]
    text: str = sink.read().decode(errors="backslashreplace")  # type: ignore[attr-defined]
    return text


def _standing() -> np.ndarray:
    """Seconds by the clock and of the processor, (2,), less those spent on compiling."""
    return np.array([time.perf_counter(), time.process_time()]) - [
        lost_seconds(),
        lost_processor_seconds(),
    ]
