"""From an experiment to a store in which all its cells are finished."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from toposwap.core.errors import InputError
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
        """Begin a cell."""

    def wait(self) -> list[tuple[Cell, Outcome]]:
        """Wait a little for cells to finish; those that did."""

    def close(self) -> None:
        """Stop everything."""


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
    version = code_version()
    plan = Plan(experiment, store, version if fresh else None, retry=retry)
    cells, labels = plan.cells, plan.labels
    left = deque(plan.left())
    # Keys of ``left`` and ``under_way``.
    pending = {cell.key for cell in left}
    state = Progress(len(cells), len(cells) - len(left))
    for cell in cells.values():
        record = plan.record(cell)
        if record is not None and cell.key not in pending:
            state.failed += "error" in record
            if record["version"] != version:
                state.older[record["version"]] = state.older.get(record["version"], 0) + 1
    clock = Clock(store, cells.values(), plan.version)
    progress(state)
    if not left:
        return state
    under_way: dict[str, Cell] = {}
    absent: set[str] = set()

    def skip(cell: Cell, why: str) -> None:
        key = method_key(cell)
        absent.add(key)
        state.skipped[labels.get(key, key)] = why
        state.total -= 1

    team = workers()
    try:
        while left or under_way:
            for _ in range(len(left)):
                if not team.has_room():
                    break
                cell = left.popleft()
                start = cell.start
                if start is not None and start.key in pending:
                    # Still under way: its turn comes.
                    left.append(cell)
                    continue
                pending.discard(cell.key)
                if method_key(cell) in absent:
                    state.total -= 1
                elif start is not None and method_key(start) in absent:
                    skip(cell, "what it starts from cannot be run")
                elif start is not None and not plan.has_weights(start):
                    result = {"error": "what it starts from failed"}
                    limit = (plan.record(start) or {}).get("limit")
                    store.append(cell, version, result | ({"limit": limit} if limit else {}))
                    state.done, state.failed = state.done + 1, state.failed + 1
                else:
                    weights = None if start is None else store.weights(start, plan.version)
                    under_way[cell.key] = cell
                    pending.add(cell.key)
                    team.submit(cell, weights)
            for cell, outcome in team.wait() if under_way else ():
                del under_way[cell.key]
                pending.discard(cell.key)
                if outcome.skipped is not None:
                    skip(cell, outcome.skipped)
                    continue
                if outcome.version not in ("", version):
                    raise InputError(
                        f"a worker has another version of toposwap ({outcome.version}, here "
                        f"{version}): install the same everywhere"
                    )
                keep = outcome.weights if cell.key in plan.starts else None
                store.append(cell, version, outcome.result, keep)
                state.done += 1
                state.failed += "error" in outcome.result
                clock.note(cell, outcome.result)
            if clock.is_due() or not left:
                state.seconds_left = clock.left([*left, *under_way.values()], team.jobs)
            progress(state)
    except KeyboardInterrupt:
        # It may have come while a cell's line was on its way: what the disk has counts.
        store.read()
        state.interrupted = True
        state.done = len(cells) - len(plan.left())
    finally:
        team.close()
    return state
