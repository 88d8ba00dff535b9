"""``toposwap confidence``: how sure each edge is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.fitting import fit_table
from toposwap.cli.options.knowing import Knowing, knowledge_options
from toposwap.cli.options.learning import Learning, learning_options
from toposwap.cli.options.numbers import Whole
from toposwap.cli.options.outputs import Outputs, output_options
from toposwap.cli.options.reading import Reading, one_name, reading_options
from toposwap.cli.terminal.show import say, show, show_json
from toposwap.core.errors import InputError
from toposwap.core.runtime.signals import exit_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toposwap.certainty import Confidence
    from toposwap.cli.fitting import Fitted

_EPILOG = """\b
Examples:
  toposwap confidence data.csv
  toposwap confidence data.csv --resamples 500 --plot doubt.png -o pairs.json
  toposwap confidence data.csv --store run.jsonl     Ctrl-C and run again to go on
  toposwap confidence visits.csv --groups patient    rows of a patient stay together
  toposwap confidence series.csv --blocks 30         30 consecutive rows stay together
  toposwap confidence data.csv --dask tcp://host:8786

\b
What the table says:
  frequency     share of the resamples that join the two columns
  this way      share of those with this arrow; a direction that is left open counts half each way
  weight        median over the resamples that have the edge, and the interval of 95 percent

Files and the picture hold the consensus: the acyclic graph that agrees best with the resamples.
"""


@click.command(epilog=_EPILOG, short_help="Tell how sure each edge is.")
@click.argument("table", type=click.Path(path_type=Path))
@output_options
@click.option(
    "--resamples", type=Whole(min=1), default=200, show_default=True, metavar="N", help="How many."
)
@click.option(
    "--method",
    default="auto",
    metavar="NAME",
    help="auto (half), half (complementary halves of the rows), bootstrap, bayesian or m-out-of-n.",
)
@click.option(
    "--groups",
    metavar="COLUMN",
    help="Rows with the same value here are drawn together; the column is no variable then.",
)
@click.option(
    "--blocks", type=Whole(min=1), metavar="K", help="K consecutive rows are drawn together."
)
@click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep finished resamples in this file; the same command goes on with them.",
)
@click.option("--dask", metavar="ADDRESS", help="Work on the cluster of this scheduler.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write everything, for toposwap.load_confidence.",
)
@learning_options
@knowledge_options
@reading_options
def confidence(
    table: Path,
    resamples: int,
    method: str,
    groups: str | None,
    blocks: int | None,
    store: Path | None,
    dask: str | None,
    save: Path | None,
    reading: Reading,
    knowing: Knowing,
    learning: Learning,
    outputs: Outputs,
) -> int:
    """Learn from resamples of the rows of TABLE, and tell how often each edge is found."""
    from toposwap.certainty.arguments import method_of
    from toposwap.cli.resampling import with_confidence
    from toposwap.io import check_writable

    method_of(method)
    if groups is not None and blocks is not None:
        raise InputError("--groups and --blocks: rows are drawn together by one of them only")
    outputs.check([file for file in (table, knowing.file) if file is not None])
    if save is not None:
        check_writable(save)
    together: list[Any] = [blocks]
    if groups is not None:
        reading = replace(reading, exclude=(*reading.exclude, groups))

    def start(chosen: Any) -> str:
        if groups is not None:
            together[0] = _column(table, groups, reading, chosen.frame)
        return "auto"

    fitted = fit_table((str(table),), reading, learning, start, knowing)
    if fitted.model.status_ == "interrupted":
        raise KeyboardInterrupt
    fitted = with_confidence(
        fitted, resamples, learning, method=method, groups=together[0], store=store, dask=dask
    )
    return _deliver(fitted, outputs, save)


def _column(table: Path, name: str, reading: Reading, frame: Any) -> NDArray[Any]:
    """The column ``name`` of the file, of the rows that are in ``frame``."""
    from toposwap.core.tables.table import NumberTable
    from toposwap.io import read_numbers

    whole = read_numbers(table, sep=reading.sep, decimal=reading.decimal, missing=reading.na)
    names = [str(column) for column in whole.columns]
    place = names.index(one_name(name, "--groups", names))
    if isinstance(whole, NumberTable):
        return whole.values[:, place]
    labels: NDArray[Any] = whole.iloc[:, place].loc[frame.index].astype(str).to_numpy()
    return labels


def _deliver(fitted: Fitted, outputs: Outputs, save: Path | None) -> int:
    """Write the files, then print; the exit code."""
    from toposwap.certainty.text import report
    from toposwap.io import together

    found: Confidence | None = fitted.confidence
    assert found is not None
    with together():
        _write(found, outputs)
        outputs.write_page(fitted.model, found)
        if save is not None:
            found.save(save)
    if outputs.json:
        show_json(found.as_record())
    elif not outputs.quiet:
        show(report(found))
        for path in (*outputs.paths, *(() if save is None else (save,))):
            say(f"wrote {path}")
    return exit_code() if found.interrupted else 0


def _write(found: Confidence, outputs: Outputs) -> None:
    import pandas as pd

    from toposwap.io import write_graph

    graph = found.reported()
    names = list(found.names)
    weights = pd.DataFrame(graph.weights, index=names, columns=names)
    record = found.as_record()
    for path in outputs.graphs:
        write_graph(path, weights, record, graph.edges())
    if outputs.plot is not None:
        found.draw(outputs.plot)
