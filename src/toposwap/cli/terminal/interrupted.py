"""Ctrl-C, where no result can be saved."""

from __future__ import annotations

from typing import Any

import click

from toposwap.core.errors import is_interrupt


class Interrupted(Exception):
    """The user pressed Ctrl-C outside a search, which would have kept its best order."""


class Commands(click.Group):
    """A group of commands that tells Ctrl-C apart from click's other ways to stop."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """In the order in which they were added: what to try first comes first."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; without this click would print an empty line of its own."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            raise Interrupted from None
