"""A line on the terminal that says how far the work is, and disappears with it."""

from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from toposwap.core.printable import printable
from toposwap.kernels.compiling import on_compile

if TYPE_CHECKING:
    from types import TracebackType

    from rich.status import Status
    from rich.text import Text

    from toposwap.search import Step

_PATIENCE = 1.0


class ProgressLine:
    """Shows the latest step once the work has taken a second, on a terminal only."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._status: Status | None = None
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._compiling = ExitStack()

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():
            self._timer.start()
            self._compiling.enter_context(on_compile(self._compiles))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._compiling.close()
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def say(self, text: str) -> None:
        """Show ``text`` from now on."""
        self._text = text
        with self._lock:
            if self._status is not None:
                self._status.update(_line(text))

    def __call__(self, step: Step) -> None:
        """Show a step of the search."""
        self.say(
            f"iteration {step.iteration}, score {step.score:.8g}, {step.space} "
            f"({step.candidates} candidates); Ctrl-C keeps the best so far"
        )

    def _compiles(self) -> None:
        self.say("compiling for this machine, once: the next run begins at once")

    def _appear(self) -> None:
        from rich.console import Console
        from rich.status import Status

        console = Console(stderr=True)
        if console.is_dumb_terminal:
            return
        with self._lock:
            if not self._over:
                self._status = Status(_line(self._text), console=console)
                self._status.start()


def _line(text: str) -> Text:
    """One line whatever the width, with [brackets] of a file's name as they are."""
    from rich.text import Text

    return Text(printable(text), no_wrap=True, overflow="ellipsis")
