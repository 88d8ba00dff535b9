"""Moments of a table whose partitions are on the workers of a dask cluster.

Each worker passes over its partitions, and triangles are merged in pairs, then pairs of pairs, in
the order of the partitions: the same bits whoever computes which, and a partition whose worker has
died is passed over again. Only triangles (d + 1, d + 1) travel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError, MissingExtraError
from toposwap.core.tables.columns import lives_on_a_cluster
from toposwap.streams.batches import Batch, batches_of, matched
from toposwap.streams.files import FileStream, files_of
from toposwap.streams.pass_ import Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toposwap.core.dataset import Dataset


def from_dask(
    table: Any,
    *,
    names: Sequence[Any] | None = None,
    center: bool = True,
    drop_missing: bool = False,
    client: Any = None,
) -> Dataset:
    """The moments of a dask array (n, d) or frame, computed where its partitions are.

    ``client`` is the cluster's, by default the current one, or threads of this process.
    """
    if not lives_on_a_cluster(table):
        raise InputError(f"from_dask: expected a dask array or frame, got {type(table).__name__}")
    if hasattr(table, "columns"):
        names = [str(name) for name in table.columns]
        parts = list(table.to_delayed())
    else:
        if table.ndim != 2:
            raise InputError(f"expected two dimensions (rows, columns), got {table.ndim}")
        # A block of rows is whole.
        parts = list(table.rechunk({1: -1}).to_delayed().ravel())
    labels = None if names is None else tuple(str(name) for name in names)
    tasks = [
        _delayed(_passed_over)(part, f"partition {k}", labels, drop_missing)
        for k, part in enumerate(parts)
    ]
    return _computed(_tree(tasks, _delayed(_merged)), client).dataset(center=center)


def from_files_on(
    client: Any,
    files: Any,
    *,
    center: bool = True,
    drop_missing: bool = False,
    **reading: Any,
) -> Dataset:
    """The moments of files that the workers of ``client`` can read, a file to a task.

    ``reading`` goes to :meth:`~toposwap.streams.files.FileStream.of`.
    """
    found = files_of(files)
    names = FileStream.of(found[0], **reading).columns
    reading = {**reading, "columns": names}
    tasks = [
        _delayed(_passed_over_file)(str(file.resolve()), reading, drop_missing) for file in found
    ]
    return _computed(_tree(tasks, _delayed(_merged)), client).dataset(center=center)


def _passed_over(part: Any, source: str, names: tuple[str, ...] | None, drop_missing: bool) -> Pass:
    """On a worker: one partition."""
    passed = Pass(drop_missing=drop_missing)
    for batch in batches_of([part], names):
        named = Batch(batch.names, batch.columns, source, batch.first)
        passed.add(named if names is None else matched(named, names))
    return passed.settled()


def _passed_over_file(file: str, reading: dict[str, Any], drop_missing: bool) -> Pass:
    """On a worker: one file."""
    passed = Pass(drop_missing=drop_missing)
    for batch in FileStream.of(file, **reading):
        passed.add(batch)
    return passed.settled()


def _merged(one: Pass, other: Pass) -> Pass:
    """On a worker: two parts as one."""
    return one.merged(other)


def _tree(tasks: list[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Merge neighbours, then neighbours of these."""
    while len(tasks) > 1:
        pairs = [merge(a, b) for a, b in zip(tasks[::2], tasks[1::2], strict=False)]
        tasks = pairs + tasks[len(pairs) * 2 :]
    return tasks[0]


def _delayed(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        from dask.delayed import delayed
    except ImportError:
        raise MissingExtraError("distributed", "dask", "data on a cluster") from None
    made: Callable[..., Any] = delayed(function, pure=True)
    return made


def _computed(task: Any, client: Any) -> Pass:
    """Run the tasks; an error of a worker is raised as it was there."""
    passed: Pass = task.compute() if client is None else client.compute(task).result()
    return passed


__all__ = ["from_dask", "from_files_on"]
