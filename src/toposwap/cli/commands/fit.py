"""``toposwap fit``: learn a graph from a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.fitting import deliver, fit_table
from toposwap.cli.options.knowing import Knowing, knowledge_options
from toposwap.cli.options.learning import Learning, learning_options
from toposwap.cli.options.numbers import Whole
from toposwap.cli.options.outputs import Outputs, output_options
from toposwap.cli.options.reading import Reading, reading_options
from toposwap.cli.options.streaming import Streaming, streaming_options
from toposwap.core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.core.tables.table import NumberTable

_STARTS = ("auto", "variance", "correlation", "random")
_EPILOG = """\b
Examples:
  toposwap fit data.csv
  toposwap fit data.csv --report graph.html
  toposwap fit data.csv -o edges.csv -o result.json --plot graph.png
  toposwap fit data.csv --score bic --penalty 1
  toposwap fit data.csv --columns "rain,wind speed,yield" --prune 0.1
  toposwap fit export.csv --na -999 --missing em
  zcat data.csv.gz | toposwap fit -
  toposwap fit 'year-*.parquet' --score bic
  toposwap fit huge.parquet --sample 100000
  toposwap fit wide.parquet --score bic --checkpoint wide.search
  toposwap fit data.csv --search paper --init random --seed 7
  toposwap fit data.csv --init notears
  toposwap fit data.csv --tiers "age, sex < income, rent < *" --forbid "health -> rent"
  toposwap fit data.csv --knowledge knowledge.txt --compare-without
  toposwap fit cells.csv --intervention-indicator "g0076=pkc" --intervention-indicator "u0126=mek"
  toposwap fit data.csv --confidence 200 --plot graph.png
  toposwap fit data.csv --json | jq .edges

\b
What the table of edges says:
  weight        change of the effect for a unit of the cause; of log odds for columns of two
                values, of the logarithm of the mean for counts; the size of a curve or a network
  standardised  the same in standard deviations, to compare columns of different units
  low, high     95 percent interval of the weight, this graph taken as given; with --confidence
                that over the resamples
  evidence      by how much twice the log-likelihood falls without the edge
  direction     open: the data fit as well either way round; the picture has no arrowhead there

Ctrl-C (or kill) during the search keeps the best graph found so far; the exit code is then 130
(143).
"""


@click.command(epilog=_EPILOG, short_help="Learn a graph from a table.")
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@output_options
@learning_options
@click.option(
    "--init",
    default="auto",
    metavar="auto|variance|correlation|random|LEARNER|FILE",
    help="Where to start: a rule, a file with an order (one name a line) or with weights, or the "
    "result of another learner: notears, notears-mlp, golem-ev, golem-nv, kkts, or (pip install "
    '"toposwap[peers]") dagma, pc, ges, boss, flop, direct-lingam.',
)
@click.option(
    "--confidence",
    "resamples",
    type=Whole(min=1),
    metavar="N",
    help="Learn from N resamples of the rows too, and say how often each edge is found; 200 is "
    "usual. toposwap confidence has more.",
)
@click.option(
    "--checkpoint",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the search in FILE about once a minute. The same command goes on from there after a "
    "kill, to the same answer.",
)
@knowledge_options
@reading_options
@streaming_options
def fit(
    tables: tuple[str, ...],
    init: str,
    resamples: int | None,
    checkpoint: Path | None,
    streaming: Streaming,
    reading: Reading,
    knowing: Knowing,
    learning: Learning,
    outputs: Outputs,
) -> int:
    """Learn a graph from TABLE: CSV, TSV, Excel, Parquet, Feather or JSON lines.

    Also packed (gzip, bz2, xz, zst, zip), and - for standard input. The first line of a text file
    holds the names of the columns. Several files, a folder or a pattern like 'part-*.parquet' are
    one table; what is larger than memory is read as a stream.
    """
    start = _file(init)
    inputs = [Path(table) for table in tables]
    outputs.check([*inputs, *(file for file in (start, knowing.file) if file is not None)])
    if checkpoint is not None and checkpoint in (*inputs, *outputs.paths):
        raise InputError(f"--checkpoint: {str(checkpoint)!r} is read or written: choose another")
    fitted = fit_table(
        tables,
        reading,
        learning,
        lambda chosen: init if start is None else _start(start, chosen.frame),
        knowing,
        streaming,
        checkpoint,
    )
    if resamples is not None and fitted.model.status_ != "interrupted":
        from toposwap.cli.resampling import with_confidence

        fitted = with_confidence(fitted, resamples, learning)
    return deliver(fitted, outputs)


def _file(init: str) -> Path | None:
    """The file that ``init`` names; None for a rule or a learner."""
    if init in _STARTS:
        return None
    from toposwap.baselines import BASELINES

    if init in BASELINES:
        return None
    if not Path(init).exists():
        known = ", ".join((*_STARTS, *BASELINES))
        raise InputError(f"--init: {init!r} is neither one of {known} nor a file")
    return Path(init)


def _start(file: Path, frame: NumberTable | pd.DataFrame) -> Any:
    """The order or the weights in a file."""
    from toposwap.io import read_order, read_weights

    names = list(frame.columns)
    order = read_order(file, names)
    return read_weights(file, names) if order is None else order
