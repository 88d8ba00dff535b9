"""Finished resamples in a file, so that a run that was ended goes on where it was."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from toposwap.certainty.resample import Resample
from toposwap.certainty.units import row_weights_of, rows_of
from toposwap.core.errors import InputError
from toposwap.core.tables.gaps import Incomplete
from toposwap.io.journal import Journal

if TYPE_CHECKING:
    import os

    from toposwap.certainty.resampler import Resampler


class ResampleStore:
    """Resamples in the lines of a file, after a first line that says of what.

    Parameters
    ----------
    path
        The file.
    resampler
        What the resamples are of: another table, model or seed is refused.
    """

    def __init__(self, path: str | os.PathLike[str], resampler: Resampler) -> None:
        self._journal = Journal(Path(path), "--store")
        self._of = description(resampler)
        self.found: list[Resample] = []

    def __enter__(self) -> Self:
        """Open the file and take over what is finished."""
        self._journal.__enter__()
        try:
            records = self._journal.records()
            if not records:
                self._journal.append({"resamples_of": self._of})
            elif records[0] != {"resamples_of": self._of}:
                raise InputError(
                    f"--store: {str(self._journal.path)!r} holds resamples of another table, or "
                    "with other settings: choose another file"
                )
            self.found = [_read(record, self._journal.path) for record in records[1:]]
        except BaseException:
            self._journal.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._journal.__exit__(*error)

    def append(self, graph: Resample) -> None:
        """Keep one more; when this returns it survives whatever happens."""
        edges = zip(graph.edges.tolist(), graph.weights.tolist(), graph.open.tolist(), strict=True)
        self._journal.append(
            {
                "number": graph.number,
                "edges": [[i, j, weight, is_open] for (i, j), weight, is_open in edges],
                "failed": graph.failed,
                "noise": None if graph.noise is None else graph.noise.tolist(),
            }
        )


def description(resampler: Resampler) -> str:
    """A digest of all that the graphs depend on: rows, names, settings, method and seed."""
    data, units = resampler.data, resampler.units
    digest = hashlib.sha256()
    rows, weights = rows_of(data), row_weights_of(data)
    for array in (rows, weights, units.times, units.of_row, units.row_weights):
        digest.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
    done = data.read.interventions if isinstance(data, Incomplete) else data.interventions
    if done is not None:
        digest.update(done.kind.encode() + done.targets.tobytes())
    settings = {
        key: repr(value)
        for key, value in sorted(resampler.model.get_params(deep=False).items())
        if key not in ("progress", "n_jobs")
    }
    told = (data.names, settings, resampler.method.name, resampler.entropy)
    digest.update(repr(told).encode())
    return digest.hexdigest()


def _read(record: Any, path: Path) -> Resample:
    """A line of the file."""
    try:
        edges = record["edges"]
        pairs = np.array([edge[:2] for edge in edges], dtype=np.int32).reshape(-1, 2)
        weights = np.array([edge[2] for edge in edges], dtype=np.float64)
        is_open = np.array([edge[3] for edge in edges], dtype=bool)
        noise = record.get("noise")
        return Resample(
            int(record["number"]),
            pairs,
            weights,
            is_open,
            str(record["failed"]),
            None if noise is None else np.array(noise, dtype=np.float64),
        )
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise InputError(f"--store: {str(path)!r} has a line that is no resample") from error
