"""Resamples on the command line: for ``confidence`` and ``fit --confidence``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toposwap.cli.terminal.progress import ProgressLine
from toposwap.cli.terminal.show import tell

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from toposwap.certainty import Confidence
    from toposwap.certainty.run import Step
    from toposwap.cli.fitting import Fitted
    from toposwap.cli.options.learning import Learning


def with_confidence(
    fitted: Fitted,
    resamples: int,
    learning: Learning,
    *,
    method: str = "auto",
    groups: NDArray[Any] | int | None = None,
    store: Path | None = None,
    dask: str | None = None,
) -> Fitted:
    """The same with what ``resamples`` resamples say of its edges."""
    from toposwap.certainty.arguments import check_rows, labels_of, method_of, refuse_fractions
    from toposwap.certainty.resampler import Resampler
    from toposwap.certainty.run import resampled
    from toposwap.certainty.teams import Cluster, Team, Threads
    from toposwap.certainty.units import Units
    from toposwap.search.restarts import thread_count

    chosen = fitted.chosen
    assert chosen is not None
    data = fitted.model._dataset(chosen.data, chosen.weights, chosen.interventions)
    check_rows(data)
    labels = labels_of(groups, chosen.weights, data)
    jobs = learning.special.get("auto", {}).get("n_jobs")
    team: Team = Cluster(dask) if dask is not None else Threads(thread_count(jobs or -1))
    drawn_by = method_of(method)
    refuse_fractions(fitted.model, drawn_by, data)
    resampler = Resampler(data, fitted.model, drawn_by, Units.of(data, labels), learning.seed)
    with ProgressLine(f"0 of {resamples} resamples") as line:

        def watch(step: Step) -> None:
            line.say(f"{step.done} of {step.total} resamples; Ctrl-C ends with those")

        found: Confidence = resampled(resampler, team, resamples, watch, store)
    if found.interrupted:
        kept = "; the same command goes on with --store" if store is not None else ""
        tell(f"interrupted: {found.done} of {resamples} resamples are reported{kept}")
    return replace(fitted, confidence=found)
