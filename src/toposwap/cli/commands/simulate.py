"""``toposwap simulate``: a random graph and a table drawn from it."""

from __future__ import annotations

from pathlib import Path

import click

from toposwap.cli.options.numbers import Whole
from toposwap.cli.terminal.show import say
from toposwap.core.errors import InputError

_EPILOG = """\b
Examples:
  toposwap simulate --nodes 20 --rows 1000 -o data.csv --truth truth.csv --seed 1
  toposwap simulate --nodes 50 --rows 5000 --graph SF4 --noise gumbel -o data.parquet
  toposwap simulate --nodes 10 --graph ER4 --mechanism mlp -o data.csv --truth truth.csv
  toposwap fit data.csv -o learned.csv && toposwap compare truth.csv learned.csv
"""


@click.command(epilog=_EPILOG, short_help="Draw a random graph and data from it.")
@click.option(
    "--nodes",
    type=Whole(min=2),
    metavar="N",
    default=20,
    show_default=True,
    help="Number of variables.",
)
@click.option(
    "--rows",
    type=Whole(min=2),
    metavar="N",
    default=1000,
    show_default=True,
    help="Number of samples.",
)
@click.option(
    "--graph",
    metavar="KIND",
    default="ER2",
    show_default=True,
    help="Kind of graph and edges per node: ER2 (random), SF4 (scale-free), full (every pair).",
)
@click.option(
    "--noise",
    metavar="NAME",
    help="gauss-EV (the default: equal variances), gauss-NV (unequal), exponential, gumbel or "
    "uniform.",
)
@click.option(
    "--mechanism",
    metavar="NAME",
    default="linear",
    show_default=True,
    help="linear, mlp (neural networks), mim (multiple index models), gp (Gaussian processes), "
    "gp-add (sums of Gaussian processes, one a parent), logistic (0/1 columns) or poisson "
    "(counts).",
)
@click.option(
    "--targets",
    type=Whole(min=0),
    metavar="N",
    default=0,
    help="Set so many of the variables from outside, one at a time, in further rows; the column "
    "interventions says which.",
)
@click.option(
    "--rows-each",
    type=Whole(min=1),
    metavar="N",
    default=100,
    show_default=True,
    help="Rows for each of the --targets.",
)
@click.option("--seed", type=Whole(min=0), metavar="N", help="Same seed, same files.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The data: .csv, .tsv (also .gz) or .parquet.",
)
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="The graph: .csv (edges), .weights.csv (matrix), .json, .gml or .dot.",
)
def simulate(
    nodes: int,
    rows: int,
    graph: str,
    noise: str | None,
    mechanism: str,
    targets: int,
    rows_each: int,
    seed: int | None,
    output: Path,
    truth: Path | None,
) -> None:
    """Draw a random graph and data from it: x_j = f_j(parents) + noise, or 0/1, or counts."""
    import numpy as np
    import pandas as pd

    from toposwap.io import check_writable, together, write_graph, write_table
    from toposwap.io.tables import PARQUET, require_pyarrow, table_suffix
    from toposwap.io.write_graph import graph_suffix
    from toposwap.simulate import (
        LAWS,
        MECHANISMS,
        discrete_dataset,
        intervention_targets,
        linear_dataset,
        nonlinear_dataset,
    )

    if table_suffix(output) in PARQUET:
        require_pyarrow(f"writing {str(output)!r}")
    check_writable(output)
    if truth is not None:
        graph_suffix(truth)
        check_writable(truth)
        if truth.absolute() == output.absolute():
            raise InputError("--output and --truth are the same file: choose two names")
    names = [f"x{k}" for k in range(nodes)]
    if noise is not None and mechanism in LAWS:
        raise InputError(f"--noise: the mechanism {mechanism!r} has none; leave it out")
    noise = noise or "gauss-EV"
    done = intervention_targets(nodes, targets, rows_each, rows, seed) if targets else None
    rows = rows if done is None else len(done)
    if mechanism == "linear":
        sample = linear_dataset(
            nodes, rows, graph, noise=noise, random_state=seed, interventions=done
        )
        X, weights = sample.X, sample.weights
    elif mechanism in MECHANISMS:
        drawn = nonlinear_dataset(
            *(nodes, rows, graph),
            mechanism=mechanism,
            noise=noise,
            random_state=seed,
            interventions=done,
        )
        X, weights = drawn.X, drawn.adjacency.astype(float)
    elif mechanism in LAWS:
        # Counts explode along paths of large weights.
        size = (0.1, 0.5) if mechanism == "poisson" else (0.5, 2.0)
        counted = discrete_dataset(
            *(nodes, rows, graph),
            law=mechanism,
            weights=size,
            random_state=seed,
            interventions=done,
        )
        X, weights = counted.X, counted.weights
    else:
        known = ", ".join((*MECHANISMS, *LAWS))
        raise InputError(f"--mechanism: {mechanism!r} is not one of linear, {known}")
    with together():
        table = pd.DataFrame(X, columns=names)
        if done is not None:
            table["interventions"] = ["" if j is None else names[j] for j in done]
        write_table(output, table)
        if truth is not None:
            write_graph(truth, pd.DataFrame(weights, index=names, columns=names))
    say(f"wrote {output}: {rows} rows x {nodes} columns")
    if truth is not None:
        say(f"wrote {truth}: {np.count_nonzero(weights)} edges")
