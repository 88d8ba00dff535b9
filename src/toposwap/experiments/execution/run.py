"""From an experiment to a store in which all its cells are finished."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from toposwap.core.errors import InputError
from toposwap.core.runtime.signals import uninterrupted
from toposwap.experiments.cell import code_version
from toposwap.experiments.check import check_experiment
from toposwap.experiments.execution.clock import Clock
from toposwap.experiments.execution.plan import Plan, method_key

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.cell import Cell
    from toposwap.experiments.config import Experiment
    from toposwap.experiments.execution.work import Outcome
    from toposwap.experiments.store import Store


class Workers(Protocol):
    """What runs cells: processes here, or a cluster."""

    @property
    def jobs(self) -> int:
        """How many cells are worked on at a time."""

    def has_room(self) -> bool:
        """Whether a cell can be submitted now."""

    def submit(self, cell: Cell, start: NDArray[np.float64] | None) -> None:
        """Begin a cell, with the weights (d, d) that it starts from."""

    def wait(self) -> list[tuple[Cell, Outcome]]:
        """Wait a little for cells to finish; those that did."""

    def close(self) -> None:
        """Stop everything, finished or not."""


@dataclass
class Progress:
    """How far a run is.

    Attributes
    ----------
    total, done, failed
        Numbers of cells; those that were finished before are in the first two.
    seconds_left
        What the cells that are left will take, judging by those that are finished.
    skipped
        Methods that cannot be run here, with the reason.
    older
        How many of the finished cells other versions of the code made, by version.
    interrupted
        Whether it was stopped before the end.
    """

    total: int
    done: int = 0
    failed: int = 0
    seconds_left: float | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    older: dict[str, int] = field(default_factory=dict)
    interrupted: bool = False


def run(
    experiment: Experiment,
    store: Store,
    workers: Callable[[], Workers],
    *,
    fresh: bool = False,
    retry: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Finish the cells of ``experiment`` that ``store`` does not have yet.

    Ctrl-C ends it before that; what is finished is kept.

    Parameters
    ----------
    workers
        Makes what runs the cells; not called if nothing is left to run.
    fresh
        Run cells again that another version of the code finished.
    retry
        Run cells again that failed.
    """
    check_experiment(experiment)
    plan = Plan(experiment, store, code_version() if fresh else None, retry=retry)
    state = _Run(plan, store, progress)
    if state.left:
        state.work(workers)
    return state.progress


class _Run:
    """Cells on their way from ``left`` through ``under_way`` to the store."""

    def __init__(self, plan: Plan, store: Store, show: Callable[[Progress], None]) -> None:
        self.plan = plan
        self.store = store
        self.version = code_version()
        self.left = deque(plan.left())
        self.under_way: dict[str, Cell] = {}
        #: Keys of both.
        self.pending = {cell.key for cell in self.left}
        #: Methods that cannot be run here.
        self.absent: set[str] = set()
        self.clock = Clock(store, plan.cells.values(), plan.version)
        self.progress = self._progress()
        self._show = show
        show(self.progress)

    def work(self, workers: Callable[[], Workers]) -> None:
        """Until nothing is left, or Ctrl-C."""
        team: Workers | None = None
        try:
            team = workers()
            while self.left or self.under_way:
                self._hand_out(team)
                for cell, outcome in team.wait() if self.under_way else ():
                    self._take_back(cell, outcome)
                if self.clock.is_due() or not self.left:
                    cells = [*self.left, *self.under_way.values()]
                    self.progress.seconds_left = self.clock.left(cells, team.jobs)
                self._show(self.progress)
        except KeyboardInterrupt:
            # It may have come while a cell's line was on its way: what the disk has counts.
            self.store.read()
            self.progress.interrupted = True
            self.progress.done = len(self.plan.cells) - len(self.plan.left())
        finally:
            if team is not None:
                with uninterrupted():
                    team.close()

    def _progress(self) -> Progress:
        """Where the store is before anything is run."""
        cells = self.plan.cells
        state = Progress(len(cells), len(cells) - len(self.left))
        for cell in cells.values():
            record = self.plan.record(cell)
            if record is not None and cell.key not in self.pending:
                state.failed += "error" in record
                if record["version"] != self.version:
                    state.older[record["version"]] = state.older.get(record["version"], 0) + 1
        return state

    def _hand_out(self, team: Workers) -> None:
        """Give workers that have room the cells whose start is finished."""
        for _ in range(len(self.left)):
            if not team.has_room():
                return
            cell = self.left.popleft()
            start = cell.start
            if start is not None and start.key in self.pending:
                # Still under way: its turn comes.
                self.left.append(cell)
                continue
            self.pending.discard(cell.key)
            if method_key(cell) in self.absent:
                self.progress.total -= 1
            elif start is not None and method_key(start) in self.absent:
                self._skip(cell, "what it starts from cannot be run")
            elif start is not None and not self.plan.has_weights(start):
                limit = (self.plan.record(start) or {}).get("limit")
                result = {"error": "what it starts from failed"} | (
                    {"limit": limit} if limit else {}
                )
                self._finish(cell, result)
            else:
                weights = None if start is None else self.store.weights(start, self.plan.version)
                self.under_way[cell.key] = cell
                self.pending.add(cell.key)
                team.submit(cell, weights)

    def _take_back(self, cell: Cell, outcome: Outcome) -> None:
        """Remember what became of a cell."""
        del self.under_way[cell.key]
        self.pending.discard(cell.key)
        if outcome.skipped is not None:
            self._skip(cell, outcome.skipped)
            return
        if outcome.version not in ("", self.version):
            raise InputError(
                f"a worker has another version of toposwap ({outcome.version}, here "
                f"{self.version}): install the same everywhere"
            )
        keep = outcome.weights if cell.key in self.plan.starts else None
        self._finish(cell, outcome.result, keep)
        self.clock.note(cell, outcome.result)

    def _finish(
        self, cell: Cell, result: dict[str, Any], weights: NDArray[np.float64] | None = None
    ) -> None:
        self.store.append(cell, self.version, result, weights)
        self.progress.done += 1
        self.progress.failed += "error" in result

    def _skip(self, cell: Cell, why: str) -> None:
        key = method_key(cell)
        self.absent.add(key)
        self.progress.skipped[self.plan.labels.get(key, key)] = why
        self.progress.total -= 1
