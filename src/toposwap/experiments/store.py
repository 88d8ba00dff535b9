"""Finished cells on disk, one line of a journal each, safe against a kill at any point.

A cell without its whole line was not finished. Weights that another cell starts from are files of
their own, written before the line.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from toposwap.core.errors import InputError
from toposwap.io.atomic import replacing
from toposwap.io.journal import Journal, first_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.experiments.cell import Cell

FILE = "cells.jsonl"
WEIGHTS = "weights"


class Store:
    """The results in a directory.

    Parameters
    ----------
    folder
        Where ``cells.jsonl`` is; created with :meth:`open`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._journal = Journal(self.path, "--output")
        self._records: dict[tuple[str, str], dict[str, Any]] = {}
        self._latest: dict[str, dict[str, Any]] = {}

    @property
    def path(self) -> Path:
        """The file of all records."""
        return self.folder / FILE

    def __enter__(self) -> Self:
        """Open for writing: nobody else may, and a half-written last line is cut off."""
        try:
            (self.folder / WEIGHTS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot write results to {str(self.folder)!r}: {first_words(error)}; choose "
                "another directory"
            ) from error
        self._journal.__enter__()
        try:
            self._take(self._journal.records())
        except BaseException:
            self._journal.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._journal.__exit__(*error)

    def read(self) -> Self:
        """Load without the right to write; a line that is being written is left out."""
        if self.path.exists():
            self._take(self._journal.read())
        return self

    def __len__(self) -> int:
        return len(self._records)

    def get(self, cell: Cell, version: str | None) -> dict[str, Any] | None:
        """The record of a cell made by this version of the code; None takes the latest of any."""
        if version is None:
            return self._latest.get(cell.key)
        return self._records.get((cell.key, version))

    def has_weights(self, cell: Cell, version: str | None) -> bool:
        """Whether the weights of a finished cell were kept."""
        record = self.get(cell, version)
        return record is not None and self._weights_path(cell.key, record["version"]).exists()

    def weights(self, cell: Cell, version: str | None) -> NDArray[np.float64]:
        """The weights of a finished cell, (d, d)."""
        import numpy as np

        record = self.get(cell, version)
        assert record is not None
        return np.load(self._weights_path(cell.key, record["version"]), allow_pickle=False)

    def append(
        self,
        cell: Cell,
        version: str,
        result: dict[str, Any],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Remember a finished cell; when this returns it survives whatever happens."""
        if not self._journal.is_open:
            raise InputError("the store is not open for writing: use it in a with statement")
        if weights is not None:
            import numpy as np

            with replacing(self._weights_path(cell.key, version)) as file, file.open("wb") as sink:
                np.save(sink, weights, allow_pickle=False)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"key": cell.key, "version": version, "when": when, "cell": cell.content()}
        record = about | result
        self._journal.append(record)
        self._records[cell.key, version] = self._latest[cell.key] = record

    def _weights_path(self, key: str, version: str) -> Path:
        return self.folder / WEIGHTS / f"{key}-{version.rpartition('+')[2]}.npy"

    def _take(self, records: list[Any]) -> None:
        for number, record in enumerate(records, 1):
            try:
                # A later line is a cell that was tried again.
                place = (record["key"], record["version"])
            except (TypeError, KeyError) as error:
                raise InputError(
                    f"{str(self.path)!r}, line {number}: no result of a cell; remove that line"
                ) from error
            self._records[place] = self._latest[record["key"]] = record
