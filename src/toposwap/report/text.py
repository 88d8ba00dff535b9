"""What a person reads in a terminal: the edges, and how they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.certificate import GRAPH
from toposwap.core.printable import printable, shortened
from toposwap.diagnostics import units_in_words
from toposwap.estimators.base import DagLearner
from toposwap.report.gaps import gaps_in_words
from toposwap.report.graph import ReportedGraph, open_directions, reported_graph, reversible
from toposwap.report.interventions import interventions_in_words
from toposwap.report.knowledge import against_in_words, cost_in_words, knowledge_in_words
from toposwap.report.record import name_of
from toposwap.report.words import (
    certificate_in_words,
    condition_in_words,
    counted,
    penalty_in_words,
    status_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from toposwap.estimators import Topo

MOST_EDGES = 40
_LONGEST_CELL = 2000


def report(
    model: Topo,
    *,
    rows: int | None = None,
    seconds: float | None = None,
    remarks: bool = True,
    without: Topo | None = None,
) -> RenderableType:
    """The edges of a fitted model, then its summary.

    Parameters
    ----------
    model
        A fitted model.
    rows
        How many rows it was fitted to.
    seconds
        How long that took; by default the time of the last improvement.
    remarks
        Whether to repeat what the model was warned about.
    without
        The same model fitted without what is known, to tell what that costs.
    """
    from rich.console import Group
    from rich.text import Text

    return Group(
        edge_table(model),
        Text(""),
        summary(model, rows=rows, seconds=seconds, remarks=remarks, without=without),
    )


def edge_table(graph: DagLearner | pd.DataFrame, most: int = MOST_EDGES) -> RenderableType:
    """The edges, strongest first, at most ``most`` of them.

    Parameters
    ----------
    graph
        A fitted model: weights, standardised weights, and which directions are open. Or weights
        (d, d) with the names of the nodes as columns.
    most
        Weaker edges are only counted.
    """
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    shown = _reported(graph)
    edges = shown.edges()
    if not edges:
        return Text("No edges.")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("cause", overflow="fold")
    table.add_column("effect", overflow="fold")
    listed = edges[:most]
    cells: list[list[str | Text]] = [
        [as_cell(edge.source), as_cell(edge.target)] for edge in listed
    ]
    numbers = {"weight": _aligned([edge.weight for edge in listed])}
    if any(edge.standardised is not None for edge in listed):
        numbers["standardised"] = _aligned([edge.standardised for edge in listed])
    for name, column in numbers.items():
        table.add_column(name, justify="right", no_wrap=True)
        for row, number in zip(cells, column, strict=True):
            row.append(number)
    if shown.open.any():
        table.add_column("direction", no_wrap=True)
        for row, edge in zip(cells, listed, strict=True):
            row.append("open" if edge.open else "")
    for row in cells:
        table.add_row(*row)
    if len(edges) <= most:
        return table
    rest = counted(len(edges) - most, "weaker edge")
    return Group(table, Text(f"and {rest}; for all of them: --output edges.csv", style="italic"))


def summary(
    model: Topo,
    *,
    rows: int | None = None,
    seconds: float | None = None,
    remarks: bool = True,
    without: Topo | None = None,
) -> Table:
    """Data, score, search, certificate, pruning and remarks of a fitted model, a line each."""
    return key_values(
        summary_lines(model, rows=rows, seconds=seconds, remarks=remarks, without=without)
    )


def summary_lines(
    model: Topo,
    *,
    rows: int | None = None,
    seconds: float | None = None,
    remarks: bool = True,
    without: Topo | None = None,
) -> list[tuple[str, str]]:
    """What :func:`summary` shows: what, and its value; a line that goes on has no name."""
    columns = counted(len(model.names_), "column")
    spent = model.history_[-1].seconds if seconds is None else seconds
    lines: list[tuple[str, str | None]] = [
        ("data", columns if rows is None else f"{counted(rows, 'row')} x {columns}"),
        ("score", f"{model.score_:.6g} ({model.result_.score_name})"),
        ("penalty", penalty_in_words(model.score, model.result_.score_name)),
        (
            "search",
            f"{name_of(model.search)}, {counted(model.n_iter_, 'iteration')}, {spent:.2f} s",
        ),
        ("status", status_in_words(model.status_)),
        ("starts", _starts(model)),
        ("bound", _bound(model)),
        ("certificate", certificate_in_words(model.certificate_, model.names_)),
        ("theorem", condition_in_words(model.certificate_)),
        ("edges", _pruning(model)),
        ("interventions", interventions_in_words(model)),
        ("knowledge", knowledge_in_words(model)),
        ("", against_in_words(model)),
        ("", None if without is None else cost_in_words(model, without)),
    ]
    if model.result_.scale_dependent:
        lines.append(("units", _units(model)))
    if model.result_.equivalent or not model.result_.scale_dependent:
        lines.append(("directions", _directions(model)))
    told = gaps_in_words(model)
    lines += [("" if k else "missing", line) for k, line in enumerate(told)]
    lines += [("chosen", choice) for choice in model.result_.choices]
    lines += [("remark", remark) for remark in model.remarks_ if remarks]
    return [(key, value) for key, value in lines if value is not None]


def key_values(lines: Iterable[tuple[str, str]]) -> Table:
    """Two columns without rules: what, and its value."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in lines:
        table.add_row(Text(key, style="bold"), as_cell(value))
    return table


def as_cell(text: str) -> Text:
    """One line of a table, as it is: rich alone would read [brackets] in a name as markup."""
    from rich.text import Text

    return Text(printable(shortened(text, _LONGEST_CELL)))


def as_text(renderable: RenderableType, width: int = 100) -> str:
    """The same as plain text, for logs and notebooks."""
    import io

    from rich.console import Console

    file = io.StringIO()
    Console(file=file, width=width, color_system=None, highlight=False).print(renderable)
    return "".join(line.rstrip() + "\n" for line in file.getvalue().splitlines())


def _pruning(model: Topo) -> str:
    kept = int(np.count_nonzero(model.adjacency_matrix_))
    found = int(np.count_nonzero(model.weights_))
    if model.result_.pruned.refitted:
        dropped = np.count_nonzero(model.weights_[model.adjacency_matrix_ == 0])
        added = kept - found + dropped
        places = model.result_.order.positions
        turned = sum(places[i] > places[j] for i, j in np.argwhere(model.adjacency_matrix_))
        rule = model.result_.pruned.rule
        told = f"{kept} kept by {rule}; {dropped} of the solution's {found} dropped"
        if added:
            told += f", {added} added"
        return f"{told}; {turned} of the {kept} against the solution's order" if turned else told
    if model.threshold_ is None:
        return f"{kept}, not pruned"
    weaker = int(np.sum(np.abs(model.weights_[model.adjacency_matrix_ != 0.0]) < model.threshold_))
    though = f" ({weaker} of them weaker, but known to be there)" if weaker else ""
    return (
        f"{kept} with |weight| >= {model.threshold_:g}{though}; {found - kept} weaker of the "
        f"solution's {found} dropped"
    )


def _starts(model: Topo) -> str | None:
    """How often the best score was met, and where graphs about as good differ from it."""
    result = model.result_
    if result.starts is None:
        return None
    met, tried = result.starts
    told = f"best score reached from {met} of {counted(tried, 'start')}"
    disputed = model.disputed_
    if not disputed:
        return told
    pairs = [f"{model.names_[i]} - {model.names_[j]}" for i, j in disputed]
    more = f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
    return f"{told}; others are within 2 units of it and differ at {', '.join(pairs[:8])}{more}"


def _bound(model: Topo) -> str | None:
    """How far the score is from one that no graph can be below."""
    bound = model.result_.bound
    if bound is None or model.status_ == "global minimum":
        return None
    off = max(0.0, model.score_ - bound)
    share = 100.0 * off / max(abs(model.score_), np.finfo(float).tiny)
    return (
        f"no graph has a score below {bound:.6g}: this one is within {off:.3g} of the global "
        f"minimum, {share:.2g} percent"
    )


def _units(model: Topo) -> str:
    """How far the variances alone would have given the same order."""
    return units_in_words(model.varsortability_, model.result_.score_name)


def _directions(model: Topo) -> str | None:
    """Which arrows mean something: no independence in the data tells equivalent graphs apart."""
    edges = int(np.count_nonzero(model.adjacency_matrix_))
    if edges == 0:
        return None
    either_way, left_open = reversible(model), open_directions(model)
    form = "its form of effects and noise"
    if model.result_.equivalent:
        form = "linear effects, Gaussian noise"
        if model.certificate_.kind == GRAPH:
            form = "any probabilities given the causes"
    known = "" if model.result_.environments is None else ", from what was set"
    known += "" if model.result_.admissible.everything else " and what is known"
    told = (
        f"{edges - np.count_nonzero(either_way)} of {edges} follow from the data{known} if the "
        f"model holds ({form}, no unmeasured common causes)"
    )
    for which, words in (
        (left_open, "open, as the data fit equally well either way round"),
        (either_way & ~left_open, "resting on that form alone"),
    ):
        pairs = [f"{model.names_[i]} - {model.names_[j]}" for i, j in np.argwhere(which)]
        if pairs:
            more = f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
            told += f"; {words}: {', '.join(pairs[:8])}{more}"
    return told


def _reported(graph: DagLearner | pd.DataFrame) -> ReportedGraph:
    if isinstance(graph, DagLearner):
        return reported_graph(graph)
    names = [str(name) for name in graph.columns]
    return ReportedGraph.of_weights(graph.to_numpy(dtype=np.float64), names)


def _aligned(numbers: Sequence[float | None]) -> list[str]:
    """Three decimals, or three digits of each where those would not show the smallest number."""
    sizes = [abs(number) for number in numbers if number is not None]
    plain = min(sizes) >= 1e-2 and max(sizes) < 1e6
    show = "{:.3f}".format if plain else _three_digits
    return ["" if number is None else show(number) for number in numbers]


def _three_digits(number: float) -> str:
    """``0.00343``, ``62.6``, ``1985``; with an exponent where zeros would fill the line."""
    if not 1e-4 <= abs(number) < 1e6:
        return f"{number:.2e}"
    return f"{number:.0f}" if abs(number) >= 999.5 else f"{number:#.3g}".removesuffix(".")
