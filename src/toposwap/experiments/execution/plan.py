"""Which cells of an experiment are left to run.

A finished cell counts whichever version of the code finished it, unless a version is asked for. One
that failed is left alone unless it is to be tried again, or may have more time than it was given.
Weights are kept for cells that start from them, so a finished cell is run again if its weights are
gone and something that is left starts from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposwap.experiments.cell import Cell
    from toposwap.experiments.config import Experiment
    from toposwap.experiments.store import Store


class Plan:
    """The cells of ``experiment`` with what they start from, and those that ``store`` has.

    Parameters
    ----------
    version
        The code that must have finished a cell; None takes any.
    retry
        Run cells again that failed.

    Attributes
    ----------
    cells
        By key; what a cell starts from comes before it, whether the experiment shows it or not.
    starts
        Keys of the cells that others start from.
    labels
        Methods by :func:`method_key`.
    """

    def __init__(
        self, experiment: Experiment, store: Store, version: str | None, *, retry: bool
    ) -> None:
        self._store = store
        self._limit = experiment.limit
        self._retry = retry
        self.version = version
        self.labels = {method_key(cell): method.label for method, cell in experiment.cells()}
        self.cells: dict[str, Cell] = {}
        for _, cell in experiment.cells():
            for one in reversed(list(_chain(cell))):
                self.cells.setdefault(one.key, one)
        self.starts = {cell.start.key for cell in self.cells.values() if cell.start is not None}

    def record(self, cell: Cell) -> dict[str, Any] | None:
        """What the store has of a cell."""
        return self._store.get(cell, self.version)

    def has_weights(self, cell: Cell) -> bool:
        """Whether another cell can start from this one."""
        return self._store.has_weights(cell, self.version)

    def left(self) -> list[Cell]:
        """The cells to run, in an order in which each comes after what it starts from."""
        found: dict[str, Cell] = {}
        needed: set[str] = set()
        # Backwards, so that it is known of each cell whether something that is left needs it.
        for cell in reversed(self.cells.values()):
            if not self._is_done(cell, needs_weights=cell.key in needed):
                found[cell.key] = cell
                if cell.start is not None:
                    needed.add(cell.start.key)
        return list(reversed(found.values()))

    def _is_done(self, cell: Cell, *, needs_weights: bool) -> bool:
        record = self.record(cell)
        if record is None:
            return False
        if "error" in record:
            limit = record.get("limit")
            more = limit is not None and (self._limit is None or self._limit > limit)
            return not (self._retry or more)
        return not needs_weights or self.has_weights(cell)


def method_key(cell: Cell) -> str:
    """A method with all its settings, as text."""
    return repr(sorted(cell.method.items(), key=str))


def _chain(cell: Cell) -> Iterator[Cell]:
    """A cell, what it starts from, and so on."""
    one: Cell | None = cell
    while one is not None:
        yield one
        one = one.start
