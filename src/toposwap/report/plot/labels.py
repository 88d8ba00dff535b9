"""Names broken into short lines, so that they fit into boxes."""

from __future__ import annotations

import math
import re

from toposwap.core.printable import printable

_WIDEST = 16
_MOST_LINES = 3


def wrapped(name: str, widest: int = _WIDEST, most_lines: int = _MOST_LINES) -> str:
    """Return ``name`` in at most ``most_lines`` lines of about ``widest`` characters.

    Lines break after blanks, underscores, dots, hyphens and slashes, inside a word only if it is
    longer than a line. A name that does not fit keeps its beginning and its end, where long names
    differ.
    """
    # What shows nothing has no glyph either, and is not allowed in SVG.
    name = printable(" ".join(name.split()))
    lines = [""]
    for piece in re.findall(r"[^ _.\-/]*[ _.\-/]?", name):
        rest = piece
        if len(lines[-1]) + len(rest.rstrip()) > widest and lines[-1]:
            lines.append("")
        if len(rest.rstrip()) > widest:
            share = math.ceil(len(rest) / math.ceil(len(rest) / widest))
            while len(rest) > share:
                lines[-1], rest = rest[:share], rest[share:]
                lines.append("")
        lines[-1] += rest
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], "…" + name[1 - widest :].lstrip()]
    return "\n".join(lines) or " "
