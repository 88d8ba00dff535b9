"""What a worker does with one cell."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError, MissingExtraError
from toposwap.core.runtime.settings import parameters_of
from toposwap.experiments.cell import Cell, code_version

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.datasets import Sample
    from toposwap.experiments.methods import Task

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
    from toposwap.experiments.methods import Task, learn

    _refuse_other_files(cell)
    sample = draw(cell.located_data(), cell.seed)
    task = Task(cell.score, cell.threshold, cell.seed, start)
    _warm_up(cell, sample, task)
    begun()
    began, cpu = time.perf_counter(), time.process_time()
    answer = learn(cell.method, sample, task)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    figures = evaluate(sample, answer, cell.score, cell.threshold, cell.method.get("score"))
    figures |= {"seconds": seconds, "cpu_seconds": cpu_seconds}
    return Outcome(figures, answer.weights, version=version)


def _refuse_other_files(cell: Cell) -> None:
    """Files and modules of the user's own must be here what they are where the cell was made."""
    for key, path in cell.files().items():
        if not path.is_file():
            raise InputError(f"data: {key} = {cell.data[key]!r}: there is no such file")
    if (cell.files() or cell.own_names()) and replace(cell).key != cell.key:
        raise InputError(
            "a file or module that the config names has changed since the run began, or is another "
            "one on this machine: run it again, with the same files everywhere"
        )


def _warm_up(cell: Cell, sample: Sample, task: Task) -> None:
    """Let kernels compile on a few rows and columns before anything is timed."""
    sign = repr((cell.data["kind"], cell.method, cell.score))
    if sign in _warm:
        return
    _warm.add(sign)
    settings = {key: value for key, value in cell.method.items() if key not in _SIZES}
    if settings.get("kind") == "baseline":
        from toposwap.baselines import BASELINES

        if "steps" in parameters_of(BASELINES[settings["name"]]):
            settings["steps"] = 10
    from toposwap.experiments.methods import learn

    # Data of one's own may have nothing to say in so few rows; the learner itself will tell.
    with contextlib.suppress(Exception):
        learn(settings, _few(cell, sample), replace(task, start=None))


def _few(cell: Cell, sample: Sample) -> Sample:
    """Data like those of the cell, but few: drawn where their size is a setting, cut otherwise."""
    from toposwap.experiments.datasets import draw

    if cell.data["kind"] in ("linear", "logistic", "neural"):
        kept = {key: value for key, value in cell.data.items() if key != "k"}
        return draw({**kept, "d": 4, "n": 60, "graph": "ER1"}, 0)
    return sample.first(200, 6)


def _one_torch_thread() -> None:
    """Torch keeps threads of its own, if it is there."""
    import sys

    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
