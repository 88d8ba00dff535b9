"""From a table to the confidence of every edge: draw rows again, learn, count."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from toposwap.certainty.arguments import (
    check_rows,
    checked_count,
    entropy_of,
    labels_of,
    method_of,
    refuse_fractions,
    without_groups,
)
from toposwap.certainty.confidence import Confidence
from toposwap.certainty.counts import Counts
from toposwap.certainty.evidence import rises_without
from toposwap.certainty.resampler import Resampler
from toposwap.certainty.store import ResampleStore
from toposwap.certainty.teams import Cluster, Threads
from toposwap.certainty.units import Units
from toposwap.core.dataset import Dataset
from toposwap.core.errors import InputError, ToposwapWarning
from toposwap.core.runtime.ctrl_c import CtrlC
from toposwap.estimators import Topo
from toposwap.estimators.base import DagLearner, has_names
from toposwap.report.graph import standard_units
from toposwap.search.restarts import thread_count

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from toposwap.certainty.teams import Team

#: Failures beyond this share of the resamples make the rest a selection.
_MANY = 0.05


class Step(NamedTuple):
    """How many resamples are done, of how many."""

    done: int
    total: int


class Watching(Protocol):
    """Called after each resample."""

    def __call__(self, step: Step) -> None:
        """See how far it is; what is raised here ends the run."""


def confidence(
    table: Any,
    model: DagLearner | None = None,
    n_resamples: int = 200,
    method: str = "auto",
    n_jobs: int | None = -1,
    random_state: int | np.random.Generator | None = 0,
    progress: Callable[[Step], None] | None = None,
    groups: ArrayLike | int | str | None = None,
    client: Any = None,
    *,
    sample_weight: ArrayLike | None = None,
    interventions: Any = None,
    store: str | os.PathLike[str] | None = None,
) -> Confidence:
    """Learn from many resamples of the rows, and tell how often each edge is found.

    The score (with the kinds of the columns), the rule of pruning and what is known are decided
    once, on the whole table. Each resample has weights for the rows, a start and a seed of its own,
    so that the answer does not depend on who works on it when.

    Parameters
    ----------
    table
        (n, d): an array, a DataFrame, or a :class:`~toposwap.Dataset` with rows.
    model
        How to learn; by default ``Topo()``. Also any learner of :mod:`toposwap.baselines`. It is
        not changed. Where ``search`` and ``n_restarts`` are left to it, resamples make fewer
        restarts than one fit does; a start that is a graph or an order is not used, and
        ``time_budget`` bounds the fit to the whole table only.
    n_resamples
        How many.
    method
        "half" (complementary halves of the rows), "bootstrap" (as many rows, drawn with
        replacement), "bayesian" (every row, randomly weighed), "m-out-of-n", or "auto": what is
        calibrated best, "half".
    n_jobs
        How many threads, -1 for one a core. The answer is the same for any number.
    random_state
        Seed; the same number gives the same answer.
    progress
        Called with a :class:`Step` after each resample.
    groups
        Rows that belong together and are drawn together: a label for each row, (n,), the name of a
        column of ``table`` (which is then no variable), or a whole number k for blocks of k
        consecutive rows.
    client
        A ``dask.distributed.Client`` whose workers do the work, or the address of its scheduler.
    sample_weight
        How often each row counts, (n,), as in :meth:`Topo.fit`.
    interventions
        What was set from outside in each row, (n,), as in :meth:`Topo.fit`.
    store
        A file that keeps finished resamples: the same call goes on where another was ended.

    Returns
    -------
    Confidence
        After Ctrl-C with the resamples that were done until then; ``interrupted`` says so.

    Examples
    --------
    >>> import toposwap as ts
    >>> sample = ts.simulate.linear_dataset(8, 300, "ER1", random_state=0)
    >>> ts.confidence(sample.X, n_resamples=20).probabilities.shape
    (8, 8)
    """
    model = Topo() if model is None else model
    if not isinstance(model, DagLearner):
        raise InputError(
            f"model: must be a Topo or a learner of toposwap.baselines, got {type(model).__name__}"
        )
    total, threads = checked_count(n_resamples), thread_count(n_jobs)
    drawn_by = method_of(method)
    table, groups = without_groups(table, groups)
    # The parameters of the model are shared, and what it learned is not.
    fitted = type(model)(**model.get_params(deep=False))
    if hasattr(fitted, "progress"):
        fitted.progress = None
    data = fitted._dataset(table, sample_weight, interventions)
    check_rows(data)
    refuse_fractions(fitted, drawn_by, data)
    labels = labels_of(groups, sample_weight, data)
    with CtrlC() as ctrl_c, warnings.catch_warnings(record=True):
        # What there is to remark is told once, with the rest.
        warnings.simplefilter("always", ToposwapWarning)
        fitted._fit(data, named=has_names(table))
        if ctrl_c.pressed:
            # The fit has kept its best order, of which no resample is done.
            raise KeyboardInterrupt
    entropy = entropy_of(random_state)
    resampler = Resampler(data, fitted, drawn_by, Units.of(data, labels), entropy)
    team: Team = Threads(threads) if client is None else Cluster(client)
    return resampled(resampler, team, total, progress, store)


def resampled(
    resampler: Resampler,
    team: Team,
    total: int,
    progress: Callable[[Step], None] | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Confidence:
    """The confidence of a model that is fitted already, from ``total`` resamples."""
    counts = Counts(resampler.data.d)
    interrupted = _work(resampler, team, counts, total, progress, store)
    return _told(resampler, counts, total, interrupted=interrupted)


def _work(
    resampler: Resampler,
    team: Team,
    counts: Counts,
    total: int,
    progress: Callable[[Step], None] | None,
    store: str | os.PathLike[str] | None,
) -> bool:
    """Count the resamples up to ``total`` into ``counts``; whether Ctrl-C ended it before."""
    with ExitStack() as stack:
        kept = None if store is None else stack.enter_context(ResampleStore(store, resampler))
        seen: set[int] = set()
        for graph in () if kept is None else kept.found:
            if graph.number < total and graph.number not in seen:
                seen.add(graph.number)
                counts.add(graph)
        left = [number for number in range(total) if number not in seen]
        # What learners have to remark, the fit to the whole table has told.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", ToposwapWarning)
        ctrl_c = stack.enter_context(CtrlC())
        results = team.results(resampler, left)
        try:
            for graph in results if left else ():
                if kept is not None:
                    kept.append(graph)
                counts.add(graph)
                if progress is not None:
                    progress(Step(counts.done + len(counts.failures), total))
        except BaseException as error:
            if not ctrl_c.caused(error):
                raise
            return True
        finally:
            results.close()  # type: ignore[attr-defined]
    return False


def _told(resampler: Resampler, counts: Counts, total: int, *, interrupted: bool) -> Confidence:
    """Put together what was counted, or say why nothing was."""
    data, fitted = resampler.data, resampler.model
    remarks = list(fitted.result_.remarks)
    if counts.done == 0 and counts.failures and not interrupted:
        first = counts.failures[min(counts.failures)]
        raise InputError(f"no resample could be learned from: {first}")
    if counts.failures:
        first = counts.failures[min(counts.failures)]
        remark = f"{len(counts.failures)} of {total} resamples could not be learned from: {first}"
        remarks.append(remark)
        if len(counts.failures) > _MANY * total:
            warnings.warn(remark, ToposwapWarning, stacklevel=3)
    if len(counts.kept) < counts.done:
        remarks.append(
            f"weights, intervals and paths are those of the first {len(counts.kept)} resamples"
        )
    told = resampler.admissible
    if told.asks_for_paths:
        remarks.append("the consensus obeys what is known of edges and orders, not of paths")
    shape = (data.d, data.d)
    rises = np.full(shape, np.nan)
    if isinstance(fitted, Topo) and isinstance(data, Dataset) and not interrupted:
        rises = rises_without(fitted, data)
    return Confidence(
        names=data.names,
        probabilities=counts.shares,
        resamples=tuple(counts.kept),
        asked=total,
        done=counts.done,
        method=resampler.method.name,
        score_name=fitted.result_.score_name,
        graph=fitted.adjacency_matrix_.copy(),
        units=standard_units(fitted),
        rises=rises,
        before=told.before,
        required=told.required,
        remarks=tuple(remarks),
        interrupted=interrupted,
    )
