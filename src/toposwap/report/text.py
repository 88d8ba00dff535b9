"""What a person reads in a terminal: the edges, and how they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.printable import printable, shortened
from toposwap.estimators.base import DagLearner
from toposwap.report.evidence import evidence_at_hand
from toposwap.report.facts import summary_lines
from toposwap.report.graph import ReportedGraph, reported_graph
from toposwap.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from toposwap.estimators import Topo
    from toposwap.report.graph import Doubt

MOST_EDGES = 40
_LONGEST_CELL = 2000


def report(
    model: Topo,
    *,
    rows: int | None = None,
    seconds: float | None = None,
    remarks: bool = True,
    without: Topo | None = None,
    doubt: Doubt | None = None,
) -> RenderableType:
    """The edges of a fitted model, then its summary.

    Parameters
    ----------
    model
        A fitted model.
    rows
        How many rows it was fitted to.
    seconds
        How long that took; by default the time of the fit.
    remarks
        Whether to repeat what the model was warned about.
    without
        The same model fitted without what is known, to tell what that costs.
    doubt
        What resamples say of the edges.
    """
    from rich.console import Group
    from rich.text import Text

    return Group(
        edge_table(reported_graph(model, doubt, evidence_at_hand(model))),
        Text(""),
        summary(model, rows=rows, seconds=seconds, remarks=remarks, without=without),
    )


def edge_table(
    graph: DagLearner | pd.DataFrame | ReportedGraph, most: int = MOST_EDGES
) -> RenderableType:
    """The edges, strongest first, at most ``most`` of them.

    Parameters
    ----------
    graph
        A fitted model: weights, standardised weights, and which directions are open. Or weights
        (d, d) with the names of the nodes as columns. Or a graph as reports show it, perhaps with
        what resamples say of it.
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
    low, high = ("low", "high") if shown.doubt is not None else ("given_low", "given_high")
    for name, of in (("low", low), ("high", high)):
        if any(getattr(edge, of) is not None for edge in listed):
            ends = [getattr(edge, of) for edge in listed]
            numbers[name] = _aligned(ends, [edge.weight for edge in listed])
    if any(edge.evidence is not None for edge in listed):
        evidence = [edge.evidence for edge in listed]
        numbers["evidence"] = ["" if x is None else _three_digits(x) for x in evidence]
    for name, column in numbers.items():
        table.add_column(name, justify="right", no_wrap=True)
        for row, number in zip(cells, column, strict=True):
            row.append(number)
    if shown.doubt is not None:
        for name, share in (("frequency", "frequency"), ("this way", "direction")):
            table.add_column(name, justify="right", no_wrap=True)
            for row, edge in zip(cells, listed, strict=True):
                row.append(f"{getattr(edge, share):.2f}")
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


def _reported(graph: DagLearner | pd.DataFrame | ReportedGraph) -> ReportedGraph:
    if isinstance(graph, ReportedGraph):
        return graph
    if isinstance(graph, DagLearner):
        return reported_graph(graph, given=evidence_at_hand(graph))
    names = [str(name) for name in graph.columns]
    return ReportedGraph.of_weights(graph.to_numpy(dtype=np.float64), names)


def _aligned(
    numbers: Sequence[float | None], like: Sequence[float | None] | None = None
) -> list[str]:
    """Three decimals, or three digits of each where those would not show the smallest number.

    Numbers that stand beside others are written ``like`` those.
    """
    sizes = [abs(number) for number in (like or numbers) if number is not None]
    plain = min(sizes) >= 1e-2 and max(sizes) < 1e6
    show = "{:.3f}".format if plain else _three_digits
    return ["" if number is None else show(number) for number in numbers]


def _three_digits(number: float) -> str:
    """``0.00343``, ``62.6``, ``1985``; with an exponent where zeros would fill the line."""
    if number and not 1e-4 <= abs(number) < 1e6:
        return f"{number:.2e}"
    return f"{number:.0f}" if abs(number) >= 999.5 else f"{number:#.3g}".removesuffix(".")
