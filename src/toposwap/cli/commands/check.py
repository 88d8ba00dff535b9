"""``toposwap check``: whether given weights are a local optimum on a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.options.knowing import Knowing, knowledge_options
from toposwap.cli.options.learning import Scoring, scoring_options
from toposwap.cli.options.numbers import Number
from toposwap.cli.options.reading import Reading, reading_options
from toposwap.cli.terminal.progress import ProgressLine
from toposwap.cli.terminal.show import say, show, show_json

if TYPE_CHECKING:
    from toposwap.assess import Assessment
    from toposwap.report.residuals import Residual

_EPILOG = """\b
Examples:
  toposwap check data.csv notears.csv
  toposwap check data.csv weights.npy --tolerance 1e-3 && echo optimal

\b
WEIGHTS may be any file that "toposwap refine" takes. Weights that were pruned or rounded are no
longer the solution they came from: "toposwap fit -o NAME.weights.csv" writes them in full.

\b
With an L0 penalty (bic and what auto chooses) an absent edge is always stationary: the check
says whether the edges there are have their best weights. --score least-squares asks of the absent
ones, too.
"""


@click.command(epilog=_EPILOG)
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("weights", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=Number(min=0),
    metavar="NUMBER",
    help="Largest relative residual to accept; by default the score's own (1e-8).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")
@scoring_options
@knowledge_options(compare=False)
@reading_options
def check(
    table: Path,
    weights: Path,
    tolerance: float | None,
    as_json: bool,
    scoring: Scoring,
    knowing: Knowing,
    reading: Reading,
) -> int:
    """Check whether WEIGHTS are a local optimum on the data in TABLE.

    Exit code 0 if they satisfy the KKT conditions, 1 if not; then the worst pairs are listed.
    """
    with ProgressLine(f"reading {table}") as progress:
        scoring.build()
        knowing.knowledge()
        from toposwap.cli.commands.judge import judge
        from toposwap.io import read_weights
        from toposwap.report.residuals import worst_pairs

        chosen = reading.chosen(table)
        names = list(chosen.frame.columns)
        known = knowing.about([str(name) for name in names], chosen.left_out)
        matrix = read_weights(weights, names)
        progress.say("checking the weights")
        judged = judge(matrix, chosen, reading, scoring, tolerance, known)
        worst = worst_pairs(judged.certificate, judged.point.weights, names)
    if as_json:
        _print_json(judged, worst, names)
    else:
        _print(judged, worst, names)
    return 0 if judged.certificate.satisfied else 1


def _print(judged: Assessment, worst: list[Residual], names: list[str]) -> None:
    from rich import box
    from rich.table import Table

    from toposwap.report.text import as_cell, key_values
    from toposwap.report.words import certificate_in_words, condition_in_words, counted

    edges = counted(int((judged.point.weights != 0.0).sum()), "edge")
    lines = [
        ("graph", f"{edges}, {'a DAG' if judged.acyclic else 'NOT a DAG: it has cycles'}"),
        ("score", f"{judged.point.value:.6g} ({judged.score_name})"),
        ("certificate", certificate_in_words(judged.certificate, names)),
    ]
    condition = condition_in_words(judged.certificate)
    if condition is not None:
        lines.append(("theorem", condition))
    lines += [("chosen", choice) for choice in judged.choices]
    show(key_values(lines))
    if worst:
        say()
        listing = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        listing.add_column("worst pairs", overflow="fold")
        listing.add_column("relative residual", justify="right")
        listing.add_column("why", overflow="fold")
        for pair in worst:
            ends = as_cell(f"{pair.source} -> {pair.target}")
            listing.add_row(ends, f"{pair.relative:.1e}", pair.reason)
        show(listing)


def _print_json(judged: Assessment, worst: list[Residual], names: list[str]) -> None:
    from toposwap.report.record import certificate_record

    answer: dict[str, Any] = {
        "acyclic": judged.acyclic,
        "score_name": judged.score_name,
        "score": judged.point.value,
        "certificate": certificate_record(judged.certificate, names),
        "choices": list(judged.choices),
        "worst": [pair._asdict() for pair in worst],
    }
    show_json(answer)
