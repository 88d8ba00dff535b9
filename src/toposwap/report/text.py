"""What a person reads in a terminal: the edges, and how they were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.core.table import NumberTable
from toposwap.diagnostics import units_in_words
from toposwap.io.edges import edge_list
from toposwap.report.record import name_of, reversible
from toposwap.report.words import certificate_in_words, condition_in_words, counted, status_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table

    from toposwap.estimators import Topo

MOST_EDGES = 40


def report(
    model: Topo,
    *,
    rows: int | None = None,
    seconds: float | None = None,
    remarks: bool = True,
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
    """
    from rich.console import Group
    from rich.text import Text

    return Group(
        edge_table(NumberTable(list(model.names_), model.adjacency_matrix_)),
        Text(""),
        summary(model, rows=rows, seconds=seconds, remarks=remarks),
    )


def edge_table(weights: NumberTable | pd.DataFrame, most: int = MOST_EDGES) -> RenderableType:
    """Cause, effect and weight of the edges, strongest first, at most ``most`` of them."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    edges = edge_list(weights)
    if not edges:
        return Text("No edges.")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("cause", overflow="fold")
    table.add_column("effect", overflow="fold")
    table.add_column("weight", justify="right", no_wrap=True)
    shown = edges[:most]
    # Text, not str: rich would read [brackets] in a name as markup.
    for edge, weight in zip(shown, _aligned([edge.weight for edge in shown]), strict=True):
        table.add_row(Text(edge.source), Text(edge.target), weight)
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
) -> Table:
    """Data, score, search, certificate, pruning and remarks of a fitted model, a line each."""
    columns = counted(len(model.names_), "column")
    spent = model.history_[-1].seconds if seconds is None else seconds
    lines = [
        ("data", columns if rows is None else f"{counted(rows, 'row')} x {columns}"),
        ("score", f"{model.score_:.6g} ({model.result_.score_name})"),
        (
            "search",
            f"{name_of(model.search)}, {counted(model.n_iter_, 'iteration')}, {spent:.2f} s",
        ),
        ("status", status_in_words(model.status_)),
        ("certificate", certificate_in_words(model.certificate_, model.names_)),
        ("edges", _pruning(model)),
    ]
    condition = condition_in_words(model.certificate_)
    if condition is not None:
        lines.insert(-1, ("theorem", condition))
    if model.result_.scale_dependent:
        lines.append(("units", _units(model)))
    else:
        lines.append(("directions", _directions(model)))
    lines += [("chosen", choice) for choice in model.result_.choices]
    lines += [("remark", remark) for remark in model.remarks_ if remarks]
    return key_values(lines)


def key_values(lines: Iterable[tuple[str, str]]) -> Table:
    """Two columns without rules: what, and its value."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for key, value in lines:
        table.add_row(Text(key, style="bold"), Text(value))
    return table


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
    if model.result_.pruned is not None:
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
    return (
        f"{kept} with |weight| >= {model.threshold_:g}; {found - kept} weaker of the solution's "
        f"{found} dropped"
    )


def _units(model: Topo) -> str:
    """How far the variances alone would have given the same order."""
    return units_in_words(model.varsortability_, model.result_.score_name)


def _directions(model: Topo) -> str:
    """Which arrows mean something: no independence in the data tells equivalent graphs apart."""
    undecided = reversible(model)
    edges = int(np.count_nonzero(model.adjacency_matrix_))
    told = f"{edges - len(undecided)} of {edges} are fixed by the data"
    if undecided:
        shown = ", ".join(f"{a} - {b}" for a, b in undecided[:8])
        more = f" and {len(undecided) - 8} more" if len(undecided) > 8 else ""
        if model.result_.equivalent:
            told += f"; either way round would do for {shown}{more}"
        else:
            told += f", the rest by what the score assumes of the columns: {shown}{more}"
    return told


def _aligned(numbers: Sequence[float]) -> list[str]:
    """Three decimals, or three digits and an exponent where those would not show the number."""
    sizes = [abs(number) for number in numbers]
    plain = min(sizes) >= 1e-3 and max(sizes) < 1e6
    return [f"{number:.3f}" if plain else f"{number:.2e}" for number in numbers]
