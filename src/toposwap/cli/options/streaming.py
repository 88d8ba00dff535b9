"""Options about tables in many files, or larger than memory, and the table they describe."""

from __future__ import annotations

import glob
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from toposwap.cli.options.numbers import Whole
from toposwap.cli.options.reading import Chosen
from toposwap.core.errors import InputError, ToposwapWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from toposwap.cli.options.learning import Learning
    from toposwap.cli.options.reading import Reading
    from toposwap.core.dataset import Dataset
    from toposwap.estimators import Topo
    from toposwap.streams import FileStream

    Say = Callable[[str], None]

#: Part of the memory that the files of a table may have, packed as they are, to be read whole.
_OF_MEMORY = 0.1


@dataclass(frozen=True, eq=False)
class PassedOver:
    """A table that was read once and is not held: its columns, its length, and its moments."""

    dataset: Dataset

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.dataset.names

    def __len__(self) -> int:
        return self.dataset.n


@dataclass(frozen=True)
class Streaming:
    """Whether to keep rows, and how many."""

    stream: bool = False
    sample: int | None = None
    dask: str | None = None

    def chosen(
        self, tables: tuple[str, ...], reading: Reading, learning: Learning, say: Say
    ) -> Chosen:
        """The columns to learn from: rows where these fit, and else what one pass tells."""
        if self.stream and self.sample is not None:
            raise InputError("--stream keeps no rows and --sample some of them: choose one")
        several = len(tables) > 1 or Path(tables[0]).is_dir() or _is_pattern(tables[0])
        asked = self.stream or self.sample is not None or self.dask is not None
        if not several and not asked:
            return reading.chosen(Path(tables[0]))
        if "-" in tables:
            raise InputError("standard input is read whole, and alone: save it to a file first")
        from toposwap.streams import FileStream

        stream = FileStream.of(
            tables, sep=reading.sep, decimal=reading.decimal, missing=reading.na, progress=say
        )
        if self.sample is not None:
            return reading.of_frame(self._sampled(stream, learning.seed))
        if not (self.stream or self.dask) and not _too_large(stream):
            import pandas as pd

            return reading.of_frame(pd.concat(list(stream.frames()), ignore_index=True))
        stream = reading.columns_of(stream)
        center = learning.scoring.center
        if self.dask is not None:
            data = self._on_cluster(stream, reading, center=center)
        else:
            from toposwap.streams import from_batches

            data = from_batches(stream, drop_missing=reading.drop_missing, center=center)
        # Columns and length are all that anybody asks of it.
        return Chosen(cast("Any", PassedOver(data)), list(stream.left_out), None)

    @contextmanager
    def workers(self, model: Topo) -> Iterator[None]:
        """Let ``model`` make its restarts on the cluster, where one is named."""
        if self.dask is None:
            yield
            return
        from toposwap.core.runtime.cluster import connect

        threads = model.n_jobs
        with connect(self.dask) as client:
            model.n_jobs = client
            try:
                yield
            finally:
                # A model outlives the connection.
                model.n_jobs = threads

    def _sampled(self, stream: FileStream, seed: int) -> pd.DataFrame:
        import numpy as np

        from toposwap.streams import sampled_rows

        assert self.sample is not None
        frame, rows = sampled_rows(stream.frames(), self.sample, np.random.default_rng(seed))
        if len(frame) < rows:
            warnings.warn(
                f"{len(frame)} of {rows} rows were drawn (--sample, --seed {seed})",
                ToposwapWarning,
                stacklevel=4,
            )
        return frame

    def _on_cluster(self, stream: FileStream, reading: Reading, *, center: bool) -> Dataset:
        from toposwap.core.runtime.cluster import connect
        from toposwap.streams.cluster import from_files_on

        assert self.dask is not None
        with connect(self.dask) as client:
            return from_files_on(
                client,
                stream.files,
                center=center,
                drop_missing=reading.drop_missing,
                columns=stream.columns,
                sep=stream.sep,
                decimal=stream.decimal,
                missing=stream.missing,
            )


def streaming_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, and hand them to ``command`` as ``streaming``."""

    @click.option(
        "--stream",
        is_flag=True,
        help="Read the files once and keep no rows, whatever their size: for scores on second "
        "moments (bic, least-squares, gaussian-...). Larger files than memory holds are read so "
        "anyway.",
    )
    @click.option(
        "--sample",
        type=Whole(min=2),
        metavar="N",
        help="Learn from N rows drawn from all, each with the same chance (--seed).",
    )
    @click.option(
        "--dask",
        metavar="ADDRESS",
        help="Pass over the files on the workers of this dask cluster, which must be able to read "
        "them, and make the restarts there.",
    )
    @wraps(command)
    def with_streaming(
        *args: Any, stream: bool, sample: int | None, dask: str | None, **others: Any
    ) -> Any:
        return command(*args, streaming=Streaming(stream, sample, dask), **others)

    return with_streaming


def _too_large(stream: FileStream) -> bool:
    """Whether the files are more than memory is likely to hold, which is told."""
    from toposwap.core.runtime.memory import memory_bytes

    size = sum(file.stat().st_size for file in stream.files)
    if size <= _OF_MEMORY * memory_bytes():
        return False
    warnings.warn(
        f"{size / 1e9:.1f} GB in {len(stream.files)} file(s) are read as a stream: columns count "
        "as numbers (--sample 100000 keeps rows)",
        ToposwapWarning,
        stacklevel=4,
    )
    return True


def _is_pattern(table: str) -> bool:
    """Whether a name stands for others, and is not a file's own."""
    return glob.has_magic(table) and not Path(table).exists()
