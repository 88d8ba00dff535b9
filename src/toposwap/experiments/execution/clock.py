"""How long the cells that are left will take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toposwap.experiments.execution.plan import method_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposwap.experiments.cell import Cell
    from toposwap.experiments.store import Store

_PREDICT_EVERY = 2.0


class Clock:
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
            for key in _likenesses(cell):
                spent, sizes = self._seen.get(key, (0.0, 0.0))
                self._seen[key] = (spent + float(seconds), sizes + _size(cell))

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
        for key in _likenesses(cell):
            if key in self._seen:
                spent, sizes = self._seen[key]
                return spent / sizes * _size(cell)
        return 0.0


def _likenesses(cell: Cell) -> Iterator[str]:
    """From the same data and method to anything at all."""
    method = method_key(cell)
    yield method + str(cell.data)
    yield method
    yield ""


def _size(cell: Cell) -> float:
    return float(cell.data.get("d", 3)) ** 3
