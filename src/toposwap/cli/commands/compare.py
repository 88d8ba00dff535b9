"""``toposwap compare``: two graphs, edge by edge and as equivalence classes."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposwap.cli.options.learning import Scoring, scoring_options
from toposwap.cli.options.numbers import Number
from toposwap.cli.terminal.show import say, show, show_json
from toposwap.core.errors import InputError, ToposwapWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from toposwap.certainty.differences import Difference
    from toposwap.io import FileGraph

_MOST_DIFFERENCES = 40
_EPILOG = """\b
Examples:
  toposwap compare truth.csv learned.csv
  toposwap compare truth.weights.csv solution.weights.csv --threshold 0.3 --json
  toposwap compare mine.csv learned.csv --data table.csv     what each difference costs in score

Both files may be anything that "toposwap refine" takes for WEIGHTS.
"""
_WORDS = {
    "shd": "SHD: extra + missing + reversed",
    "extra": "extra edges",
    "missing": "missing edges",
    "reversed": "reversed edges",
    "n_edges": "edges of the estimate",
    "n_true_edges": "edges of the truth",
    "fdr": "false discovery rate",
    "tpr": "true positive rate (recall)",
    "fpr": "false positive rate",
    "f1": "F1",
    "precision": "precision",
}


@click.command(epilog=_EPILOG)
@click.argument("true", type=click.Path(path_type=Path))
@click.argument("estimate", type=click.Path(path_type=Path))
@click.option(
    "--threshold",
    type=Number(min=0),
    metavar="NUMBER",
    default=0.0,
    help="Ignore edges of the estimate with |weight| below this.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON and nothing else.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="TABLE",
    help="The table behind both: tells what each difference costs in score.",
)
@scoring_options
def compare(
    true: Path,
    estimate: Path,
    threshold: float,
    as_json: bool,
    data: Path | None,
    scoring: Scoring,
) -> None:
    """Compare the graph ESTIMATE with the TRUE one.

    The first column of figures compares edge by edge, the second the equivalence classes: what data
    alone can tell in general. Then follows which edges differ, by name; with --data also what it
    would cost in score to have each as the first graph has it, all weights fitted again.
    """
    from toposwap.core.graph import topological_order
    from toposwap.metrics import compare as compare_graphs
    from toposwap.metrics import compare_classes
    from toposwap.pruning.threshold import threshold as prune

    truth, guess, names = _same_nodes(true, estimate)
    guess = prune(guess, threshold)
    _refuse_cycle(true, truth, names)
    figures: dict[str, dict[str, Any]] = {"graph": compare_graphs(truth, guess).as_dict()}
    undirected = (guess != 0.0) & (guess.T != 0.0)
    if undirected.any() or topological_order(guess != 0.0) is not None:
        figures["equivalence_class"] = compare_classes(truth, guess).as_dict()
    else:
        warnings.warn(
            f"{str(estimate)!r} has cycles, so it has no equivalence class to compare",
            ToposwapWarning,
            stacklevel=2,
        )
    listed = _differences(truth, guess, names, data, scoring)
    if as_json:
        told = {"differences": [asdict(one) for one in listed]} if listed is not None else {}
        show_json({**figures, **told})
    else:
        _print(figures)
        _print_differences(listed or [], with_costs=data is not None)


def _differences(
    truth: NDArray[np.float64],
    guess: NDArray[np.float64],
    names: list[str],
    data: Path | None,
    scoring: Scoring,
) -> list[Difference] | None:
    """Edge by edge; None where the estimate is no DAG, which has no score either."""
    from toposwap.certainty.differences import differences
    from toposwap.core.graph import topological_order

    if topological_order(guess != 0.0) is None:
        if data is not None:
            raise InputError("--data: only DAGs have a score, and the estimate has cycles")
        return None
    bound = None
    if data is not None:
        from toposwap.core.dataset import Dataset
        from toposwap.core.tables.table import NumberTable
        from toposwap.io import read_numbers

        table = read_numbers(data)
        columns = [str(name) for name in table.columns]
        if sorted(columns) != sorted(names):
            raise InputError(
                f"--data: the columns of {str(data)!r} are not the nodes of the graphs"
            )
        score = scoring.build()
        rows = Dataset.from_table(
            table.chosen(names) if isinstance(table, NumberTable) else table[names],
            center=scoring.center,
        )
        bound = score.bind(score.suited(rows))
    return differences(truth != 0.0, guess != 0.0, names, bound)


def _print_differences(listed: list[Difference], *, with_costs: bool) -> None:
    """A line for each pair that differs."""
    from rich import box
    from rich.table import Table

    from toposwap.report.text import as_cell

    if not listed:
        return
    say()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("difference", overflow="fold")
    if with_costs:
        table.add_column("score if as in the first", justify="right", no_wrap=True)
    for one in listed[:_MOST_DIFFERENCES]:
        cost = "a cycle" if one.cost is None else f"{one.cost:+.3g}"
        table.add_row(as_cell(one.in_words()), *([cost] if with_costs else []))
    show(table)
    if len(listed) > _MOST_DIFFERENCES:
        say(f"and {len(listed) - _MOST_DIFFERENCES} more; --json has them all")


def _same_nodes(
    true: Path, estimate: Path
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Both graphs as matrices over the same nodes in the same order, and the nodes."""
    from toposwap.io import read_graph, read_weights

    first, second = read_graph(true), read_graph(estimate)
    names = _nodes(first, second, (true, estimate))
    both = [read_weights(path, names).to_numpy() for path in (true, estimate)]
    return both[0], both[1], names


def _nodes(first: FileGraph, second: FileGraph, paths: tuple[Path, Path]) -> list[str]:
    for graph in (first, second):
        if graph.complete and graph.names is not None:
            return list(graph.names)
    if first.names is None and second.names is None:
        return [f"x{k}" for k in range(len(first.weights))]
    if first.names is None or second.names is None:
        numbered, listing = paths if first.names is None else paths[::-1]
        raise InputError(
            f"{str(numbered)!r} has no names and {str(listing)!r} lists edges by name: give one of "
            "them as a square matrix with names"
        )
    warnings.warn(
        "both files list edges, so nodes without edges are not known and not counted in the false "
        "positive rate",
        ToposwapWarning,
        stacklevel=2,
    )
    return list(dict.fromkeys([*first.names, *second.names]))


def _refuse_cycle(path: Path, weights: NDArray[np.float64], names: list[str]) -> None:
    from toposwap.core.graph import find_cycle, topological_order

    if topological_order(weights != 0.0) is None:
        cycle = " -> ".join(repr(names[v]) for v in find_cycle(weights != 0.0))
        raise InputError(f"{str(path)!r} is no DAG: it has {cycle}; remove one of these edges")


def _print(figures: dict[str, dict[str, Any]]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("")
    for name in figures:
        table.add_column(name.replace("_", " "), justify="right")
    for key, words in _WORDS.items():
        values = [column[key] for column in figures.values()]
        table.add_row(words, *(f"{v:.3f}" if isinstance(v, float) else str(v) for v in values))
    show(table)
