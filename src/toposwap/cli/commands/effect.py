"""``toposwap effect``: how much one column changes when another is set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.fitting import fit_table
from toposwap.cli.options.knowing import Knowing, knowledge_options
from toposwap.cli.options.learning import Learning, learning_options
from toposwap.cli.options.reading import Reading, reading_options
from toposwap.cli.terminal.progress import ProgressLine
from toposwap.cli.terminal.show import show, show_json, tell
from toposwap.core.errors import InputError
from toposwap.core.runtime.signals import exit_code, received

if TYPE_CHECKING:
    from toposwap.intervention import Effect

_EPILOG = """\b
Examples:
  toposwap effect data.csv --cause rain --effect yield
  toposwap effect data.csv --cause rain --effect yield --from 0 --to 10
  toposwap effect data.csv --cause rain --effect yield --graph result.json
  toposwap effect data.csv --cause dose --effect cure --tiers "age < dose < *" --json

\b
Without --graph a graph is learned first, with the options of "toposwap fit". GRAPH is anything that
"toposwap refine" takes for WEIGHTS; its weights are not used, each column is regressed on its
causes in the table. Open directions of a result of toposwap stay open.
"""


@click.command(epilog=_EPILOG, short_help="The effect of one column on another.")
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--cause", required=True, metavar="COLUMN", help="The column that is set.")
@click.option("--effect", required=True, metavar="COLUMN", help="The column that answers.")
@click.option(
    "--graph",
    "graph_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The graph to go by, for example what 'toposwap fit -o result.json' wrote; a linear "
    "model of it is fitted to the table.",
)
@click.option("--from", "low", metavar="VALUE", help="With --to: set the cause to this ...")
@click.option("--to", "high", metavar="VALUE", help="... and then to this.")
@click.option(
    "--per",
    type=click.Choice(["unit", "sd"]),
    default="unit",
    help="For one unit of the cause (the default), or for one of its standard deviations.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON and nothing else.")
@learning_options
@knowledge_options(compare=False)
@reading_options
def effect(
    table: Path,
    cause: str,
    effect: str,
    graph_file: Path | None,
    low: str | None,
    high: str | None,
    per: str,
    as_json: bool,
    reading: Reading,
    knowing: Knowing,
    learning: Learning,
) -> int:
    """How much EFFECT changes when CAUSE is set, all else following.

    The total effect along all directed paths of the graph, with a 95 percent interval given the
    graph; where directions are open, what other graphs that fit as well would say.
    """
    if (low is None) != (high is None):
        raise InputError("--from and --to belong together: give both, or neither")
    if graph_file is not None:
        found = _given(table, graph_file, cause, effect, low, high, per, reading, learning)
    else:
        fitted = fit_table((str(table),), reading, learning, lambda _chosen: "auto", knowing)
        model = fitted.model
        if model.status_ == "interrupted":
            tell("interrupted: the effect is that of the best graph found until then")
        values = None if low is None else [_value(low), _value(high)]
        found = model.effect(cause, effect, values=values, per=per)
    if as_json:
        show_json(found.record())
    else:
        from toposwap.report.text import key_values

        show(key_values(found.lines()))
    return exit_code() if received() else 0


def _given(
    table: Path,
    file: Path,
    cause: str,
    target: str,
    low: str | None,
    high: str | None,
    per: str,
    reading: Reading,
    learning: Learning,
) -> Effect:
    """The effect in the linear model of the graph in ``file``."""
    from toposwap.core.dataset import Dataset
    from toposwap.estimators import effect as effect_in
    from toposwap.io import read_weights
    from toposwap.io.graphs import open_in_file

    with ProgressLine(f"reading {table}"):
        chosen = reading.chosen(table)
        names = [str(name) for name in chosen.frame.columns]
        edges = read_weights(file, names).to_numpy() != 0.0
        for source, end in open_in_file(file):
            if source in names and end in names:
                i, j = names.index(source), names.index(end)
                edges[j, i] |= edges[i, j]
        data = Dataset.from_table(
            chosen.frame,
            center=learning.scoring.center,
            kinds=reading.known_kinds(chosen.frame),
            sample_weight=chosen.weights,
            interventions=chosen.interventions,
            intervention_kind=reading.intervening.kind,
        )
        values = None if low is None else [_value(low), _value(high)]
        return effect_in(edges, data, cause, target, values=values, per=per)


def _value(text: str | None) -> Any:
    """A number where it is one, else a word of a category."""
    try:
        return float(str(text))
    except ValueError:
        return text
