"""What goes to standard output and standard error.

Everything the command line prints passes here, so that no name in a file can steer the terminal. A
reader who has had enough, as in ``| head``, is no error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from toposwap.core.printable import printable, shortened

if TYPE_CHECKING:
    from rich.console import RenderableType

# Nothing is cut or folded because a file or a pipe has no width.
_WIDTH_OF_FILES = 160
# A name that fills the screen is told by its ends.
_LONGEST_LINE = 2000


def show(renderable: RenderableType) -> None:
    """Print a table, in bold and italic if a terminal shows it."""
    if sys.stdout is not None and sys.stdout.isatty():
        from rich.console import Console
        from rich.segment import Segments

        console = Console(highlight=False)
        parts = [
            part if part.control else part._replace(text=printable(part.text, keep="\n"))
            for part in console.render(renderable)
        ]
        console.print(Segments(parts), end="")
        return
    from toposwap.report.text import as_text

    text = as_text(renderable, _WIDTH_OF_FILES)
    say(text if _has_every_letter() else text.replace("─", "-"), end="")


def show_json(record: Any) -> None:
    """Print ``record`` as JSON, whatever letters standard output has."""
    from toposwap.io.write_graph import as_json

    say(as_json(record, ascii_only=not _has_every_letter()), end="")


def say(text: str = "", end: str = "\n") -> None:
    """Print ``text`` to standard output, which may have been closed by its reader."""
    try:
        click.echo(printable(text, keep="\n") + end, nl=False)
    except BrokenPipeError:
        forget_reader()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def tell(text: str) -> None:
    """Print one line to standard error; nobody is left to be told that this failed."""
    line = shortened(" ".join(text.split()), _LONGEST_LINE)
    with suppress(OSError, ValueError):
        click.echo(f"toposwap: {printable(line)}", err=True)


def _has_every_letter() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or ""
    return encoding.lower().startswith("utf")


def forget_reader() -> None:
    """Let whatever else is printed vanish, since nobody reads it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
