"""What is known in one line of text: ``age, sex < income, rent < *`` and ``a -> b``."""

from __future__ import annotations

import csv
import itertools

from toposwap.core.errors import InputError
from toposwap.knowledge.knowledge import ARROW

_BEFORE = "<"


def tiers_in(text: str) -> list[list[str]]:
    """``a, b < c < *`` as tiers; names with commas or signs stand in double quotes."""
    return [_listed(part, text) for part in _split(text, _BEFORE)]


def edges_in(text: str) -> list[tuple[str, str]]:
    """``a -> b, c -> d -> e`` as edges (cause, effect)."""
    edges = []
    for part in _split(text, ","):
        ends = [_unquoted(end) for end in _split(part, ARROW)]
        if len(ends) < 2 or not all(ends):
            raise InputError(f"{text!r} is not of the form 'cause -> effect'")
        edges += list(itertools.pairwise(ends))
    return edges


def columns_in(text: str) -> list[str]:
    """``a, b`` as names."""
    return _listed(text, text)


def _split(text: str, sign: str) -> list[str]:
    """Split at ``sign``, but not inside double quotes."""
    parts, start, quoted, k = [], 0, False, 0
    while k < len(text):
        if text[k] == '"':
            quoted = not quoted
        elif not quoted and text.startswith(sign, k):
            parts.append(text[start:k])
            k += len(sign)
            start = k
            continue
        k += 1
    return [*parts, text[start:]]


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _listed(text: str, whole: str) -> list[str]:
    try:
        rows = list(csv.reader([text.strip()], skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"{whole!r}: names with commas stand in double quotes ({error})") from None
    return [name.strip() for row in rows for name in row if name.strip()]
