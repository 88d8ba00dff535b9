"""How the commands hang together: their order, what is no command, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from toposwap.cli.terminal.interrupted import Interrupted
from toposwap.core.errors import is_interrupt


class Commands(click.Group):
    """Commands in the order of use, with advice where a file stands in the place of one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """In the order in which they were added: what to try first comes first."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a file in its place most likely is a table to learn from."""
        if args[0] not in self.commands and Path(args[0]).is_file():
            raise click.UsageError(
                f"{args[0]!r} is a file, no command: to learn from it, toposwap fit {args[0]}", ctx
            )
        return super().resolve_command(ctx, args)

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the arguments; a signal meanwhile is no affair of click's."""
        with _without_an_empty_line():
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and keep Ctrl-C apart from click's other ways to stop."""
        with _without_an_empty_line():
            return super().invoke(ctx)


@contextmanager
def _without_an_empty_line() -> Iterator[None]:
    """Turn Ctrl-C into an exception that click does not know, and print nothing for."""
    try:
        yield
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        raise Interrupted from None
