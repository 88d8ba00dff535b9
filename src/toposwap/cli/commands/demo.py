"""``toposwap demo``: learn from the bundled table and compare with its graph."""

from __future__ import annotations

from pathlib import Path

import click

from toposwap.cli.terminal.show import say, tell
from toposwap.core.errors import InputError, MissingExtraError


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    help="Directory for the files, created if need be.",
)
def demo(output: Path) -> int:
    """Learn from a bundled table: 500 simulated days in a greenhouse.

    Prints the edges and the certificate, compares with the graph the data were drawn from, and
    writes the edges, the whole result, a picture and a report for a browser.
    """
    from toposwap.cli.fitting import deliver, fit_table
    from toposwap.cli.options.learning import Learning, Scoring
    from toposwap.cli.options.outputs import Outputs
    from toposwap.cli.options.reading import Reading
    from toposwap.data import sample_table, sample_truth
    from toposwap.io import read_weights
    from toposwap.metrics import compare
    from toposwap.report.plot.graph import require_matplotlib

    try:
        output.mkdir(exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            f"cannot create the directory {str(output)!r}: {reason}; choose another with --output"
        ) from error
    try:
        require_matplotlib("the picture")
        picture = output / "graph.png"
    except MissingExtraError as missing:
        tell(f"note: {missing}")
        picture = None
    files = (output / "edges.csv", output / "result.json")
    outputs = Outputs(files, picture, report=output / "report.html")
    outputs.check([])
    fitted = fit_table(
        (str(sample_table()),),
        Reading(),
        Learning(Scoring("auto"), "auto", {}, "auto", 0, None),
        lambda _frame: "auto",
    )
    say("500 simulated days in a greenhouse; what causes what?\n")
    code = deliver(fitted, outputs)
    truth = read_weights(sample_truth(), fitted.model.names_)
    found = compare(truth.to_numpy(), fitted.model.adjacency_matrix_)
    say(
        f"\nAgainst the graph the data were drawn from: {found.correct} of {found.n_true_edges} "
        f"edges found, {found.extra} extra, {found.reversed} reversed."
    )
    say("Next, a table of your own: toposwap fit data.csv --report graph.html")
    return code
