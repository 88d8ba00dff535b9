"""From a table to a report, for ``fit``, ``refine`` and ``demo``: learn, save, then talk."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toposwap.cli.options.knowing import Knowing
from toposwap.cli.options.streaming import Streaming
from toposwap.cli.terminal.progress import ProgressLine
from toposwap.cli.terminal.show import say, show, show_json, tell
from toposwap.core.errors import ToposwapWarning
from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.signals import exit_code, received

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from toposwap.certainty import Confidence
    from toposwap.cli.options.learning import Learning
    from toposwap.cli.options.outputs import Outputs
    from toposwap.cli.options.reading import Chosen, Reading
    from toposwap.core.tables.table import NumberTable
    from toposwap.estimators import Topo
    from toposwap.report.graph import Doubt


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model with the table behind it and the time it took."""

    model: Topo
    frame: NumberTable | pd.DataFrame
    seconds: float
    #: The same without what is known, if that was asked for.
    without: Topo | None = None
    #: What resamples of the rows say, if any were drawn.
    confidence: Confidence | None = None
    #: What was read.
    chosen: Chosen | None = None

    @property
    def doubt(self) -> Doubt | None:
        """The same as tables, files and pictures are told it."""
        return None if self.confidence is None else self.confidence.doubt()


def fit_table(
    tables: tuple[str, ...],
    reading: Reading,
    learning: Learning,
    start: Callable[[Chosen], Any],
    knowing: Knowing | None = None,
    streaming: Streaming | None = None,
    checkpoint: Path | None = None,
) -> Fitted:
    """Read the table and fit; ``start`` says where to begin once the columns are known.

    The search is kept in the file ``checkpoint``; not that without what is known.
    """
    knowing = Knowing() if knowing is None else knowing
    streaming = Streaming() if streaming is None else streaming
    with ProgressLine(f"reading {', '.join(tables)}") as progress:
        # Options are checked before a large table is read.
        learning.build()
        knowing.knowledge()
        chosen = streaming.chosen(tables, reading, learning, progress.say)
        frame, left_out = chosen.frame, chosen.left_out
        rows = {"sample_weight": chosen.weights, "interventions": chosen.interventions}
        known = knowing.about([str(name) for name in frame.columns], left_out)
        init = start(chosen)
        progress.say("preparing the search")
        began = clock()
        kinds = reading.known_kinds(frame)
        model = learning.build(init, progress, known, kinds, reading.missing)
        model.intervention_kind = reading.intervening.kind
        model.checkpoint = checkpoint
        with streaming.workers(model):
            model.fit(chosen.data, **rows)
        seconds = clock() - began
        if not knowing.compare_without or model.status_ == "interrupted":
            return Fitted(model, frame, seconds, chosen=chosen)
        progress.say("fitting without what is known")
        # What it has to remark the first fit has said.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ToposwapWarning)
            without = learning.build(init, progress, kinds=kinds, missing=reading.missing)
            without.intervention_kind = reading.intervening.kind
            without.fit(chosen.data, **rows)
        return Fitted(model, frame, seconds, without, chosen=chosen)


def deliver(fitted: Fitted, outputs: Outputs, extra: dict[str, Any] | None = None) -> int:
    """Write the files, then print; the exit code. ``extra`` is added to the JSON."""
    gaps = fitted.model.result_.gaps
    rows = len(fitted.frame) if gaps is None else gaps.rows_used
    outputs.write(fitted.model, rows, fitted.confidence)
    if fitted.model.status_ == "interrupted":
        saved = " and saved" if outputs.paths else ""
        tell(f"interrupted: the best graph found until then is reported{saved}")
    if outputs.json:
        from toposwap.report.record import record_of

        if fitted.without is not None:
            extra = {**(extra or {}), "without_knowledge": _without(fitted.without)}
        if fitted.confidence is not None:
            extra = {**(extra or {}), "confidence": fitted.confidence.as_record()}
        show_json({**record_of(fitted.model, rows, fitted.doubt), **(extra or {})})
    elif not outputs.quiet:
        from toposwap.report.text import report

        # Remarks have been shown as notes.
        show(
            report(
                fitted.model,
                rows=rows,
                seconds=fitted.seconds,
                remarks=False,
                without=fitted.without,
                doubt=fitted.doubt,
            )
        )
        if fitted.confidence is not None:
            from toposwap.certainty.text import summary as in_short

            show(in_short(fitted.confidence))
        for path in outputs.paths:
            say(f"wrote {path}")
    cut_short = fitted.confidence is not None and fitted.confidence.interrupted
    return exit_code() if fitted.model.status_ == "interrupted" or cut_short or received() else 0


def _without(model: Topo) -> dict[str, Any]:
    """What JSON tells of the fit without what is known."""
    from toposwap.report.graph import reported_graph

    edges = reported_graph(model).edges()
    return {"score": model.score_, "edges": [edge.known() for edge in edges]}
