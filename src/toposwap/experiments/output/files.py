"""What a run leaves beside the store: a CSV of raw cells, a Markdown table, and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposwap.core.errors import MissingExtraError
from toposwap.experiments.output.frame import cell_frame, trace_frame
from toposwap.experiments.output.table import markdown
from toposwap.io.atomic import replacing, together, write_text
from toposwap.report.plot.graph import require_matplotlib

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from toposwap.experiments.config import Experiment
    from toposwap.experiments.store import Store

_RESOLUTION = 160


def write_outputs(
    experiment: Experiment,
    store: Store,
    version: str | None,
    note: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write everything into the store's folder, or nothing; the paths.

    ``note`` is told if plots cannot be drawn here.
    """
    with together():
        return _write(experiment, store, version, note)


def _write(
    experiment: Experiment, store: Store, version: str | None, note: Callable[[str], None]
) -> list[Path]:
    folder, name = store.folder, experiment.name
    cells = cell_frame(experiment, store, version)
    trace = trace_frame(experiment, store, version)
    written = [folder / f"{name}.csv", folder / f"{name}.md"]
    with replacing(written[0]) as file:
        cells.to_csv(file, index=False)
    source = f"{experiment.source}. " if experiment.source else ""
    title = f"# {experiment.caption}\n\n{source}{_explained(experiment)}\n\n"
    write_text(written[1], title + markdown(experiment, cells))
    if len(trace):
        written.append(folder / f"{name}.trace.csv")
        with replacing(written[-1]) as file:
            trace.to_csv(file, index=False)
    try:
        require_matplotlib("plots")
    except MissingExtraError as missing:
        note(str(missing))
        return written
    from toposwap.experiments.output.figure import draw

    for layout in experiment.figures:
        for word, figure in draw(layout, cells, trace):
            for suffix in ("png", "svg"):
                path = folder / f"{name}.{word}.{suffix}"
                date = {"Date": None} if suffix == "svg" else None
                with replacing(path) as file:
                    figure.savefig(file, format=suffix, dpi=_RESOLUTION, metadata=date)
                written.append(path)
    return written


def _explained(experiment: Experiment) -> str:
    seeds = "1 seed" if experiment.seeds == 1 else f"{experiment.seeds} seeds"
    text = f"Mean ± standard error over {seeds}"
    return f"{text}; the paper's figure in brackets." if experiment.paper else f"{text}."
