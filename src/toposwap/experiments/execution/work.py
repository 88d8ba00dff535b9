"""What a worker does with one cell."""

from __future__ import annotations

import contextlib
import inspect
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import MissingExtraError
from toposwap.experiments.cell import Cell, code_version

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.methods import Answer, Task

#: What has run in this process already, so that its kernels are compiled: data, method, score.
_warm: set[str] = set()
#: Settings that belong to the size of the data.
_SIZES = ("s_small", "s_large", "order")


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished cell.

    Attributes
    ----------
    result
        Figures by name; ``error`` alone if it failed.
    weights
        What another cell may start from, (d, d).
    skipped
        Why the method cannot be run here at all.
    version
        The code that ran.
    """

    result: dict[str, Any] = field(default_factory=dict)
    weights: NDArray[np.float64] | None = None
    skipped: str | None = None
    version: str = ""


def run_cell(
    cell: Cell, start: NDArray[np.float64] | None, begun: Callable[[], None] = lambda: None
) -> Outcome:
    """Draw, learn, judge. Whatever goes wrong is part of the outcome.

    One thread, so that cells side by side do not disturb each other's times. ``begun`` is called
    when packages are loaded and kernels compiled, right before the learner.
    """
    from threadpoolctl import threadpool_limits

    version = code_version()
    try:
        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _one_torch_thread()
            return _run(cell, start, version, begun)
    except MissingExtraError as missing:
        return Outcome(skipped=str(missing), version=version)
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return Outcome({"error": text[:500]}, version=version)


def _run(
    cell: Cell, start: NDArray[np.float64] | None, version: str, begun: Callable[[], None]
) -> Outcome:
    from toposwap.experiments.datasets import draw
    from toposwap.experiments.evaluate import evaluate
    from toposwap.experiments.methods import Task, learner

    sample = draw(cell.data, cell.seed)
    settings = {key: cell.method[key] for key in cell.method if key not in ("kind", "start")}
    task = Task(settings, cell.score, cell.threshold, cell.seed, start)
    kind = cell.method.get("kind")
    learn = learner(kind)
    _warm_up(cell, task)
    begun()
    began, cpu = time.perf_counter(), time.process_time()
    answer: Answer = learn(sample, task)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    figures = evaluate(sample, answer, cell.score, cell.threshold, cell.method.get("score"))
    figures |= {"seconds": seconds, "cpu_seconds": cpu_seconds}
    return Outcome(figures, answer.weights, version=version)


def _warm_up(cell: Cell, task: Task) -> None:
    """Let kernels compile on a few rows before anything is timed."""
    from dataclasses import replace

    from toposwap.experiments.datasets import draw
    from toposwap.experiments.methods import learner

    settings = {key: task.settings[key] for key in task.settings if key not in _SIZES}
    sign = repr((cell.data["kind"], cell.method, cell.score))
    if sign in _warm:
        return
    data = {**cell.data, "d": 4, "n": 60, "graph": "ER1"} if "d" in cell.data else cell.data
    if "name" in settings:
        from toposwap.baselines import BASELINES

        if "steps" in inspect.signature(BASELINES[settings["name"]]).parameters:
            settings["steps"] = 10
    # Without its packages the learner itself says what is missing.
    with contextlib.suppress(ImportError):
        learner(cell.method["kind"])(draw(data, 0), replace(task, settings=settings, start=None))
    _warm.add(sign)


def _one_torch_thread() -> None:
    """Torch keeps threads of its own, if it is there."""
    import sys

    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
