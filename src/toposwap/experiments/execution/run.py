"""From an experiment to a store in which all its cells are finished."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from toposwap.core.errors import InputError
from toposwap.experiments.cell import code_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.cell import Cell
    from toposwap.experiments.config import Experiment
    from toposwap.experiments.execution.work import Outcome
    from toposwap.experiments.store import Store

_PREDICT_EVERY = 2.0


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
    interrupted
        Whether it was stopped before the end.
    """

    total: int
    done: int = 0
    failed: int = 0
    seconds_left: float | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


def run(
    experiment: Experiment,
    store: Store,
    workers: Callable[[], Workers],
    *,
    any_version: bool = False,
    retry: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Finish the cells of ``experiment`` that ``store`` does not have yet.

    Ctrl-C ends it before that; what is finished is kept.

    Parameters
    ----------
    workers
        Makes what runs the cells; not called if nothing is left to run.
    any_version
        Take cells that another version of the code made.
    retry
        Run cells again that failed.
    """
    version = code_version()
    wanted = None if any_version else version
    labels = {method_key(cell): method.label for method, cell in experiment.cells()}
    # What a cell starts from comes first, whether the experiment shows it or not.
    cells: dict[str, Cell] = {}
    for _, cell in experiment.cells():
        for one in reversed(list(_chain(cell))):
            cells.setdefault(one.key, one)
    needed = {cell.start.key for cell in cells.values() if cell.start is not None}

    def finished(cell: Cell) -> bool:
        record = store.get(cell, wanted)
        if record is None:
            return False
        if "error" in record:
            # A cell that was cut off may be given more time.
            limit, allowed = record.get("limit"), experiment.limit
            more = limit is not None and (allowed is None or allowed > limit)
            return not (retry or more)
        return cell.key not in needed or store.has_weights(cell, wanted)

    state = Progress(len(cells))
    left = deque(cell for cell in cells.values() if not finished(cell))
    state.done = len(cells) - len(left)
    state.failed = sum("error" in (store.get(c, wanted) or {}) for c in cells.values())
    state.failed -= sum("error" in (store.get(c, wanted) or {}) for c in left)
    clock = _Clock(store, cells.values(), wanted)
    progress(state)
    if not left:
        return state
    under_way: dict[str, Cell] = {}
    # Keys of ``left`` and ``under_way``.
    pending = {cell.key for cell in left}
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
                elif start is not None and not store.has_weights(start, wanted):
                    result = {"error": "what it starts from failed"}
                    limit = (store.get(start, wanted) or {}).get("limit")
                    store.append(cell, version, result | ({"limit": limit} if limit else {}))
                    state.done, state.failed = state.done + 1, state.failed + 1
                else:
                    weights = None if start is None else store.weights(start, wanted)
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
                keep = outcome.weights if cell.key in needed else None
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
        state.done = sum(map(finished, cells.values()))
    finally:
        team.close()
    return state


def method_key(cell: Cell) -> str:
    """A method with all its settings, as text."""
    return repr(sorted(cell.method.items(), key=str))


def _chain(cell: Cell) -> Iterable[Cell]:
    """A cell, what it starts from, and so on."""
    one: Cell | None = cell
    while one is not None:
        yield one
        one = one.start


class _Clock:
    """Predicts from finished cells: the same method on the same kind of data, else what there is.

    A cell's time grows about with the cube of d.
    """

    def __init__(self, store: Store, cells: Iterable[Cell], version: str | None) -> None:
        self._seen: dict[str, tuple[float, float]] = {}
        self._next = 0.0
        for cell in cells:
            record = store.get(cell, version)
            if record is not None:
                self.note(cell, record)

    def note(self, cell: Cell, result: dict[str, object]) -> None:
        """Learn from a finished cell."""
        seconds = result.get("seconds", result.get("limit"))
        if isinstance(seconds, int | float):
            size = float(cell.data.get("d", 3)) ** 3
            for key in (method_key(cell) + str(cell.data), method_key(cell), ""):
                spent, sizes = self._seen.get(key, (0.0, 0.0))
                self._seen[key] = (spent + float(seconds), sizes + size)

    def is_due(self) -> bool:
        """Whether it is worth predicting again: thousands of cells may be left."""
        return time.monotonic() > self._next

    def left(self, cells: Iterable[Cell], jobs: int) -> float | None:
        """Seconds that ``cells`` will take."""
        self._next = time.monotonic() + _PREDICT_EVERY
        if not self._seen:
            return None
        return sum(self._guess(cell) for cell in cells) / jobs

    def _guess(self, cell: Cell) -> float:
        size = float(cell.data.get("d", 3)) ** 3
        for key in (method_key(cell) + str(cell.data), method_key(cell), ""):
            if key in self._seen:
                spent, sizes = self._seen[key]
                return spent / sizes * size
        return 0.0
