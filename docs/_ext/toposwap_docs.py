"""Sphinx: run the code of pages, list the pages there are, and show the help of the commands."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from sphinx.util import logging

from running import BlockError, with_outputs

logger = logging.getLogger(__name__)

#: Where pages stand; those that are not named here are how-to pages.
SECTIONS = {
    "start": [
        "start",
        "causal_graphs",
        "choosing",
        "overview",
        "reading_the_report",
        "certificate",
    ],
    "explanations": ["paper", "mathematics", "compile_time", "reliability", "glossary"],
    "more": ["comparison", "experiments", "architecture"],
}
PAGES = re.compile(r"^<!-- pages: (\w+) -->$", re.MULTILINE)
COMMANDS = re.compile(r"^<!-- commands -->$", re.MULTILINE)
SCHEMA = re.compile(r"^<!-- schema -->$", re.MULTILINE)


def setup(app):
    """Register with Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": False, "version": "1"}


def read(app, docname, source):
    """Fill in what a page asks for, then run its code."""
    text = source[0]
    folder = Path(app.srcdir)
    # No lexer knows it, and drawing it would take a script from elsewhere.
    text = text.replace("```mermaid", "```text")
    text = PAGES.sub(lambda match: _toctree(folder, match[1]), text)
    text = COMMANDS.sub(lambda _match: _commands(), text)
    text = SCHEMA.sub(lambda _match: _schema(), text)
    if not docname.startswith("reference/api") and os.environ.get("TOPOSWAP_DOCS") != "quick":
        text = _executed(app, docname, text)
    source[0] = _outside(text)


def _toctree(folder: Path, section: str) -> str:
    if section == "howto":
        named = {page for pages in SECTIONS.values() for page in pages} | {"index"}
        pages = sorted(path.stem for path in folder.glob("*.md") if path.stem not in named)
    elif section == "gallery":
        pages = sorted(f"gallery/{path.stem}" for path in (folder / "gallery").glob("*.md"))
    else:
        pages = [page for page in SECTIONS[section] if (folder / f"{page}.md").exists()]
    listed = "\n".join(pages)
    titles = {
        "start": "Start",
        "howto": "How to",
        "explanations": "Explanations",
        "more": "More",
        "gallery": "Gallery",
    }
    return f"```{{toctree}}\n:caption: {titles[section]}\n:maxdepth: 1\n\n{listed}\n```"


def _executed(app, docname: str, text: str) -> str:
    """The page with its outputs, from the last build if neither page nor package has changed."""
    import toposwap

    package = Path(toposwap.__file__).parent
    state = hashlib.sha256(text.encode())
    for path in sorted(package.rglob("*.py")):
        state.update(f"{path}{path.stat().st_mtime_ns}".encode())
    kept = Path(app.outdir).parent / "executed"
    kept.mkdir(parents=True, exist_ok=True)
    file = kept / f"{docname.replace('/', '-')}-{state.hexdigest()[:16]}.md"
    pictures = Path(app.srcdir) / "_pictures"
    if not file.exists():
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(Path(app.srcdir) / "data", Path(folder) / "data")
            try:
                done = with_outputs(text, Path(folder), pictures, docname)
            except BlockError as error:
                # A warning, so that one build tells of all pages; -W makes it fail.
                logger.warning("code failed: %s", error, location=docname)
                return text
            file.write_text(done, encoding="utf-8")
    return file.read_text(encoding="utf-8")


def _outside(text: str) -> str:
    """Links to files that are no pages become their names in the source tree."""

    def named(match):
        target = match[2]
        if not target.startswith("../") or target.startswith(("../gallery", "../reference")):
            return match[0]
        file = target.removeprefix("../").removeprefix("../")
        return match[1] if match[1].strip("`") == file else f"{match[1]} (`{file}`)"

    return re.sub(r"(?<!!)\[([^\]]*)\]\((\.\./[^)\s]*)\)", named, text)


def _commands() -> str:
    """Every command with its help."""
    import click

    from toposwap.cli.app import app as commands

    parts = []
    with click.Context(commands, info_name="toposwap") as root:
        parts.append(_help("toposwap", commands.get_help(root)))
        for name in commands.list_commands(root):
            command = commands.get_command(root, name)
            with click.Context(command, info_name=name, parent=root) as context:
                parts.append(_help(f"toposwap {name}", command.get_help(context)))
    return "\n\n".join(parts)


def _help(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```"


def _schema() -> str:
    from importlib.resources import files

    text = files("toposwap.io").joinpath("schemas", "result-1.json").read_text(encoding="utf-8")
    return f"```json\n{text}\n```"
