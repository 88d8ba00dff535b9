"""``toposwap refine``: search on from the weights of any method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toposwap.cli.fitting import deliver, fit_table
from toposwap.cli.options.knowing import Knowing, knowledge_options
from toposwap.cli.options.learning import Learning, learning_options
from toposwap.cli.options.outputs import Outputs, output_options
from toposwap.cli.options.reading import Chosen, Reading, reading_options
from toposwap.cli.terminal.show import show

if TYPE_CHECKING:
    import pandas as pd

    from toposwap.assess import Assessment

_EPILOG = """\b
Examples:
  toposwap refine data.csv notears.csv -o better.csv
  toposwap refine data.csv weights.npy --search insertion --json

\b
WEIGHTS is one of
  .csv   columns source, target and perhaps weight
  .csv   a square matrix, with or without names; row = cause, column = effect
  .npy   a square matrix in the order of the table's columns
  .json  a result of toposwap
"""


@click.command(epilog=_EPILOG)
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("weights", type=click.Path(path_type=Path))
@output_options
@learning_options
@knowledge_options
@reading_options
def refine(
    table: Path,
    weights: Path,
    reading: Reading,
    knowing: Knowing,
    learning: Learning,
    outputs: Outputs,
) -> int:
    """Improve any method's WEIGHTS on the data in TABLE.

    The result's score is at most that of the weights, less their weakest edges if they have cycles,
    unless they are against what is known.
    """
    from toposwap.cli.commands.judge import judge
    from toposwap.io import read_weights
    from toposwap.report.record import certificate_record
    from toposwap.report.text import key_values
    from toposwap.report.words import certificate_in_words

    outputs.check([file for file in (table, weights, knowing.file) if file is not None])
    before: list[Assessment] = []

    def start(chosen: Chosen) -> pd.DataFrame:
        frame = chosen.frame
        matrix = read_weights(weights, list(frame.columns))
        # A block of parameters is not determined by its norm: then only the order is a start.
        # What would be drawn for gaps depends on a model, and the weights alone are none.
        if not learning.scoring.build().edge_blocks and reading.missing != "impute":
            before.append(judge(matrix, chosen, reading, learning.scoring))
        return matrix

    fitted = fit_table((str(table),), reading, learning, start, knowing)
    model = fitted.model
    old = before[0] if before else None
    score = model.history_[0].score if old is None else old.point.value
    certificate = None if old is None else certificate_record(old.certificate, model.names_)
    code = deliver(fitted, outputs, {"before": {"score": score, "certificate": certificate}})
    if not (outputs.json or outputs.quiet):
        remark = " (at their order)"
        if old is not None:
            remark = "" if old.acyclic else " (with cycles)"
        lines = [("", ""), ("score", f"{score:.6g}{remark} -> {model.score_:.6g}")]
        if old is not None:
            lines += [
                ("certificate", certificate_in_words(old.certificate, model.names_)),
                ("", f"-> {certificate_in_words(model.certificate_, model.names_)}"),
            ]
        show(key_values(lines))
    return code
