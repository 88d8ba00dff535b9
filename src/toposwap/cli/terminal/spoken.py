"""What was typed, and the notes that were shown since: reports repeat both."""

from __future__ import annotations

import shlex

_typed: list[str] = []
_notes: list[str] = []


def begin(arguments: list[str]) -> None:
    """Remember what a command was given; nothing has been said yet."""
    _typed[:] = arguments
    _notes.clear()


def remember(note: str) -> None:
    """Keep a note that was shown."""
    _notes.append(note)


def command() -> str:
    """What was typed, as a shell takes it."""
    return shlex.join(["toposwap", *_typed])


def notes() -> tuple[str, ...]:
    """The notes so far, each once."""
    return tuple(dict.fromkeys(_notes))
