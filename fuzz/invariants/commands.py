"""What must hold of every run of the command line.

It leaves with 0, 1 or 2, tells what is wrong in one line, shows no control character of a name,
leaves its inputs alone, and writes outputs that can be read again or none.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

if TYPE_CHECKING:
    from fuzz.commands import CommandRun

    Invariant = Callable[[CommandRun], Iterator[str]]

LIMIT = 20.0
INVARIANTS: dict[str, Invariant] = {}
#: Marks that make a terminal show text in another order.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def invariant(check: Invariant) -> Invariant:
    """Register what must hold."""
    INVARIANTS[check.__name__.replace("_", " ")] = check
    return check


def broken(run: CommandRun) -> list[tuple[str, str]]:
    """The invariants that ``run`` breaks, each with what is wrong."""
    return [(name, told) for name, check in INVARIANTS.items() for told in check(run)]


@invariant
def no_traceback(run: CommandRun) -> Iterator[str]:
    """No exception leaves a command, and none is shown."""
    if run.trace:
        yield run.trace.strip().splitlines()[-1]
    elif "Traceback" in run.heard.err:
        yield "a traceback is shown"


@invariant
def exit_code(run: CommandRun) -> Iterator[str]:
    """0, 1 or 2, and an error is told exactly where it is not 0."""
    if run.trace:
        return
    if run.code not in (0, 1, 2):
        yield f"left with {run.code}"
    told = "toposwap: error: " in run.heard.err
    if run.code == 2 and not told:
        yield "left with 2, but no error is told"
    if run.code == 0 and told:
        yield f"left with 0 after {run.heard.err!r}"


@invariant
def one_line_each(run: CommandRun) -> Iterator[str]:
    """Whatever goes to standard error is a line of toposwap's, and not a page."""
    for line in run.heard.err.splitlines():
        if not line.startswith("toposwap: "):
            yield f"stderr: {line[:200]!r}"
            return
        if line.startswith("toposwap: warning: "):
            yield line[:300]
        if len(line) > 3000:
            yield f"a line of {len(line)} characters: {line[:100]!r}"
        if line.strip() in ("toposwap: error:", "toposwap: note:"):
            yield "an error without words"


@invariant
def no_control_characters(run: CommandRun) -> Iterator[str]:
    """Nothing that a terminal would act upon is printed."""
    for stream, text in (("stdout", run.heard.out), ("stderr", run.heard.err)):
        found = {
            c for c in text if c in _TURNING or (unicodedata.category(c) == "Cc" and c != "\n")
        }
        if found:
            yield f"{stream} has {sorted(found)!r}"


@invariant
def inputs_unchanged(run: CommandRun) -> Iterator[str]:
    """The files that were given are as they were."""
    for path, content in run.inputs.items():
        if not path.exists() or path.read_bytes() != content:
            yield f"{path.name!r} was changed"


@invariant
def nothing_left_over(run: CommandRun) -> Iterator[str]:
    """There are no files but those that were asked for; a checkpoint stays when a fit is done."""
    known = {*run.inputs, *run.outputs}
    for path in sorted(run.left - known):
        inside = {part.name for part in path.parents} | {path.name}
        if path.is_file() and not inside & {"demo-output", "reproduce-output", "folder", "kept"}:
            yield f"{path.name} was left behind"


@invariant
def outputs_whole_or_absent(run: CommandRun) -> Iterator[str]:
    """After success every output is there; whatever is there can be read again."""
    for path in run.outputs:
        if not path.exists():
            if run.code == 0 and "--list" not in run.arguments and "--results" not in run.arguments:
                yield f"{path.name} was not written"
            continue
        if run.code == 2:
            yield f"{path.name} was written, and yet it failed"
        try:
            parse(path)
        except Exception as error:
            yield f"{path.name} cannot be read again: {type(error).__name__}: {error}"


@invariant
def json_whole(run: CommandRun) -> Iterator[str]:
    """With --json standard output is one JSON value, with -q it is empty."""
    if run.code == 2 or run.trace or run.arguments[0] == "reproduce":
        return
    if "--json" in run.arguments:
        try:
            json.loads(run.heard.out, parse_constant=_refuse_constant)
        except ValueError as error:
            yield f"stdout is no JSON: {error}: {run.heard.out[:100]!r}"
    elif "--quiet" in run.arguments and run.heard.out:
        yield f"printed {run.heard.out[:100]!r}"


@invariant
def in_time(run: CommandRun) -> Iterator[str]:
    """A command on a small table ends."""
    if run.heard.seconds > LIMIT:
        yield f"took {run.heard.seconds:.1f} s"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def parse(path: Path) -> None:
    """Read an output with an independent reader; raise where that is not possible."""
    content, name = path.read_bytes(), path.name
    if name.endswith(".json"):
        record = json.loads(content, parse_constant=_refuse_constant)
        assert isinstance(record["names"], list)
    elif name.endswith(".weights.csv"):
        header, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
        assert [row[0] for row in rows] == header[1:], "names of rows and columns differ"
        assert all(len(row) == len(header) and list(map(float, row[1:])) for row in rows)
    elif name.endswith(".csv"):
        header, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
        assert all(len(row) == len(header) for row in rows), "rows of unequal length"
    elif name.endswith(".gml"):
        import networkx as nx

        nx.parse_gml(content.decode())
    elif name.endswith(".dot"):
        _parse_dot(content.decode())
    elif name.endswith(".svg"):
        tree = ElementTree.fromstring(content)
        assert not [e for e in tree.iter() if str(e.tag).endswith("script")], (
            "a script in a picture"
        )
    elif name.endswith(".png"):
        assert (content[:4], content[-8:-4]) == (b"\x89PNG", b"IEND"), "no whole PNG"
    elif name.endswith(".pdf"):
        assert (content[:4], content.strip()[-5:]) == (b"%PDF", b"%%EOF"), "no whole PDF"
    elif name.endswith(".npz"):
        with np.load(path, allow_pickle=False) as arrays:
            shares = arrays["probabilities"]
            assert ((shares >= 0.0) & (shares <= 1.0)).all(), "no probabilities"
    elif name.endswith((".tsv", ".gz", ".parquet")):
        from toposwap.io import read_table

        read_table(path)
    else:
        content.decode()


def _parse_dot(text: str) -> None:
    """Quotes and brackets of a DOT file close, and there is one graph."""
    quoted = escaped = False
    depth = 0
    for mark in text:
        if quoted:
            if not escaped and mark == '"':
                quoted = False
            escaped = mark == "\\" and not escaped
        elif mark == '"':
            quoted = True
        elif mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            assert depth >= 0, "a bracket closes that was not open"
    assert (text[:7], depth, quoted) == ("digraph", 0, False), "not one whole graph"
