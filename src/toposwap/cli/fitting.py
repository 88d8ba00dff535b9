"""From a table to a report, for ``fit``, ``refine`` and ``demo``: learn, save, then talk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toposwap.cli.terminal.progress import ProgressLine
from toposwap.cli.terminal.show import say, show, show_json, tell
from toposwap.core.runtime.clock import clock
from toposwap.core.runtime.signals import exit_code, received

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from toposwap.cli.options.learning import Learning
    from toposwap.cli.options.outputs import Outputs
    from toposwap.cli.options.reading import Reading
    from toposwap.core.table import NumberTable
    from toposwap.estimators import Topo


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model with the table behind it and the time it took."""

    model: Topo
    frame: NumberTable | pd.DataFrame
    seconds: float


def fit_table(
    table: Path,
    reading: Reading,
    learning: Learning,
    start: Callable[[NumberTable | pd.DataFrame], Any],
) -> Fitted:
    """Read the table and fit; ``start`` says where to begin once the columns are known."""
    with ProgressLine(f"reading {table}") as progress:
        # Options are checked before a large table is read.
        learning.build()
        frame = reading.table(table)
        init = start(frame)
        progress.say("preparing the search")
        began = clock()
        model = learning.build(init, progress)
        model.kinds = reading.known_kinds(frame) or None
        model.fit(frame)
        return Fitted(model, frame, clock() - began)


def deliver(fitted: Fitted, outputs: Outputs, extra: dict[str, Any] | None = None) -> int:
    """Write the files, then print; the exit code. ``extra`` is added to the JSON."""
    rows = len(fitted.frame)
    outputs.write(fitted.model, rows)
    if fitted.model.status_ == "interrupted":
        saved = " and saved" if outputs.paths else ""
        tell(f"interrupted: the best graph found until then is reported{saved}")
    if outputs.json:
        from toposwap.report.record import record_of

        show_json({**record_of(fitted.model, rows), **(extra or {})})
    elif not outputs.quiet:
        from toposwap.report.text import report

        # Remarks have been shown as notes.
        show(report(fitted.model, rows=rows, seconds=fitted.seconds, remarks=False))
        for path in outputs.paths:
            say(f"wrote {path}")
    return exit_code() if fitted.model.status_ == "interrupted" or received() else 0
