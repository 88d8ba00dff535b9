"""The group of all commands."""

from __future__ import annotations

import click

from toposwap import __version__
from toposwap.cli.commands.check import check
from toposwap.cli.commands.compare import compare
from toposwap.cli.commands.confidence import confidence
from toposwap.cli.commands.demo import demo
from toposwap.cli.commands.effect import effect
from toposwap.cli.commands.fit import fit
from toposwap.cli.commands.refine import refine
from toposwap.cli.commands.reproduce import reproduce
from toposwap.cli.commands.simulate import simulate
from toposwap.cli.group import Commands

_EPILOG = """\b
Examples:
  toposwap demo                                  learn from a bundled table
  toposwap fit data.csv -o edges.csv --plot graph.png
  toposwap confidence data.csv                   how sure is each edge?
  toposwap effect data.csv --cause rain --effect yield
  toposwap refine data.csv other-method.csv      improve another method's answer
  toposwap check data.csv other-method.csv       is it optimal at all?

Exit codes: 0 done, 1 failed or not satisfied, 2 bad input, 130 Ctrl-C, 143 ended by kill.
"""


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.version_option(__version__, "--version", message="toposwap %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Learn a directed acyclic graph of causes and effects from a table.

    The best graph is searched for among the orders of its variables, and comes with a certificate:
    whether it satisfies the conditions of a local optimum.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (demo, fit, confidence, effect, refine, check, compare, simulate, reproduce):
    app.add_command(command)
