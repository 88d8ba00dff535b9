"""Files that say what is known: Tetrad's text format, JSON, and lists of edges.

Tetrad's format has sections that begin with a word on a line of its own::

    /knowledge
    addtemporal
    1 age sex
    2* income "monthly rent"
    3

    forbiddirect
    rent income

    requiredirect
    income rent

A tier's number may be followed by ``*`` (no edges within it) and by ``-`` (edges lead to the next
tier at most). ``forbiddirect`` and ``requiredirect`` hold an edge a line, ``forbidgroup`` and
``requiregroup`` a line of causes and a line of effects in turn. Names stand between spaces or tabs;
those with spaces may be quoted, and where they are not, the columns of the table will tell.
"""

from __future__ import annotations

import csv
import json
import os
import re
from itertools import product
from pathlib import Path
from typing import Any

from toposwap.core.errors import InputError
from toposwap.knowledge.names import Quoted, Words

_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbidgroup", "requiregroup")
_TIER = re.compile(r"^(\d+)\s*(\*?)\s*(-?)(?:\s+(.*))?$")
_QUOTED = re.compile(r'"([^"]*)"|(\S+)')
#: What the columns of a list of edges may be called, and what their kinds.
_CAUSE = ("cause", "source", "from", "parent")
_EFFECT = ("effect", "target", "to", "child")
_KIND = ("kind", "knowledge", "type", "status", "edge", "list")
_KINDS = {
    "allowed": "allowed",
    "allow": "allowed",
    "required": "required",
    "require": "required",
    "whitelist": "required",
    "forbidden": "forbidden",
    "forbid": "forbidden",
    "blacklist": "forbidden",
}


def read_knowledge(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The parameters of :class:`~toposwap.Knowledge` that a file holds."""
    file = Path(path)
    try:
        # With or without the mark that some editors put first; line ends of any kind.
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = file.read_text(encoding="latin-1")
    suffix = file.suffix.lower()
    if suffix == ".json":
        return _from_json(text, file)
    if suffix in (".csv", ".tsv"):
        return _from_edges(text, file, "\t" if suffix == ".tsv" else ",")
    return _from_tetrad(text, file)


# --- Tetrad --------------------------------------------------------------------------------------


def _from_tetrad(text: str, file: Path) -> dict[str, Any]:
    tiers: dict[int, list[str] | Words] = {}
    closed: set[int] = set()
    short: set[int] = set()
    edges: dict[str, list[Any]] = {"forbidden": [], "required": []}
    causes: list[str] | Words | None = None
    section = None
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith(("//", "#")) or line.lower() == "/knowledge":
            continue
        if line.lower() in _SECTIONS:
            section, causes = line.lower(), None
            continue
        where = f"{str(file)!r}, line {number}"
        if section is None:
            raise InputError(
                f"{where}: {line!r} stands before any of {', '.join(_SECTIONS)}; is this a file of "
                "Tetrad's format?"
            )
        if section == "addtemporal":
            matched = _TIER.match(line)
            if matched is None:
                raise InputError(f"{where}: a tier begins with its number, and {line!r} does not")
            k = int(matched[1])
            tiers[k] = _together(tiers.get(k), _names(matched[4] or ""))
            closed |= {k} if matched[2] else set()
            short |= {k} if matched[3] else set()
            continue
        kind = "forbidden" if section.startswith("forbid") else "required"
        names = _names(line)
        if not section.endswith("group"):
            if not isinstance(names, Words) and len(names) != 2:
                raise InputError(f"{where}: an edge has two ends, and {line!r} has {len(names)}")
            edges[kind].append(names if isinstance(names, Words) else tuple(names))
        elif causes is None:
            causes = names
        else:
            edges[kind] += _from_each_to_each(causes, names)
            causes = None
    numbers = sorted(tiers)
    for k in short:
        for m in [m for m in numbers if m > k][1:]:
            edges["forbidden"] += _from_each_to_each(tiers[k], tiers[m])
    return {
        "tiers": [tiers[k] for k in numbers],
        "closed_tiers": [place for place, k in enumerate(numbers) if k in closed],
        **edges,
    }


def _names(text: str) -> list[str] | Words:
    """The names on a line: between tabs if there are any, else words, quoted ones as they are."""
    if "\t" in text.strip():
        return [part.strip().strip('"') for part in text.split("\t") if part.strip()]
    found = [Quoted(quoted) if quoted else word for quoted, word in _QUOTED.findall(text)]
    return found if found and all(isinstance(w, Quoted) for w in found) else Words(found)


def _from_each_to_each(
    causes: list[str] | Words, effects: list[str] | Words
) -> list[tuple[str | Words, str | Words]]:
    """The edges between two groups; one pair of groups where names are still open."""
    if not causes or not effects:
        return []
    if isinstance(causes, Words) or isinstance(effects, Words):
        return [(_as_words(causes), _as_words(effects))]
    return list(product(causes, effects))


def _as_words(names: list[str] | Words) -> Words:
    return names if isinstance(names, Words) else Words(map(Quoted, names))


def _together(first: list[str] | Words | None, second: list[str] | Words) -> list[str] | Words:
    """Both lists of names; a tier may go over several lines."""
    if first is None or not first:
        return second
    if isinstance(first, Words) or isinstance(second, Words):
        return Words((*_as_words(first), *_as_words(second)))
    return [*first, *second]


# --- JSON and lists of edges ---------------------------------------------------------------------


def _from_json(text: str, file: Path) -> dict[str, Any]:
    from toposwap.knowledge.knowledge import Knowledge

    try:
        held = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{str(file)!r}: not JSON ({error})") from None
    if not isinstance(held, dict):
        raise InputError(
            f"{str(file)!r}: must hold an object with tiers, forbidden, required, ... in it"
        )
    # Names that it does not know are refused there.
    Knowledge.of(held)
    return held


def _from_edges(text: str, file: Path, separator: str) -> dict[str, Any]:
    first = text.split("\n", 1)[0]
    if separator not in first and ";" in first:
        separator = ";"
    rows = [row for row in csv.reader(text.splitlines(), delimiter=separator) if any(row)]
    if not rows:
        return {}
    header = [cell.strip().lower() for cell in rows[0]]
    places = [
        next((header.index(n) for n in names if n in header), None)
        for names in (_CAUSE, _EFFECT, _KIND)
    ]
    if places[0] is None or places[1] is None:
        if len(header) < 3 or header[2] not in _KINDS:
            raise InputError(
                f"{str(file)!r}: needs the columns cause, effect and kind (allowed, required or "
                f"forbidden), and has {', '.join(rows[0])}"
            )
        places, body = [0, 1, 2], rows
    else:
        body = rows[1:]
    if places[2] is None:
        raise InputError(
            f"{str(file)!r}: needs a column kind that says allowed, required or forbidden"
        )
    edges: dict[str, list[tuple[str, str]]] = {}
    cause, effect, kind = (int(place) for place in places if place is not None)
    for number, row in enumerate(body, len(rows) - len(body) + 1):
        cells = [*(cell.strip() for cell in row), "", "", ""]
        said = _KINDS.get(cells[kind].lower())
        if said is None:
            raise InputError(
                f"{str(file)!r}, line {number}: {cells[kind]!r} is none of allowed, required and "
                "forbidden"
            )
        edges.setdefault(said, []).append((cells[cause], cells[effect]))
    return dict(edges)
