"""The first fit of a score on a machine: two processes compile its kernels.

A score whose search begins with another one, at the order of an additive model or through
surrogates, needs the kernels of both, and numba compiles one function of a process at a time. So
where a score has not been compiled yet, a second process fits what comes before it to a small piece
of the table while this one fits the score itself to it; both leave their code on the disk, where
the fit proper finds it. Whatever goes wrong on the way costs nothing but that gain: what is missing
is compiled when it is needed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np

from toposwap.assess import assess
from toposwap.core.dataset import Dataset
from toposwap.core.order import Order
from toposwap.core.runtime.clock import standstill
from toposwap.core.runtime.ctrl_c import CtrlC
from toposwap.pruning import own_pruner
from toposwap.search.auto import AutoSearch
from toposwap.search.base import run
from toposwap.search.start import STARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposwap.scores import BoundScore, Score

_ROWS, _COLUMNS = 150, 8
_CHILD = "from toposwap.rehearsal import second_process; second_process()"


def compile_ahead(bound: BoundScore) -> None:
    """Compile the kernels of ``bound`` and of what comes before it, unless that was done before.

    Nothing happens for scores that begin by themselves, where there is one processor, and in
    processes that are workers themselves.
    """
    strategy = bound.strategy
    surrogates = [surrogate.score for surrogate in strategy.surrogates]
    alone = not surrogates and strategy.start != "additive"
    if alone or bound.data.held is None or not _may_start_processes():
        return
    from toposwap.kernels import cache
    from toposwap.kernels.compiling import announce

    kinds = [type(score).__qualname__ for score in (bound.score, *surrogates)]
    done = f"rehearsed-{cache.digest_of(*kinds, strategy.start)}"
    if cache.read(done) is not None:
        return
    announce()
    with standstill():
        if _in_two_processes(bound, surrogates):
            cache.write(done, pickle.dumps(True))


def _in_two_processes(bound: BoundScore, surrogates: list[Score]) -> bool:
    """Rehearse the score here and what comes before it elsewhere; False where that cannot be."""
    piece = _piece_of(bound.data)
    child = _started(bound.strategy.start, surrogates, piece)
    if child is None:
        return False
    try:
        with CtrlC() as ctrl_c:
            rehearse(bound.score, piece)
        # The search of a rehearsal would keep its best order and go on.
        if ctrl_c.pressed:
            raise KeyboardInterrupt
        child.wait()
    finally:
        child.kill()
        child.wait()
    return True


def rehearse(score: Score, rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    """Fit ``score`` to ``rows`` without surrogates, for the code that this compiles."""
    # A piece of a table may be what the table is not: constant, say.
    with contextlib.suppress(Exception), np.errstate(all="ignore"):
        data = Dataset.from_table(rows)
        bound = score.bind(data)
        rng = np.random.default_rng(0)
        fit = bound.fit(Order(np.arange(data.d)))
        search = AutoSearch(n_restarts=0 if bound.strategy.surrogates else 2)
        pruner = own_pruner(bound)
        run(search, fit, data.names, rng=rng, pruner=pruner, surrogates_followed=True)
        parameters = fit.parameters()
        assess(bound, parameters)
        if pruner is not None:
            pruner.prune(bound, parameters, fit.order, rng=rng)


def second_process() -> None:
    """What the other process does: the start and the scores that come through standard input."""
    start, scores, rows = pickle.load(sys.stdin.buffer)  # written by _started()
    with contextlib.suppress(Exception):
        STARTS[start](Dataset.from_table(rows))
    for score in scores:
        rehearse(score, rows)


def _started(
    start: str,
    scores: Sequence[Score],
    rows: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> subprocess.Popen[bytes] | None:
    """The process that rehearses ``start`` and ``scores``, None where there can be none."""
    try:
        text = pickle.dumps((start, scores, rows))
        path = os.pathsep.join(entry for entry in sys.path if entry)
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        )
        assert child.stdin is not None
        with child.stdin:
            child.stdin.write(text)
    except (OSError, pickle.PicklingError, AttributeError, TypeError):
        return None
    return child


def _may_start_processes() -> bool:
    """Whether there is a processor to spare, and this process is nobody's worker."""
    frozen = getattr(sys, "frozen", False) or not sys.executable
    cores = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
    worker = multiprocessing.parent_process() is not None
    return not frozen and not worker and (cores or 1) > 1


def _piece_of(data: Dataset) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Some rows and columns from all over the table."""
    assert data.rows is not None
    rows = np.unique(np.linspace(0, len(data.rows) - 1, _ROWS).astype(int))
    columns = np.unique(np.linspace(0, data.d - 1, _COLUMNS).astype(int))
    return np.ascontiguousarray(data.rows[np.ix_(rows, columns)])
