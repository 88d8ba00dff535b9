"""The page as one file: no network, no scripts of others, names that are text and nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from toposwap.core.errors import InputError
from toposwap.io.atomic import write_text
from toposwap.report.page.contents import page_contents

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from toposwap.core.dataset import Dataset
    from toposwap.estimators import Topo

SUFFIXES = (".html", ".htm")
#: In this order; each is a function around its names, and talks through one object, ``page``.
SCRIPTS = (
    "words",
    "plots",
    "paths",
    "drawing",
    "views",
    "near",
    "zoom",
    "panel",
    "table",
    "sections",
    "saving",
    "start",
)


def write_page(
    path: str | os.PathLike[str],
    model: Topo,
    data: Dataset | None = None,
    *,
    confidence: Any = None,
    title: str | None = None,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Write the report of a fitted model; parameters as in :func:`page_contents`."""
    page_suffix(path)
    contents = page_contents(
        model, data, confidence=confidence, title=title, command=command, notes=notes
    )
    write_text(path, as_html(contents))


def page_suffix(path: str | os.PathLike[str]) -> str:
    """The ending of ``path`` if a browser will take it for a page, or an error."""
    name = str(path)
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix not in SUFFIXES:
        raise InputError(f"{name!r}: a report is a page for a browser; let its name end in .html")
    return suffix


def as_html(contents: dict[str, Any]) -> str:
    """The page around ``contents``, which hold names from anywhere.

    The policy in its head lets a browser run this one script and load nothing; names reach the
    page as JSON without a character that could end it, and the script sets them as text.
    """
    style = _static("page.css")
    script = "\n".join(_static(f"{name}.js") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\nconst page = {{}};\n{script}\n}})();\n'
    parts = {
        "TITLE": html.escape(str(contents["title"])),
        "POLICY": (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "img-src data: blob:"
        ),
        "STYLE": style,
        "SCRIPT": script,
        "CONTENTS": as_embedded(contents),
    }
    text = _static("page.html")
    for name in parts:
        before, after = text.split(f"@{name}@")
        text = f"{before}\0{name}\0{after}"
    for name, value in parts.items():
        text = text.replace(f"\0{name}\0", value, 1)
    return text


def as_embedded(contents: Any) -> str:
    """JSON that may stand inside a script element: no <, >, & and no line separators in it."""
    text = json.dumps(contents, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Half of a surrogate pair cannot be written as UTF-8.
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def _static(name: str) -> str:
    return files("toposwap.report.page").joinpath("static", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What a policy calls a script or a style that it permits."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
