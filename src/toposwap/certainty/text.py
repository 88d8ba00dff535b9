"""Confidence in words and tables, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from toposwap.report.text import as_cell, key_values
from toposwap.report.words import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from toposwap.certainty.confidence import Confidence

MOST_PAIRS = 40
#: Pairs that fewer resamples join are only counted.
LEAST_SHOWN = 0.1


def report(confidence: Confidence) -> RenderableType:
    """The pairs that resamples join, most frequent first, then the summary."""
    from rich.console import Group
    from rich.text import Text

    return Group(pair_table(confidence), Text(""), summary(confidence))


def pair_table(confidence: Confidence) -> RenderableType:
    """How often each pair is joined, and which way."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    frame = confidence.edges
    listed = frame[frame["frequency"] >= LEAST_SHOWN].head(MOST_PAIRS)
    if len(frame) == 0:
        return Text("No edges in any resample.")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("cause", "effect"):
        table.add_column(name, overflow="fold")
    for name in ("frequency", "this way", "weight", "95% interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("in the graph", no_wrap=True)
    for row in listed.to_dict("records"):
        table.add_row(
            as_cell(row["cause"]),
            as_cell(row["effect"]),
            f"{row['frequency']:.2f}",
            f"{row['direction']:.2f}",
            _number(row["weight"]),
            f"{_number(row['low'])} to {_number(row['high'])}",
            "yes" if row["learned"] else "",
        )
    rest = len(frame) - len(listed)
    if not rest:
        return table
    told = f"and {counted(rest, 'pair')} found less often; for all of them: --output pairs.json"
    return Group(table, Text(told, style="italic"))


def summary(confidence: Confidence) -> Table:
    """How many resamples, how drawn, what is stable, and the consensus, a line each."""
    done = counted(confidence.done, "resample")
    if confidence.interrupted:
        done += f" of {confidence.asked}, then interrupted"
    lines = [
        ("resamples", f"{done}, {_METHODS.get(confidence.method, confidence.method)}"),
        ("stable", _stable(confidence)),
        ("consensus", _consensus(confidence)),
    ]
    return key_values(lines + [("remark", remark) for remark in confidence.remarks])


#: The methods in words.
_METHODS = {
    "half": "halves of the rows, in pairs without a row in common",
    "bootstrap": "as many rows, drawn with replacement",
    "bayesian": "every row, randomly weighed",
    "m-out-of-n": "half as many rows, drawn with replacement",
}


def _stable(confidence: Confidence) -> str:
    stable = confidence.stable()
    told = (
        f"{counted(len(stable.edges), 'pair')} joined in at least {stable.threshold:.0%} of the "
        "resamples"
    )
    if stable.expected_false is None:
        return told
    return (
        f"{told}; at most {stable.expected_false:.2g} of them expected to be chance "
        "(complementary pairs)"
    )


def _consensus(confidence: Confidence) -> str:
    found = confidence.consensus()
    learned = confidence.graph != 0.0
    told = counted(int(found.edges.sum()), "edge")
    told += ", proved to agree best" if found.proved else ", the best found"
    missing = int(np.count_nonzero(learned & ~found.edges & ~found.edges.T))
    extra = int(np.count_nonzero(found.edges & ~learned & ~learned.T))
    turned = int(np.count_nonzero(found.edges & learned.T))
    parts = [
        f"{count} {word}"
        for count, word in ((extra, "more"), (missing, "not there"), (turned, "turned"))
        if count
    ]
    than = ", ".join(parts) if parts else "the same edges"
    return f"{told}; against the graph of all rows: {than}"


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}"
