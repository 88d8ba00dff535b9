"""From arguments to an exit code: what goes wrong becomes one line on standard error.

0: done. 1: it failed, was interrupted, or a check was not satisfied. 2: bad input or usage.
"""

from __future__ import annotations

import gc
import sys
import warnings
from typing import TYPE_CHECKING

import click

from toposwap.cli.app import app
from toposwap.cli.terminal.interrupted import Interrupted
from toposwap.cli.terminal.show import forget_reader, tell
from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning, UnitsWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

#: New objects between two collections of garbage; Python's own number is 700.
_RARELY = 100_000


def main() -> None:
    """Run the command line and leave with its exit code."""
    # What a command allocates are mostly modules and compiled code, which live until its end.
    # Looking through them for garbage, on the way and at exit, takes a third of a second.
    gc.set_threshold(_RARELY)
    code = run()
    # A Ctrl-C that passed through an exec("...") on its way here, as modules do when they are
    # imported, makes `python -m` end as if killed by it; running another string clears that.
    exec("")
    gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command, ``sys.argv`` by default, and return its exit code."""
    _never_fail_to_print()
    with warnings.catch_warnings():
        warnings.simplefilter("always", ToposwapWarning)
        # The report has a line of its own about units.
        warnings.simplefilter("ignore", UnitsWarning)
        warnings.showwarning = lambda message, category, *_where: _note(message, category)
        code = _outcome(arguments)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_reader()
    return code


def _outcome(arguments: Sequence[str] | None) -> int:
    try:
        code = app.main(
            None if arguments is None else list(arguments),
            prog_name="toposwap",
            standalone_mode=False,
        )
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _failed(_usage(error), 2)
    except (Interrupted, click.Abort, KeyboardInterrupt):
        return _failed("interrupted; no file was left half-written", 1)
    except (InputError, MissingExtraError) as error:
        return _failed(str(error), 2)
    except OSError as error:
        where = "" if error.filename is None else f"{str(error.filename)!r}: "
        return _failed(f"{where}{(error.strerror or str(error)).lower()}", 2)
    except MemoryError:
        return _failed("not enough memory: use fewer columns (--columns) or rows", 1)


def _failed(message: str, code: int) -> int:
    tell(f"error: {message}")
    return code


def _usage(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message} (see {context.command_path} --help)" if context else message


def _note(message: Warning | str, category: type[Warning]) -> None:
    """Show a warning; those that are not ours say what they are."""
    ours = issubclass(category, ToposwapWarning)
    kind = "note" if ours else f"warning: {category.__name__}"
    tell(f"{kind}: {message}")


def _never_fail_to_print() -> None:
    """Names may hold letters that the terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
