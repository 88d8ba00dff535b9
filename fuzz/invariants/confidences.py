"""What must hold of every run of ``ts.confidence``."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import toposwap as ts
from fuzz.invariants.runs import OF_RUNS
from fuzz.knowledge import disobeyed

if TYPE_CHECKING:
    from fuzz.confidences import ConfidenceRun

    Invariant = Callable[[ConfidenceRun], Iterator[str]]

#: Seconds of the processor for a few resamples of a small table.
LIMIT = 40.0
_SHARED = ("clear refusal", "only own warnings", "silence", "input unchanged")
#: By name.
OF_CONFIDENCES: dict[str, Invariant] = {name: OF_RUNS[name] for name in _SHARED}


def of_confidences(check: Invariant) -> Invariant:
    """Register what must hold of a run."""
    OF_CONFIDENCES[check.__name__.replace("_", " ")] = check
    return check


def broken(run: ConfidenceRun) -> list[tuple[str, str]]:
    """The invariants that ``run`` breaks, each with what is wrong."""
    found = []
    for name, check in OF_CONFIDENCES.items():
        try:
            found += [(name, told) for told in check(run)]
        except Exception as error:
            found.append((name, f"{type(error).__name__}: {error}"))
    return found


@of_confidences
def in_time(run: ConfidenceRun) -> Iterator[str]:
    """It ends."""
    if run.seconds > LIMIT:
        yield f"took {run.seconds:.1f} s"


@of_confidences
def shares_of_resamples(run: ConfidenceRun) -> Iterator[str]:
    """What is counted is a share: of each pair at most one edge in a resample."""
    found = run.model
    if found is None:
        return
    joined = found.adjacent
    if not np.isfinite(joined).all() or joined.min() < 0.0 or joined.max() > 1.0 + 1e-12:
        yield f"shares from {joined.min()!r} to {joined.max()!r}"
    if np.diag(found.probabilities).any():
        yield "a column is joined to itself"
    if not 0 <= found.done <= found.asked or found.interrupted:
        yield f"{found.done} of {found.asked} resamples, interrupted: {found.interrupted}"
    paths = found.ancestors
    if paths.min() < 0.0 or paths.max() > 1.0 + 1e-12:
        yield f"paths in shares from {paths.min()!r} to {paths.max()!r}"


@of_confidences
def consensus(run: ConfidenceRun) -> Iterator[str]:
    """The consensus is a DAG that obeys what is known of edges and orders."""
    if run.model is None:
        return
    edges = run.model.consensus_
    if np.linalg.matrix_power(edges.astype(float), len(edges)).any():
        yield "the consensus has a cycle"
    known = run.case.settings.get("knowledge")
    if isinstance(known, ts.Knowledge):
        told = disobeyed(edges.astype(float), known, run.model.names)
        # Of paths a remark says that the consensus does not promise them.
        yield from (one for one in told if not one.startswith(("ancestors", "not_ancestors")))


@of_confidences
def table_of_edges(run: ConfidenceRun) -> Iterator[str]:
    """Every pair that is joined has a row, whose numbers are those of the matrices."""
    found = run.model
    if found is None:
        return
    frame = found.edges
    if len(frame) != np.count_nonzero(np.triu(found.adjacent, 1)):
        yield f"{len(frame)} rows for {np.count_nonzero(found.adjacent) // 2} pairs"
    if (frame["direction"] > frame["frequency"] + 1e-12).any():
        yield "a direction is more frequent than the edge"
    sink = io.StringIO()
    frame.to_csv(sink)


@of_confidences
def same_for_any_threads(run: ConfidenceRun) -> Iterator[str]:
    """Another number of threads gives the same answer, or the same refusal."""
    again = run.again
    if again is None:
        return
    if (run.error is None) != (again.error is None) or str(run.error) != str(again.error):
        if "0x" not in str(run.error):
            yield f"{run.error!r}, and then {again.error!r}"
    elif run.model is not None and again.model is not None:
        one, two = run.model.probabilities, again.model.probabilities
        if one.tobytes() != two.tobytes():
            yield f"probabilities differ by {np.abs(one - two).max()}"


@of_confidences
def comes_back_from_its_file(run: ConfidenceRun) -> Iterator[str]:
    """What is saved and loaded is the same."""
    if run.model is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "confidence.json"
        run.model.save(path)
        loaded = ts.load_confidence(path)
    if loaded.probabilities.tobytes() != run.model.probabilities.tobytes():
        yield "probabilities are others after a file"
    if loaded.names != run.model.names or not loaded.edges.equals(run.model.edges):
        yield "names or edges are others after a file"
