"""From arguments to an exit code: what goes wrong becomes one line on standard error.

0: done. 1: it failed, or a check was not satisfied. 2: bad input or usage. 128 + N: ended by the
signal N, 130 by Ctrl-C and 143 by ``kill``, also where the best graph so far was kept.
"""

from __future__ import annotations

import gc
import sys
import warnings
from typing import TYPE_CHECKING

import click

from toposwap.cli.app import app
from toposwap.cli.terminal import spoken
from toposwap.cli.terminal.interrupted import Interrupted
from toposwap.cli.terminal.show import forget_reader, tell
from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning, UnitsWarning
from toposwap.core.runtime import signals

if TYPE_CHECKING:
    from collections.abc import Sequence

#: New objects between two collections of garbage; Python's own number is 700.
_RARELY = 100_000


def main() -> None:
    """Run the command line and leave with its exit code."""
    # What a command allocates are mostly modules and compiled code, which live until its end.
    # Looking through them for garbage, on the way and at exit, takes a third of a second.
    gc.set_threshold(_RARELY)
    signals.listen()
    code = run()
    # Nothing is left to be done: a signal from here on ends the process without a word.
    signals.let_go()
    # A Ctrl-C that passed through an exec("...") on its way here, as modules do when they are
    # imported, makes `python -m` end as if killed by it; running another string clears that.
    exec("")
    gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command, ``sys.argv`` by default, and return its exit code."""
    _never_fail_to_print()
    spoken.begin(list(sys.argv[1:] if arguments is None else arguments))
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
        return _interrupted()
    except (InputError, MissingExtraError) as error:
        return _failed(str(error), 2)
    except OSError as error:
        where = "" if error.filename is None else f"{str(error.filename)!r}: "
        return _failed(f"{where}{(error.strerror or str(error)).lower()}", 2)
    except MemoryError:
        return _failed("not enough memory: use fewer columns (--columns) or rows", 1)
    except Exception:
        # Libraries may turn Ctrl-C into an error of theirs.
        if not signals.received():
            raise
        return _interrupted()


def _interrupted() -> int:
    return _failed("interrupted; no file was left half-written", signals.exit_code())


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
    spoken.remember(str(message))
    tell(f"{kind}: {message}")


def _never_fail_to_print() -> None:
    """Names may hold letters that the terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
