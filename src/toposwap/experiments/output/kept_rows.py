"""Rows of a results page whose methods were run elsewhere, and stay when it is made again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from toposwap.experiments.output.layouts import Table

_TABLE = re.compile(r"^\|.*\n\|[ :|-]+\|\n(?:\|.*(?:\n|\Z))*", re.MULTILINE)
_FAILURE = re.compile(r"^- (\S+): .*$", re.MULTILINE)
_FEWER = re.compile(r"\(fewer: ([^)]*)\)")
_CODE = re.compile(r"; code ([^\n]*)\.$", re.MULTILINE)


class Grid(NamedTuple):
    """A table of Markdown: its titles, its rule, and the texts of its rows."""

    titles: list[str]
    rule: str
    rows: list[list[str]]


def with_kept_rows(
    made: str, before: str, layouts: Sequence[Table], labels: Sequence[str], fresh: Set[str]
) -> str:
    """The tables of ``made`` with the rows of ``before`` for methods that are not ``fresh``.

    Parameters
    ----------
    made, before
        Markdown with the same tables in the same order, and lines about failures.
    layouts
        Of these tables.
    labels
        The methods of the experiment, in its order; rows of any other are dropped.
    fresh
        The methods of ``made``.
    """
    tables = list(_TABLE.finditer(made))
    older = [_grid(found[0]) for found in _TABLE.finditer(before)]
    parts, end = [], 0
    for k, found in enumerate(tables):
        text = found[0]
        if k < len(older) and k < len(layouts) and "method" in layouts[k].rows:
            text = _text(_merged(_grid(text), older[k], layouts[k].rows, labels, fresh))
        parts += [made[end : found.start()], text]
        end = found.end()
    stay = [m[0] for m in _FAILURE.finditer(before) if m[1] in labels and m[1] not in fresh]
    whole = "".join([*parts, made[end:]]).rstrip("\n")
    if stay:
        whole += ("\n" if _FAILURE.search(made) else "\n\n") + "\n".join(stay)
    return whole + "\n"


def kept_counts(before: str, labels: Iterable[str], fresh: Set[str]) -> list[str]:
    """``["ges 5"]``: which methods that stay have fewer seeds, as ``before`` says."""
    found = _FEWER.search(before)
    items = found[1].split(", ") if found else []
    stay = set(labels) - set(fresh)
    return [item for item in items if item.rpartition(" ")[0] in stay]


def kept_versions(before: str) -> list[str]:
    """The versions of the code that made the rows of ``before``."""
    found = _CODE.search(before)
    return found[1].split(", ") if found else []


def _merged(
    new: Grid, old: Grid, fields: Sequence[str], labels: Sequence[str], fresh: Set[str]
) -> Grid:
    method, n = fields.index("method"), len(fields)
    wider = set(new.titles) <= set(old.titles)
    titles, rule = (old.titles, old.rule) if wider else (new.titles, new.rule)
    stay = [row for row in old.rows if row[method] in labels and row[method] not in fresh]
    rows = [
        *(_under(titles, new.titles, row, n) for row in new.rows),
        *(_under(titles, old.titles, row, n) for row in stay),
    ]
    places = [list(dict.fromkeys(row[c] for row in rows)) for c in range(n)]
    places[method] = list(labels)
    rows.sort(key=lambda row: [place.index(text) for place, text in zip(places, row, strict=False)])
    return Grid(titles, rule, rows)


def _under(titles: list[str], own: list[str], row: list[str], n: int) -> list[str]:
    """A row of a table with titles ``own`` under ``titles``; the first ``n`` name the row."""
    shown = dict(zip(own[n:], row[n:], strict=True))
    return [*row[:n], *(shown.get(title, "") for title in titles[n:])]


def _grid(text: str) -> Grid:
    head, rule, *body = text.rstrip("\n").split("\n")
    return Grid(_texts(head), rule, [_texts(line) for line in body])


def _texts(line: str) -> list[str]:
    return [text.strip() for text in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _text(grid: Grid) -> str:
    lines = ["| " + " | ".join(grid.titles) + " |", grid.rule]
    lines += ["| " + " | ".join(row) + " |" for row in grid.rows]
    return "\n".join(lines) + "\n"
